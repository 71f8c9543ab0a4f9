#!/usr/bin/env bash
# Plants small faults in the program, one at a time, and checks whether the tests notice: another operator, bound, constant or
# function, a dropped sign, condition or statement. docs/testing.md describes the method and results.
#
#   tests/mutate.sh [--count N] [--seed S] [FILE...]   N faults (all, if none is given) of core/ops, core/model, core/train, core/data and
#                                                      core/verdict/statistics.cpp, or of FILEs, as many from each folder
#   tests/mutate.sh --only FILE:LINE:KIND              one fault, with what the tests say of it; it is planted anew if it was before
#   tests/mutate.sh --survivors                        those that were not noticed so far, anew
#   tests/mutate.sh --list [...]                       which faults there would be; nothing is built
#   tests/mutate.sh --summary                          of those planted so far: how many were noticed, and which were not
#
# --jobs J plants J at a time. Everything is in build/mutate (or MUTATE_DIR=FOLDER): a copy of the tree, its build (half an
# hour on two cores), and results.tsv, which lists each fault once its tests are finished; a listed fault is not planted again,
# so the same command resumes after an interruption. The working tree is only read.
# Exit codes: 0 at least 95 % of the requested faults that a test can notice were noticed, 1 fewer, 2 the run failed.
set -uo pipefail
export LC_ALL=C
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
place=${MUTATE_DIR:-$here/build/mutate}
tree=$place/tree build=$place/build results=$place/results.tsv
kernels=CMakeFiles/yatlab_kernels.dir core=CMakeFiles/yatlab_core.dir base=CMakeFiles/yatlab_base.dir

say() { printf '%s\n' "mutate: $*" >&2; }
fail() {
  say "$1"
  exit 2
}
usage() {
  sed -n '5,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
  exit 2
}

mode=plant seed=1 count=0 parallel=1 survivors=no only=()
files=()
while [ $# -gt 0 ]; do
  case $1 in
    --list) mode=list ;;
    --summary) mode=summary ;;
    --survivors) survivors=yes ;;
    --seed | --count | --jobs | --only)
      [ $# -gt 1 ] || usage
      case $1 in
        --seed) seed=$2 ;;
        --count) count=$2 ;;
        --jobs) parallel=$2 ;;
        --only) only+=("$2") ;;
      esac
      shift
      ;;
    -*) usage ;;
    *) files+=("$1") ;;
  esac
  shift
done
[[ $count =~ ^[0-9]+$ && $parallel =~ ^[1-9][0-9]*$ ]] || usage

# --- results ---

# Lines of results.tsv that count. Faults that did not compile are excluded, and so are survivors that change nothing that a test
# could see: tests/mutate/equivalent.tsv has their files and kinds, the lines of code, and the reason.
summary() {
  awk -F '\t' '
    FILENAME == ARGV[1] { split($1, part, ":"); equivalent[part[1] ":" part[2] FS $2] = 1; next }
    { split($1, part, ":"); folder = part[1]; sub(/\/[^\/]*$/, "", folder); folders[folder] = 1 }
    $5 == "not compiled" { broken[folder]++; next }
    { planted[folder]++ }
    $5 == "noticed" { noticed[folder]++; next }
    { key = part[1] ":" part[3] FS $4 }
    key in equivalent { same[folder]++; next }
    { survivors[++n] = $0 }
    function line(name, p, k, e, b) {
      printf "%-12s %8d %8d %11d %10d %9s %13d\n", name, p, k, e, p - k - e, (p > e ? sprintf("%.1f %%", 100 * k / (p - e)) : "-"), b
    }
    END {
      printf "%-12s %8s %8s %11s %10s %9s %13s\n", "folder", "planted", "noticed", "equivalent", "survivors", "share", "not compiled"
      for (i = 1; i <= 5; i++) {
        f = i == 1 ? "core/ops" : i == 2 ? "core/model" : i == 3 ? "core/train" : i == 4 ? "core/data" : "core/verdict"
        if (f in folders) line(f, planted[f], noticed[f], same[f], broken[f])
      }
      for (f in folders) { p += planted[f]; k += noticed[f]; e += same[f]; b += broken[f] }
      line("all", p, k, e, b)
      for (i = 1; i <= n; i++) { split(survivors[i], s, "\t"); printf "survived: %s  %s -> %s   %s\n", s[1], s[2], s[3] == "" ? "nothing" : s[3], s[4] }
      exit !(k >= 0.95 * (p - e))
    }' "$here/tests/mutate/equivalent.tsv" -
}
if [ "$mode" = summary ]; then
  [ -s "$results" ] || fail "no fault was planted yet ('$results' does not exist)"
  summary <"$results"
  exit
