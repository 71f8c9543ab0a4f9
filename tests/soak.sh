#!/usr/bin/env bash
# Kills runs again and again, at any moment, and compares what comes out with runs that nobody disturbed, byte for byte.
#
#   tests/soak.sh [KILLS]     1000 by default, which take about half an hour on two cores
#
# YATLAB=PROGRAM (default: build/release/bin/yatlab) is killed; SOAK_SEED=N repeats the moments of another soak, SOAK_KINDS="study text" selects
# some of the five kinds of run: training on images, training on text, a search, studies, claims. Each runs with one worker, with two, and with a
# process per job (launcher=processes), with the trackers wandb (offline) and tensorboard. If jobs have processes, every other kill hits one of
# those. Of ten kills, one is SIGTERM; two, if strace is installed, hit a chosen system call; the others are SIGKILL at a random moment. A killed
# command is repeated. Whenever one finishes, its jobs with all their checkpoints (without status.json, which holds times), tables and figures must
# equal those of the undisturbed run, with the same number of event files and W&B runs, and no temporary file.
# Exit codes: 0 no difference, 1 some, 2 the soak could not run.
set -uo pipefail
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
program=${YATLAB:-$here/build/release/bin/yatlab}
kills=${1:-1000}
RANDOM=${SOAK_SEED:-1}
# The program that it becomes: strace detaches from other programs (gnuplot), whose end is not the run's.
itself=$program
if [ -x "$program-torch" ]; then itself=$program-torch; fi
read -ra kinds <<<"${SOAK_KINDS:-images text search study claims}"

say() { printf '%s\n' "soak: $*"; }
if ! [[ $kills =~ ^[1-9][0-9]*$ ]]; then
  sed -n '2,5s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"
  exit 2
fi
for kind in "${kinds[@]}"; do
  case $kind in images | text | search | study | claims) ;; *) say "there is no kind '$kind': images, text, search, study, claims" && exit 2 ;; esac
done
[ -x "$program" ] || { say "there is no program '$program': build it first (./run.sh test, for example)"; exit 2; }

