# Completion of yatlab and of its run.sh, for fish. `yatlab completion install fish` puts it where fish finds it.

function __yatlab_candidates
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    # run.sh builds before it does anything: the program that it built is asked instead, if there is one.
    if string match -q -- '*run.sh' $program
        set -l preset release
        set -q YATLAB_PRESET; and set preset $YATLAB_PRESET
        set program (string replace -r -- 'run\.sh$' '' $program)build/$preset/bin/yatlab
        string match -q -- 'build/*' $program; and set program ./$program
    end
    set program (string replace -r -- '^~/' $HOME/ $program)
    command -q -- $program; or return
    command $program complete -- $words[2..-1] "$current" 2>/dev/null
end

for name in yatlab run.sh
    complete -c $name -f -k -a '(__yatlab_candidates)'
end
