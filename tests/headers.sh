#!/usr/bin/env bash
# Checks that every header of core/ and plugins/ compiles alone, that is, includes all that it uses. A release build does not show this: its
# precompiled header comes first.
#
#   tests/headers.sh [HEADER...]    needs a configured build folder, build/release or that of YATLAB_PRESET, and uses its options
#
# LibTorch's headers are parsed once: those that many headers include are precompiled, and precede a header that includes them all itself. clang++,
# if installed, is three times as fast as GCC: it instantiates the templates of precompiled headers only once.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
build=build/${YATLAB_PRESET:-release}
commands=$build/compile_commands.json
[ -f "$commands" ] || { echo "failed in headers: there is no $commands: ./run.sh configures one"; echo "0 passed, 1 failed"; exit 1; }
cmake --build "$build" --target messages >/dev/null || { echo "failed in headers: generated headers could not be built"; echo "0 passed, 1 failed"; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

compiler=$(command -v clang++) && precompiled=(-fpch-instantiate-templates) ending=pch ||
  { compiler=$(sed -n 's/^CMAKE_CXX_COMPILER:[A-Z]*=//p' "$build/CMakeCache.txt") precompiled=() ending=gch; }
# Include folders, definitions and the standard, collected from all commands.
mapfile -t options < <(grep -oE '(-isystem +|-I|-D|-std=)[^ ]+' "$commands" | sed -E 's/^-isystem +/-isystem/; s/\\"/"/g; s/\\\\"/"/g' | awk '!seen[$0]++')

# Each header with the LibTorch headers that it includes, directly or through our own.
mapfile -t all < <(find core plugins -name '*.h' ! -path 'core/ops/cuda/*' | sort)  # those need CUDA's own
awk '
  FNR == 1 { headers[++n] = FILENAME }
  /^#include "/ { split($0, part, "\""); ours[FILENAME] = ours[FILENAME] " " part[2] }
  /^#include <(ATen|torch|c10)\// { gsub(/.*<|>.*/, ""); theirs[FILENAME] = theirs[FILENAME] " " $0 }
  function follow(file, k, count, list) {
    if (file in seen) return
    seen[file] = 1
    count = split(theirs[file], list, " ")
    for (k = 1; k <= count; k++) found[list[k]] = 1
    count = split(ours[file], list, " ")
    for (k = 1; k <= count; k++) follow(list[k])
  }
  END {
    for (i = 1; i <= n; i++) {
      delete seen; delete found
      follow(headers[i])
      line = ""
      for (h in found) line = line " " h
      print headers[i] line
    }
  }' "${all[@]}" | awk '{  # sorted, so that equal sets are equal texts
    for (i = 2; i <= NF; i++) for (j = i + 1; j <= NF; j++) if ($j < $i) { t = $i; $i = $j; $j = t }
    print
  }' >"$work/includes"

# Headers that several headers include, precompiled.
precompile() { # NUMBER HEADER...
  local file=$work/$1.h
  shift
  printf '#include <%s>\n' "$@" >"$file"
  "$compiler" "${options[@]}" "${precompiled[@]}" -x c++-header "$file" -o "$file.$ending" 2>"$file.log" || cat "$file.log"
}
cut -d' ' -f2- -s "$work/includes" | sort | uniq -c | awk '$1 >= 5 { $1 = ""; print substr($0, 2) }' >"$work/sets"
number=0
while read -r -a set; do
  number=$((number + 1))
  precompile "$number" "${set[@]}" &
  [ $((number % $(nproc))) -ne 0 ] || wait
done <"$work/sets"
wait

# The precompiled set for each header: the largest one of which it includes all.
awk -v sets="$work/sets" '
  BEGIN { while ((getline line <sets) > 0) { of[++n] = line; size[n] = split(line, unused, " ") } }
  {
    best = 0
    for (s = 1; s <= n; s++) {
      k = split(of[s], set, " ")
      for (i = 1; i <= k; i++) if (index($0 " ", " " set[i] " ") == 0) break
      if (i > k && (!best || size[s] > size[best])) best = s
    }
    print $1, best
  }' "$work/includes" >"$work/plan"
if [ $# -gt 0 ]; then
  printf '%s\n' "$@" | grep -Fxf - <(cut -d' ' -f1 "$work/plan") >"$work/wanted"
  grep -wFf "$work/wanted" "$work/plan" >"$work/some" && mv "$work/some" "$work/plan"
fi

alone() { # HEADER SET
  local before=()
  [ "$2" = 0 ] || before=(-include "$work/$2.h")
  local said
  said=$(printf '#include "%s"\n' "$1" | "$compiler" "${options[@]}" -I. "${before[@]}" -fsyntax-only -x c++ - 2>&1) && return
  printf 'failed in %s: it does not compile alone\n' "$1"
  grep -m 3 -E 'error|fatal' <<<"$said" | sed 's/^/  | /'
}
export -f alone
export work compiler options_text
options_text=$(printf '%q ' "${options[@]}")
# shellcheck disable=SC2016
xargs -P "$(nproc)" -L 1 bash -c 'eval "options=($options_text)"; alone "$1" "$2"' _ <"$work/plan" >"$work/said"
cat "$work/said"
failed=$(grep -c '^failed in ' "$work/said")
echo "$(($(wc -l <"$work/plan") - failed)) passed, $failed failed"
[ "$failed" -eq 0 ]
