#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# In a terminal, by tmux: what a person types while a program, a session of
# Lisp or mprof top runs.  Each case waits for what the last key has led to.

. "$(dirname "$0")/../cli/check.bash"
. "$top/tests/everyday/waiting.bash"
unset TMUX "${!MPROF_@}"
export MPROF ECL LC_ALL=C.UTF-8

"${CC:-gcc}" -g -O1 -o program "$top/tests/everyday/program.c" || exit 1

tmux() { command tmux -S "$scratch/socket" -f /dev/null "$@"; }
trap 'tmux kill-server 2>/dev/null; rm -rf "$scratch"' EXIT
# Before it asks for more, the shell writes how the last line has ended.
cat >bashrc <<'END'
PS1=
PROMPT_COMMAND='echo $? >status.new; stty -g >after; mv status.new status'
END
tmux new-session -d -x 100 -y 40 "exec bash --rcfile '$scratch/bashrc'" ||
  exit 1

# line TEXT: types it, and Enter.  key NAME...: presses keys.
line() { tmux send-keys -l "$1" && tmux send-keys Enter; }
key() { tmux send-keys "$@"; }

# screen_has TEXT: whether the terminal shows it.
screen_has() { tmux capture-pane -p | grep -qF -e "$1"; }

# begin NAME COMMAND: in the terminal, in a new folder; leaves $folder.
begin() {
  folder=$scratch/$1
  shift
  mkdir "$folder"
  mkfifo "$folder/go"
  tmux send-keys -R # so that nothing is on the screen
  line "cd '$folder'; stty -g >before; $1"
}

# stopped: until the shell asks for more.
stopped() {
  until_true test -e "$folder/status"
  rm "$folder/status"
}

# ended NAME STATUS CHAINS: how it has, and what its profile has.
ended() {
  until_true test -e "$folder/status"
  same "$1: status" "$2" "$(<"$folder/status")"
  same "$1: the terminal is as it was" "$(<"$folder/before")" \
    "$(<"$folder/after")"
  [ $# = 2 ] || same "$1: chains" "$3" "$(chains "$folder/p.data")"
}

first='main;first;allocate 100'
second='main;second;allocate 100'
run='$MPROF run -o p.data ../program wait'

# ---- a program ----------------------------------------------------------

# running: it waits; leaves $program and $mprof, the processes.
running() {
  until_true test -s "$folder/ready"
  mprof=$(<"$folder/ready")
  program=$(pgrep -P "$mprof")
  until_true are S "$mprof" "$program"
}

begin interrupt "$run"
running
key C-c
ended 'Ctrl-C' 130 "$first"

begin quit "$run"
running
key 'C-\'
ended 'Ctrl-\' 131 "$first"

for stop in 'key C-z' 'kill -STOP $program'; do
  begin "${stop% *}" "$run"
  running
  eval "$stop"
  until_true are T "$mprof" "$program"
  stopped
  line fg
  until_true are S "$mprof" "$program"
  echo >"$folder/go"
  ended "$stop, fg" 3 "$first"$'\n'"$second"
done

begin background "$run &"
running
stopped
line 'kill %'
stopped
until_true is_gone "$mprof"
line 'wait $!'
ended 'in the background' 143 "$first"

# It reads what is typed.
begin reads '$MPROF run -q -o p.data cat >copy'
line 'a line'
until_true test -s "$folder/copy"
key C-d
ended 'a program that reads' 0
same 'what it has read' 'a line' "$(<"$folder/copy")"

# A shell with jobs of its own: Ctrl-C and Ctrl-Z are for these.
begin shell '$MPROF run -q -o p.data bash --norc --noprofile'
# asks: until the shell asks for more.
asks() {
  until_true test -e "$folder/asks"
  rm "$folder/asks"
}
line 'PS1= PROMPT_COMMAND="echo >asks"; mkfifo pipe; echo $$ >shell'
for letter in C-c C-z; do
  asks
  line 'cat pipe'
  until_true pgrep -P "$(<"$folder/shell")" '^cat$' >pids
  key $letter
done
asks
line 'jobs >said; fg'
until_true are S "$(<pids)"
key C-c
asks
line 'exit 5'
ended 'a shell' 5
same 'a shell: its job' '[1]+  Stopped                 cat pipe' \
  "$(<"$folder/said")"

# ---- top ----------------------------------------------------------------

mkdir shown && mkfifo shown/go
(cd shown && exec "$MPROF" run -q -o p.data ../program wait >out) &
until_true test -s shown/ready
top="\$MPROF top ../shown/p.data"
header='in all 1000 bytes, 100 allocs'

begin top-q "$top"
until_true screen_has "$header"
key q
ended 'top, q' 0

begin top-interrupt "$top"
until_true screen_has "$header"
key C-c
ended 'top, Ctrl-C' 0

begin top-stop "$top"
until_true screen_has "$header"
key C-z
stopped
same 'top, Ctrl-Z: the terminal is as it was' "$(<"$folder/before")" \
  "$(<"$folder/after")"
tmux send-keys -R
line fg
until_true screen_has "$header"
key q
ended 'top, Ctrl-Z, fg, q' 0

begin top-resized "$top"
until_true screen_has "$header"
tmux resize-window -x 60 -y 20
until_true screen_has 'q: quit'
key q
ended 'top in a window that changes, q' 0
tmux resize-window -x 100 -y 40
echo >shown/go
wait

# ---- the REPL -----------------------------------------------------------

# lisp NAME: a session that counts and waits in WITH-PROFILING.
lisp() {
  begin "$1" '$ECL --norc'
  line '(require :mprof)'
  line '(defun ready () (close (open "ready" :direction :output)))'
  line '(mprof:with-profiling (:file "p.data" :report nil) (make-list 100) (ready) (loop until (probe-file "on") do (sleep 0.05)) (make-list 200) nil)'
  until_true test -e "$folder/ready"
}

# lists: what the form has allocated itself, without the debugger.
lists() { chains "$folder/p.data" | grep '^profiled body;MAKE-LIST'; }

lisp repl-interrupt
key C-c
until_true screen_has '>>'
line ':q'
line '(print (list :active (getf (mprof:status) :active)))'
until_true screen_has '(:ACTIVE NIL)'
line '(ext:quit 7)'
ended 'Ctrl-C in Lisp, :q' 7
same 'Ctrl-C in Lisp, :q: what it counted' 'profiled body;MAKE-LIST 100' "$(lists)"

lisp repl-continue
key C-c
until_true screen_has '>>'
line ':r1'
: >"$folder/on"
line '(ext:quit 7)'
ended 'Ctrl-C in Lisp, continued' 7
same 'Ctrl-C in Lisp, continued: what it counted' 'profiled body;MAKE-LIST 300' "$(lists)"

lisp repl-stop
key C-z
stopped
line fg
: >"$folder/on"
line '(ext:quit 7)'
ended 'Ctrl-Z in Lisp, fg' 7
same 'Ctrl-Z in Lisp, fg: what it counted' 'profiled body;MAKE-LIST 300' "$(lists)"

# ---- the window is closed ------------------------------------------------

begin close "$run"
running
lisp=$program
tmux kill-server
until_true is_gone "$mprof"
same 'the window is closed: chains' "$first" "$(chains "$folder/p.data")"
finish
