#!/usr/bin/env bash
# One process with two threads against two ranks of one thread: the same training, which takes turns with itself.
#
#   bench/ranks.sh [REPETITIONS]      from the repository's root, with a program that is built
#
# Prints samples per second of each, medians and their ratio. They are those that a job's status.json has as performance: of its steps, without
# evaluations and checkpoints.
set -euo pipefail
repetitions=${1:-5}
program=$PWD/${YATLAB_PROGRAM:-build/release/bin/yatlab}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ln -s "$PWD/configs" "$folder/configs"
export YATLAB_DATA=${YATLAB_DATA:-$PWD/data:$PWD/../shared/data}
cat >"$folder/mnist.yaml" <<'END'
name: mnist
defaults: [/protocol: mnist, _self_]
trainer: {epochs: 2}
seeds: [0]
arms: {yat: [operator=yat]}
END
cat >"$folder/gpt2.yaml" <<'END'
name: gpt2
defaults: [/protocol: paper, _self_]
trainer: {steps: 60, eval_steps: 60}
schedule: {warmup_steps: 10}
seeds: [0]
arms: {gpt2: [operator=dot]}
END

# rate EXPERIMENT ARGUMENT...: samples per second of its one job.
rate() {
  (cd "$folder" && "$program" "$1.yaml" --quiet --fresh "${@:2}" >"$folder/said" 2>&1) || { cat "$folder/said" >&2; exit 1; }
  sed -n 's/.*"samples_per_s": \([0-9.]*\).*/\1/p' "$folder"/results/"$1"/latest/jobs/*/*/status.json
}
median() { sort -n | sed -n "$(((repetitions + 1) / 2))p"; }

echo "load: $(cut -d' ' -f1-3 /proc/loadavg), $(nproc) cores"
for experiment in mnist gpt2; do
  : >"$folder/threads" >"$folder/ranks"
  for _ in $(seq "$repetitions"); do
    rate "$experiment" trainer.threads=2 launcher=processes >>"$folder/threads"
    rate "$experiment" trainer.threads=1 launcher=processes launcher.ranks=2 >>"$folder/ranks"
  done
  threads=$(median <"$folder/threads") ranks=$(median <"$folder/ranks")
  echo "$experiment: 1 process x 2 threads $threads/s, 2 ranks x 1 thread $ranks/s, ratio $(awk "BEGIN {printf \"%.2f\", $ranks / $threads}")"
  echo "  threads: $(tr '\n' ' ' <"$folder/threads") ranks: $(tr '\n' ' ' <"$folder/ranks")"
done
echo "load: $(cut -d' ' -f1-3 /proc/loadavg)"