fi

if [ "$survivors" = yes ]; then
  mapfile -t only < <(awk -F '\t' '$5 == "survived" { print $1 }' "$results" 2>/dev/null)
  [ ${#only[@]} -gt 0 ] || fail "no fault has survived yet"
fi

# --- choice of faults ---

mkdir -p "$place" || exit 2
if [ ! -x "$place/faults" ] || [ "$here/tests/mutate/faults.cpp" -nt "$place/faults" ]; then
  ${CXX:-c++} -std=c++17 -O1 -o "$place/faults.$$" "$here/tests/mutate/faults.cpp" && mv "$place/faults.$$" "$place/faults" || exit 2
fi
if [ "$mode" = list ]; then
  cd "$here" || exit 2
else
  # The current working tree; unchanged files keep their time, and so their objects.
  mkdir -p "$tree" && cd "$here" || exit 2
  git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
    [ -e "$file" ] && printf '%s\0' "$file"
  done >"$place/files.$$"
  (cd "$tree" && find . -type f -printf '%P\0') | sort -z | comm -z -23 - <(sort -z "$place/files.$$") | (cd "$tree" && xargs -0r rm -f)
  tar --null -T "$place/files.$$" -cf - | tar -C "$tree" -xf - || exit 2
  rm -f "$place/files.$$"
  cd "$tree" || exit 2
fi
if [ ${#files[@]} -eq 0 ]; then files=(core/ops/*.cpp core/model/*.cpp core/train/*.cpp core/data/*.cpp core/verdict/statistics.cpp); fi
if [ ${#only[@]} -gt 0 ]; then
  files=()
  for name in "${only[@]}"; do files+=("${name%%:*}"); done
fi
for file in "${files[@]}"; do
  [ -f "$file" ] || fail "there is no '$file' (paths are the repository's, as core/ops/yat.cpp)"
done
list=$("$place/faults" --seed "$seed" --count "$count" "${files[@]}") || exit 2
if [ ${#only[@]} -gt 0 ]; then
  list=$(for name in "${only[@]}"; do grep -F "$name"$'\t' <<<"$list" | head -n 1; done)
  [ "$(wc -l <<<"$list")" -eq ${#only[@]} ] && [ -n "$list" ] || fail "there is no such fault; --list FILE shows a file's"
fi
if [ "$mode" = list ]; then
  [ -z "$list" ] || printf '%s\n' "$list"
  exit 0
fi

# --- choice of tests ---

# Slow tests of other properties: the cost of inputs, every failing file operation, and the trackers' logs of trainings.
filter_of() {
  case $1 in
    test_plugins) echo '~[slow]~[faults]~[#tensorboard_tracker_test]~[#wandb_tracker_test]~[#tracker_faults_test]~[#launchers_test]~[#plugin_package_test]~[#readme_tutorial_test]' ;;
    test_train) echo '~[slow]~[cost]~[ranks]' ;;
    test_guarded_device) echo '~[slow]' ;;
    test_report) echo '~[slow]~[#html_browser_test]~[#pgf_test]' ;;
    *) echo '~[slow]~[cost]' ;;
  esac
}
# The suites that cover a file, the quickest first: "PROGRAM FILTER". Tests that include the file's header precede all tests of a program.
suites_of() {
  local folder own tests program
  folder=$(dirname "$1") own=$(basename "$1" .cpp)
  case $folder in
    core/verdict | core/figure | core/record | core/table) folder=report ;;
    core/experiment | core/compose | core/plan | core/job | core/run | core/measure) folder=experiment ;;
    core/model) folder=train ;;
    core/library) folder=runs ;;
    core/system) folder=base ;;
    core/commands) folder=cli ;;
    core/*) folder=${folder#core/} ;;
    *)
      tests=$(grep -l "#include \"$folder/$own\.h\"" tests/*/*.cpp tests/trackers/*/*.cpp 2>/dev/null)
      for program in $(for file in $tests; do basename "$(dirname "$file")"; done | sort -u); do
        echo "test_$program $(for file in $tests; do case $file in */"$program"/*) basename "$file" .cpp | sed 's/.*/[#&]~[slow]~[cost]/' ;; esac done | paste -sd ,)"
      done
      echo "test_plugins $(filter_of test_plugins)"
      return
      ;;
  esac
  for program in "$folder" ops train data report plugins guarded_device; do
    [ "$program" != "$folder" ] || [ "$folder" != ops ] || continue
    tests=$(grep -l "#include \"$(dirname "$1")/$own\.h\"" tests/"$program"/*.cpp 2>/dev/null | sed 's,.*/\(.*\)\.cpp$,[#\1]~[slow]~[cost],' | paste -sd ,)
    if [ -n "$tests" ]; then echo "test_$program $tests"; fi
  done | awk '!seen[$0]++'
  for program in "test_$folder" $([ "$folder" = report ] || echo test_plugins); do
    echo "$program $(filter_of "$program")"
  done
  case $folder in ops | train) echo "test_guarded_device $(filter_of test_guarded_device)" ;; esac
  # Tests of several processes are slow on a busy machine.
  if [ "$folder" = train ]; then echo 'test_train [ranks]~[slow]'; fi
}
needed=()
while read -r program; do needed+=("$program"); done < <(
  printf '%s\n' "$list" | cut -d : -f 1 | sort -u | while read -r file; do suites_of "$file"; done | cut -d ' ' -f 1 | sort -u
)

# --- the build, and the tests without a fault ---

say "building in $build (log: $place/build.log)"
{
  cmake -S "$tree" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=Release '-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG' -DYATLAB_TESTS=ON \
    -DYATLAB_UNITY=ON "-DYATLAB_ALONE=yatlab_base;yatlab_kernels;yatlab_core$(cd "$tree/plugins" && printf ';pack_%s' * && printf ';pack_%s_fast' *)" && ninja -C "$build" "${needed[@]}"
} >"$place/build.log" 2>&1 || fail "the build failed: $place/build.log (to install what the tests need: YATLAB_BUILD=only ./run.sh test)"
for folder in "${YATLAB_DATA:-}" "$here/data" "$here/../shared/data"; do
  if [ -n "$folder" ] && [ -e "$folder" ]; then export YATLAB_DATA=$folder && break; fi
done
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}

