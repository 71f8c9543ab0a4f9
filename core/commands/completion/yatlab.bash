# Completion of yatlab and of its run.sh, for bash. `yatlab completion install bash` puts it where bash finds it.

_yatlab() {
  local IFS=$' \t\n' program=${COMP_WORDS[0]}
  # run.sh builds before it does anything: the program that it built is asked instead, if there is one.
  if [[ $program == *run.sh ]]; then
    local folder=${program%run.sh}
    program=${folder:-./}build/${YATLAB_PRESET:-release}/bin/yatlab
  fi
  program=${program/#\~\//$HOME/}
  type -P -- "$program" >/dev/null || return 0

  # Bash splits words at '=' and ':'; here they are one.
  local words=() word part previous_ends=1 i
  for ((i = 1; i <= COMP_CWORD; i++)); do
    part=${COMP_WORDS[i]}
    if ((i > 1)) && { [[ $part == [=:]* ]] || ((!previous_ends)); } && ((${#words[@]} > 0)); then
      words[${#words[@]}-1]+=$part
    else
      words+=("$part")
    fi
    [[ $part == *[=:] ]] && previous_ends=0 || previous_ends=1
  done
  word=${words[${#words[@]}-1]}

  # What bash replaces begins after the last '=' or ':', or after an open quote.
  local kept='' candidate
  case $word in
    [\"\']*) ;;
    *[=:]*) kept=${word%"${word##*[=:]}"} ;;
  esac
  COMPREPLY=()
  while IFS= read -r candidate; do
    candidate=${candidate%%$'\t'*}
    COMPREPLY+=("${candidate#"$kept"}")
  done < <("$program" complete -- "${words[@]}" 2>/dev/null)
  # What goes on in the same word is not followed by a blank.
  if ((${#COMPREPLY[@]} > 0)) && type -t compopt >/dev/null; then
    for candidate in "${COMPREPLY[@]}"; do
      [[ $candidate == *[=./] ]] && compopt -o nospace 2>/dev/null && break
    done
  fi
  return 0
}
complete -o bashdefault -o default -F _yatlab yatlab run.sh