work=$(mktemp -d "${TMPDIR:-/tmp}/yatlab-soak.XXXXXX") || exit 2
child=
cleanup() {
  if [ -n "$child" ]; then kill -KILL "$child" 2>/dev/null; fi
  rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# --- the experiments: a second or two each ---

data=
for folder in ${YATLAB_DATA:-} "$here/data" "$here/../shared/data"; do
  if [ -e "$folder/mnist/train-images-idx3-ubyte.gz" ]; then data=$(cd "$folder" && pwd) && break; fi
done
ln -s "$here/configs" "$work/configs"
if [ -n "$data" ]; then
  images='mnist' limits='limit: 3000, test_limit: 500'
else
  images='synthetic_digits' limits='train_size: 3000, test_size: 500'
fi
cat >"$work/images.yaml" <<END
name: images
defaults: [/dataset: $images, /architecture: prototype_classifier, _self_]
dataset: {$limits}
trainer: {epochs: 6, batch_size: 64, log_every: 10, checkpoint_steps: 20}
seeds: [0, 1]
arms:
  linear: [operator=dot]
  yat: [operator=yat, architecture.scale=n_over_log]
analyses: [prototype_norms, prototype_inversion, prototype_images]
tables:
  tab:accuracy: {columns: [{metric: test/accuracy, header: accuracy}]}
figures:
  fig:curves: {plot: learning_curves}
END
cat >"$work/text.yaml" <<END
name: text
defaults: [/dataset: generated_text, /architecture: gpt2, /size: nano, /task: language_modeling, /optimizer: adamw, /schedule: cosine, _self_]
dataset: {train_stories: 20, test_stories: 4, context: 64}
architecture: {layers: 2, heads: 2, width: 32, context: 64, dropout: 0.1}
optimizer: {lr: 1e-3, beta2: 0.95, weight_decay: 0.01, decay_matrices_only: true}
schedule: {warmup_steps: 10, final_factor: 0.1}
trainer: {steps: 60, eval_steps: 15, batch_size: 8, micro_batch: 3, eval_batch_size: 16, grad_clip: 1.0, log_every: 1, checkpoint_steps: 3, checkpoint_seconds: 1000}
seeds: [0]
arms:
  gpt2: [operator=dot]
  aether: [architecture=aether_gpt2, operator=yat, operator.epsilon=1e-3]
tables:
  tab:loss: {columns: [{metric: test/loss, header: loss}]}
END
cat >"$work/search.yaml" <<END
name: search
defaults: [/dataset: $images, /architecture: prototype_classifier, _self_]
dataset: {$limits}
trainer: {epochs: 1, batch_size: 64, checkpoint_steps: 20}
seeds: [0, 1]
arms:
  linear: [operator=dot]
  yat: [operator=yat]
sweep: {optimizer.lr: 'tag(log, interval(1e-4, 1))', operator.epsilon: 'tag(log, interval(1e-5, 1))'}
sweeper: {name: tpe, startup: 3, trials: 6, batch: 1}
tables:
  tab:loss: {columns: [{metric: test/loss, header: loss}]}
END
cat >"$work/study.yaml" <<END
name: study
seeds: [0, 1]
arms:
  dot: [operator=dot]
  euclidean: [operator=euclidean]
  yat: [operator=yat, operator.epsilon=0.1]
studies:
  - {name: response_field, weight: [1.0, 0.5], half_width: 2.5, resolution: 61, arrows: 13}
  - ray_response
figures:
  fig:fields: {plot: response_fields}
END
cat >"$work/claims.yaml" <<END
name: claims
defaults: [/operator: yat, _self_]
seeds: [0]
claims: ["thm:hahn-banach", "eq:laplace", "eq:yat_integral", "thm:laplace-identity", "thm:gradient", "thm:decision-boundary", "thm:bernstein",
         "lem:analyticity", "def:soft-tanh", "def:softermax", "thm:xor-solution", "thm:gibbs"]
effort: 0.05
END

# --- one attempt ---

# microseconds: the current time, without starting a process.
now() { local t=$EPOCHREALTIME; echo "${t/./}"; }

seconds() { awk -v us="$1" 'BEGIN { printf "%.2f", us / 1e6 }'; }

# begin DIRECTORY KIND LAUNCHER WORKERS [PREFIX...]: starts the command; $child is its process.
begin() {
  local directory=$1 kind=$2 launcher=$3 workers=$4
  shift 4
  (cd "$directory" && WANDB_MODE=offline WANDB_DIR=. YATLAB_DATA=$data exec "$@" "$itself" "$kind.yaml" --quiet "launcher=$launcher" "launcher.workers=$workers" \
    'trackers=[{name: wandb, system_seconds: 1000}, tensorboard]') >"$directory/output" 2>&1 &
  child=$!
}
# -> the exit status
await() {
  wait "$child" 2>/dev/null
  status=$?
  child=
}

# A process of one of the run's jobs; the run's own if there is none now.
someone_in() { # LAUNCHER
  local jobs=()
  if [ "$1" = processes ] && [ $((RANDOM % 2)) -eq 0 ]; then mapfile -t jobs < <(pgrep -P "$child"); fi
  if [ ${#jobs[@]} -gt 0 ]; then echo "${jobs[RANDOM % ${#jobs[@]}]}"; else echo "$child"; fi
}

# A run with a killed job continues with the others, and says that the same command resumes it.
lost_a_job() { # DIRECTORY LAUNCHER
  [ "$status" -eq 1 ] && [ "$2" = processes ] && grep -q '^interrupted: .*: its process was \(killed by signal \(9\|15\) \|asked to stop\)' "$1/output"
}

# What must be equal: a line per file, without records of the work's course and output of job processes. Tables name their run by its folder: a time and a hash.
results_of() {
  local run=$1/results/$2/latest/
  (
    cd "$run" || exit
    local dated  # where the moment of drawing is packed (cairo from 1.18 on) only the name counts
    dated=$(grep -La /CreationDate figures/*.pdf 2>/dev/null || true)
    ls figures 2>/dev/null
    find jobs figures trials.jsonl -type f ! -name status.json ! -name output.txt 2>/dev/null | grep -vxF "${dated:-none}" | sort | tr '\n' '\0' | xargs -0 sha256sum
    local name
    name=$(basename "$(pwd -P)")
    for table in tables/*; do echo "$(sed "s,\\\\allowbreak{},,g; s,${name//_/'\\\?_'},RUN,g" "$table" | sha256sum) $table"; done
  )
}
# Counts of files with varying names: event files by folder, W&B runs.
logs_of() {
  find "$1/results/tensorboard" -name 'events.*' -printf '%h\n' 2>/dev/null | sed 's,/[0-9]\{4\}-[^/]*/,/RUN/,' | sed "s,^$1,," | sort
  find "$1/wandb" -maxdepth 1 -name 'offline-run-*' | wc -l
}
torn() { find "$1/results" "$1/wandb" -name '.*.tmp' 2>/dev/null | head -n 1; }
fresh() {
  rm -rf "$1"
  mkdir "$1"
  ln -s "$work/configs" "$work/$2.yaml" "$1/"
}

calls=(rename fsync write mkdir unlink openat)
by_call=no
if command -v strace >/dev/null && strace -qq -o /dev/null -e inject=rename:signal=KILL:when=1 true 2>/dev/null; then by_call=yes; fi

# --- all of them ---

[ "$by_call" = yes ] || say "strace is missing or cannot be used: no kills at chosen system calls"
printf '%-8s %11s %6s %8s %8s %11s %6s %8s %14s %11s\n' run launcher kills SIGTERM syscall 'hit a write' ends 'alone s' 'lost s a kill' differences
all_kills=0 all_terms=0 all_calls=0 all_torn=0 all_ends=0 all_differences=0 series=0 all_series=$((3 * ${#kinds[@]}))
started=$(now)
for kind in "${kinds[@]}"; do
  alone=$work/alone-$kind
  fresh "$alone" "$kind"
  before=$(now)
  begin "$alone" "$kind" local 2
  await
  usual=$(($(now) - before))
  if [ "$status" -ne 0 ]; then
    say "the undisturbed run of '$kind' ends with $status:"
    tail -n 5 "$alone/output"
    exit 2
  fi
  expected=$(results_of "$alone" "$kind")
  expected_logs=$(logs_of "$alone")
  [ "$(wc -l <<<"$expected")" -gt 8 ] || { say "'$kind' leaves too few files to compare"; exit 2; }
  for how in local:1 local:2 processes:2; do
    launcher=${how%:*} workers=${how#*:}
    series=$((series + 1))
    planned=$((kills * series / all_series - kills * (series - 1) / all_series))
    done_kills=0 terms=0 at_calls=0 hits=0 ends=0 differences=0 spent=0
    place=$work/killed
    fresh "$place" "$kind"
    going=yes
    while [ "$going" = yes ]; do
      signal=
      prefix=()
      if [ "$done_kills" -lt "$planned" ]; then
        dice=$((RANDOM % 10))
        if [ "$by_call" = yes ] && [ "$dice" -ge 8 ]; then
          call=${calls[RANDOM % ${#calls[@]}]}
          prefix=(strace -f -b execve -qq -o /dev/null -e "trace=$call" -e "inject=$call:signal=KILL:when=$((1 + RANDOM % 40))")
        elif [ "$dice" -eq 0 ]; then
          signal=TERM
        else
          signal=KILL
        fi
      fi
      before=$(now)
      begin "$place" "$kind" "$launcher" "$workers" ${prefix[@]+"${prefix[@]}"}
      if [ -n "$signal" ]; then
        sleep "$(seconds $((usual * (RANDOM % 1000) / 1000)))"
        victim=$(someone_in "$launcher")
        kill "-$signal" "$victim" 2>/dev/null
      fi
      await
      spent=$((spent + $(now) - before))
      if [ "$status" -eq 137 ] || [ "$status" -eq 143 ] || lost_a_job "$place" "$launcher"; then
        done_kills=$((done_kills + 1))
        if [ "$signal" = TERM ]; then terms=$((terms + 1)); fi
        if [ ${#prefix[@]} -gt 0 ]; then at_calls=$((at_calls + 1)); fi
        if [ -n "$(torn "$place")" ]; then hits=$((hits + 1)); fi
        continue
      fi
      ends=$((ends + 1))
      wrong=$(
        if [ "$status" -ne 0 ]; then echo "it ends with $status:" && tail -n 5 "$place/output"; fi
        diff <(echo "$expected") <(results_of "$place" "$kind")
        diff <(echo "$expected_logs") <(logs_of "$place")
        torn "$place"
      )
      if [ -n "$wrong" ]; then
        differences=$((differences + 1))
        say "'$kind' with $how differs after $done_kills kills:"
        head -n 12 <<<"$wrong"
      fi
      if [ "$done_kills" -ge "$planned" ]; then going=no; else fresh "$place" "$kind"; fi
    done
    printf '%-8s %11s %6d %8d %8d %11d %6d %8s %14s %11d\n' "$kind" "$how" "$done_kills" "$terms" "$at_calls" "$hits" "$ends" \
      "$(seconds "$usual")" "$(seconds $((done_kills > 0 ? (spent - ends * usual) / done_kills : 0)))" "$differences"
    all_kills=$((all_kills + done_kills)) all_terms=$((all_terms + terms)) all_calls=$((all_calls + at_calls)) all_torn=$((all_torn + hits))
    all_ends=$((all_ends + ends)) all_differences=$((all_differences + differences))
  done
done
printf '%-8s %11s %6d %8d %8d %11d %6d %8s %14s %11d\n' all '' "$all_kills" "$all_terms" "$all_calls" "$all_torn" "$all_ends" '' '' "$all_differences"
say "$all_kills kills in $((($(now) - started) / 60000000)) minutes, images: $images"
[ "$all_differences" -eq 0 ]
