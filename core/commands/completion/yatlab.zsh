#compdef yatlab run.sh
# Completion of yatlab and of its run.sh, for zsh. `yatlab completion install zsh` puts it where zsh finds it.

_yatlab() {
  local program=${(Q)words[1]} line candidate
  # run.sh builds before it does anything: the program that it built is asked instead, if there is one.
  [[ $program == *run.sh ]] && program=${program%run.sh}build/${YATLAB_PRESET:-release}/bin/yatlab
  [[ $program == build/* ]] && program=./$program
  program=${~program}
  whence -p -- "$program" >/dev/null || { _default; return }

  local -a going ending going_shown ending_shown
  while IFS= read -r line; do
    candidate=${line%%$'\t'*}
    if [[ $candidate == *[=./] ]]; then
      going+=("$candidate")
      going_shown+=("${line/$'\t'/  -- }")
    else
      ending+=("$candidate")
      ending_shown+=("${line/$'\t'/  -- }")
    fi
  done < <("$program" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)
  (( ${#going} + ${#ending} )) || { _default; return }
  (( ${#going} )) && compadd -S '' -l -d going_shown -a going
  (( ${#ending} )) && compadd -l -d ending_shown -a ending
  return 0
}

if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _yatlab "$@"
else
  compdef _yatlab yatlab run.sh
fi