work=$(mktemp -d "$place/work.XXXXXX") || exit 2
cleanup() {
  local child
  for child in $(jobs -p); do kill "$child" 2>/dev/null; done
  wait
  rm -rf "$work"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

# run_suite LIBRARIES SECONDS PROGRAM FILTER OUTPUT: whether it passes with these libraries; no test program is relinked.
run_suite() {
  mkdir -p "$5.tmp"
  TMPDIR=$5.tmp LD_LIBRARY_PATH=$1 timeout -k 5 "$2" "$build/bin/$3" -a -# -d yes "$4" >"$5" 2>&1 &
  local child=$! status
  trap 'kill "$child" 2>/dev/null; wait "$child"; exit 143' TERM
  wait "$child" 2>/dev/null  # it would say by which signal
  status=$?
  trap 'exit 143' TERM
  rm -rf "$5.tmp"
  return "$status"
}

# Each must pass without a fault; with a fault its time limit is ten times as long plus two minutes.
declare -A limits
for program in "${needed[@]}"; do
  SECONDS=0
  run_suite "$build/lib" 900 "$program" "$(filter_of "$program")" "$work/$program" || {
    tail -n 30 "$work/$program" >&2
    fail "$program does not pass without a fault"
  }
  limits[$program]=$((120 + 10 * SECONDS))
  say "$program passes without a fault in $SECONDS s"
done

# --- one fault ---

# The command that builds an object or a library, with other paths.
command_of() { ninja -C "$build" -t commands "$1" 2>/dev/null | tail -n 1; }

# The name of the failed test, from Catch's output.
failed_test() {
  awk '/^-----/ { getline; if ($0 !~ /^-/) { print; exit } }' "$1"
}

plant() { # NAME FROM TO CODE
  local name=$1 file=${1%%:*} folder=$work/$BASHPID object library verdict='' by='' began=$EPOCHSECONDS program filter status
  mkdir -p "$folder/lib"
  (cd "$tree" && "$place/faults" --plant "$name") >"$folder/fault.cpp" || return
  case $file in
    core/base/* | core/system/* | core/registry/* | core/config/* | core/verdict/* | core/figure/* | core/record/* | core/experiment/* | core/table/* | core/report/* | core/library/*)
      library=lib/libyatlab_base.so object=$base/$file.o ;;
    plugins/*)
      object=${file#plugins/} object=${object%%/*} library=lib/yatlab/$object.so
      object=CMakeFiles/pack_${object}_fast.dir/$file.o
      [ -f "$build/$object" ] || object=${object/_fast.dir/.dir}
      mkdir -p "$folder/lib/yatlab"
      ;;
    *)
      library=lib/libyatlab_core.so object=$kernels/$file.o
      [ -f "$build/$object" ] || object=$core/$file.o
      [ -f "$build/$object" ] || object=CMakeFiles/yatlab_planning.dir/$file.o
      ;;
  esac
  local compile link
  compile=$(command_of "$object") link=$(command_of "$library")
  compile=${compile/-MD -MT $object -MF $object.d/}
  compile=${compile/-o $object/-o $folder/fault.o}
  compile=${compile/-c $tree\/$file/-c $folder/fault.cpp}
  link=${link/ $object / $folder/fault.o }
  link=${link/-o $library/-o $folder/$library}
  if ! (cd "$build" && CCACHE_DISABLE=1 timeout -k 5 300 bash -c "$compile" && timeout -k 5 300 bash -c "$link") >"$folder/compiled" 2>&1; then
    verdict='not compiled'
    by=$(grep -m 1 'error: ' "$folder/compiled" | sed 's/.*error: //' | tr '\t' ' ')
  elif [ ! -s "$folder/fault.o" ] || [ ! -s "$folder/$library" ]; then
    say "$name: it was compiled to a different place: is '$object' still part of '$library'?"
    return
  else
    verdict=survived
    while read -r program filter; do
      run_suite "$folder/lib:$folder/lib/yatlab" "${limits[$program]}" "$program" "$filter" "$folder/output"
      status=$?
      if [ "$status" -eq 124 ] || [ "$status" -eq 137 ]; then
        verdict=noticed by="$program: no end in ${limits[$program]} s"
      elif [ "$status" -ne 0 ]; then
        verdict=noticed by="$program: $(failed_test "$folder/output")"
        [ "$by" != "$program: " ] || by="$program: exit code $status"
      fi
        if [ ${#only[@]} -eq 1 ]; then tail -n 25 "$folder/output"; fi
      [ "$verdict" = survived ] || break
    done < <(suites_of "$file")
  fi
  printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$name" "$2" "$3" "$4" "$verdict" "$by" $((EPOCHSECONDS - began)) >>"$results"
  say "$name: $verdict${by:+ ($by)}, $((EPOCHSECONDS - began)) s"
  rm -rf "$folder"
}

# --- all faults ---

touch "$results"
if [ ${#only[@]} -gt 0 ]; then
  known=$(cat "$results")
  for name in "${only[@]}"; do known=$(awk -F '\t' -v n="$name" '$1 != n' <<<"$known"); done
  printf '%s' "${known:+$known$'\n'}" >"$results.tmp" && mv "$results.tmp" "$results"
fi
# A changed line has other faults, even if their names are the same.
wanted=$(awk -F '\t' 'FILENAME == ARGV[1] { done[$1 FS $2 FS $3 FS $4] = 1; next } !($1 FS $2 FS $3 FS $4 in done)' "$results" - <<<"$list")
if [ -n "$wanted" ]; then
  say "$(wc -l <<<"$wanted") faults to plant"
  running=0
  while IFS= read -r line; do
    # Not with read, which would merge two tabs, of a fault that removes something, into one.
    mapfile -t -d $'\t' fault <<<"$line"
    if [ "$running" -ge "$parallel" ]; then
      wait -n
      running=$((running - 1))
    fi
    plant "${fault[0]}" "${fault[1]}" "${fault[2]}" "${fault[3]%$'\n'}" &
    running=$((running + 1))
  done <<<"$wanted"
  wait
fi
awk -F '\t' 'NR == FNR { asked[$1 FS $2 FS $3 FS $4] = 1; next } ($1 FS $2 FS $3 FS $4 in asked) && !seen[$1 FS $2 FS $3 FS $4]++' <(printf '%s\n' "$list") "$results" | summary
