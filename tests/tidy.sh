#!/usr/bin/env bash
# Runs clang-tidy to find code that compiles but is wrong or wasteful, with the checks in .clang-tidy. The last line counts files:
# "N passed, N failed".
#
#   tests/tidy.sh [FILE...]    .cpp files; without them, those of core/ that include nothing of LibTorch, whose headers take long
#   tests/tidy.sh --eighth     of these, the files changed in the last four commits, and one eighth of the rest, another one at each commit
#
# It needs Debian 12's clang-tidy, 14 (later versions have other findings), and a configured build folder, build/release or that of
# YATLAB_PRESET, whose options it uses. Files of one folder are compiled together, as in a release build, so that headers are parsed once.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 2
broken() { echo "failed in tidy: $1"; echo "0 passed, 1 failed"; exit 1; }
commands=build/${YATLAB_PRESET:-release}/compile_commands.json
[ -f "$commands" ] || broken "there is no $commands: ./run.sh configures one"
tidy=$(command -v clang-tidy-14 || command -v clang-tidy) || broken "there is no clang-tidy 14: apt-get install clang-tidy (Debian 12)"
"$tidy" --version | grep -q 'version 14\.' || broken "$tidy is not version 14"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Files that include LibTorch's headers, directly or through our own.
needs_torch() {
  local found more
  found=$(grep -rlE '^#include <(ATen|torch|c10)/' core plugins)
  while more=$(grep -rlF "$(sed 's/.*/#include "&"/' <<<"$found")" core plugins | sort -u <(echo "$found") -); [ "$more" != "$found" ]; do found=$more; done
  echo "$found"
}
files=("$@")
case ${1:-} in "" | --eighth) mapfile -t files < <(find core -name '*.cpp' ! -path 'core/ops/cuda/*' | grep -vxF "$(needs_torch)" | sort) ;; esac
if [ "${1:-}" = --eighth ]; then
  part=$((16#$(git rev-parse HEAD | cut -c1-6) % 8)) all=${#files[@]}
  mapfile -t files < <({
    git diff --name-only HEAD~4 -- 'core/*.cpp' 2>/dev/null | grep -xF "$(printf '%s\n' "${files[@]}")"
    printf '%s\n' "${files[@]:$((all * part / 8)):$((all * (part + 1) / 8 - all * part / 8))}"  # neighbours, which are read together
  } | sort -u)
fi
for file in "${files[@]}"; do [ -f "$file" ] || broken "there is no file $file"; done

# Twenty files of a folder as one unit.
printf '%s\n' "${files[@]}" | awk -v work="$work" -v here="$PWD" '
  {
    name = $0; sub("/[^/]*$", "", name); gsub("/", "_", name)
    if (/(light_main|full_program)[.]cpp$/) name = name "_light"  # another program
    n = count[name]++; name = name "_" int(n / 20)
    print "#include \"" here "/" $0 "\"" >(work "/" name ".cpp")
  }'
mapfile -t options < <(grep -oE '(-isystem +|-I|-D|-std=)[^ ]+' "$commands" | sed -E 's/^-isystem +/-isystem/; s/\\"/"/g; s/\\\\"/"/g' | awk '!seen[$0]++')
printf '%s\0' "$work"/*.cpp | xargs -0 -P "$(nproc)" -I{} \
  "$tidy" --quiet --config-file=.clang-tidy --header-filter="^$PWD/(core|plugins)/" {} -- "${options[@]}" -w >"$work/said" 2>"$work/errors"
status=$?
sed -i "s|$PWD/||g" "$work/said"

# A finding in a header counts once, however many files include it.
failed=$(sed -nE 's/^([^ :]+):[0-9]+:[0-9]+: (warning|error): .*/\1/p' "$work/said" | sort -u)
[ -z "$failed" ] || sed -E 's/^([^ :]+:[0-9]+):[0-9]+: (warning|error): /failed in \1: /' "$work/said"
[ "$status" -eq 0 ] || [ -n "$failed" ] || { cat "$work/errors" && broken "clang-tidy ended with an error"; }
number=$([ -z "$failed" ] && echo 0 || wc -l <<<"$failed")
passed=$(printf '%s\n' "${files[@]}" | grep -cvxF "${failed:-none}")
echo "$passed passed, $number failed"
[ "$number" -eq 0 ]
