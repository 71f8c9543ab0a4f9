#!/usr/bin/env bash
# Formats every C++ file of the repository as .clang-format says. With --check it only names the files that it would change, and
# its last line counts them: "N passed, N failed". Exit codes: 0 all are formatted, 1 some are not, 2 there is no clang-format 14.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
format=
for name in clang-format-14 clang-format; do
  if "$name" --version 2>/dev/null | grep -q 'version 14\.'; then format=$name && break; fi
done
if [ -z "$format" ]; then
  echo "error: clang-format 14 is not installed; other versions wrap lines differently" >&2
  echo "  try: apt-get install clang-format (Debian 12), or pip install clang-format==14.0.6" >&2
  exit 2
fi
mapfile -d '' files < <(git ls-files -z --cached --others --exclude-standard '*.cpp' '*.h')
if [ ${#files[@]} -eq 0 ]; then
  echo "error: git lists no files here" >&2
  echo "0 passed, 1 failed"
  exit 1
fi
case ${1:-} in
  "") printf '%s\0' "${files[@]}" | xargs -0 -P 2 -n 50 "$format" -i ;;
  --check)
    wrong=$(printf '%s\0' "${files[@]}" | xargs -0 -P 2 -n 50 "$format" --dry-run 2>&1 | sed -n 's/^\([^:]*\):[0-9]*:[0-9]*: warning:.*/\1/p' | sort -u)
    count=0
    if [ -n "$wrong" ]; then
      sed 's/^/not formatted: /' <<<"$wrong"
      echo "  try: tests/format.sh"
      count=$(wc -l <<<"$wrong")
    fi
    # One check, however many files, since they are not tests.
    if [ "$count" -eq 0 ]; then echo "1 passed, 0 failed"; else echo "0 passed, 1 failed"; fi
    [ "$count" -eq 0 ]
    ;;
  *) sed -n '2,3s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" && exit 2 ;;
esac
