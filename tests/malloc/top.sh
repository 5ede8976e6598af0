#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# mprof top of a program that allocates when it is told to: by its number, its
# file, and where it serves its profile; until it ends.
. "$(dirname "$0")/told.bash"

# show ARGUMENT...: mprof top writes to the file shown.
show() {
  rm -f shown # what the one before has shown
  "$MPROF" top "$@" >shown 2>top.err 3>&- 4<&- &
  top=$!
}

# await TEXT FILE: until it is there.
await() {
  until grep -q -e "$1" "$2" 2>/dev/null; do sleep 0.02; done
}

begin -q
tell first 1 24
pid=$answer
times=0
for what in "$pid" told.data; do
  show --sort=name "$what"
  await "in all $((times * 52400 + 24)) bytes" shown
  tell first 100 24
  tell other 10 5000
  times=$((times + 1))
  await "in all $((times * 52400 + 24)) bytes, $((times * 110 + 1)) allocs" \
    shown
  same "$what: what functions have in all" \
    "$((times * 2400 + 24)) first $((times * 50000)) other" "$(
      awk '/ first$| other$/ { print $(NF - 1), $NF }' shown | tail -n 2 |
        tr -d , | tr '\n' ' ' | sed 's/ $//')"
  kill $top
  wait $top
  same "$what: it ends when it is told to" 0 $?
done

# On a terminal Ctrl-Z gives it back as it was, and fg shows the table again.
# times N FILE: how often the table is there, until it is N times.
times() {
  until [ "$(grep -c 'q: quit' "$2")" -ge "$1" ]; do sleep 0.02; done
}
cat >shell <<END
set -m
trap : TSTP
stty -a >before
"$MPROF" top told.data
stty -a >stopped
fg %1
stty -a >after
END
{ await 'q: quit' typed
  printf '\032'
  until [ -s stopped ]; do sleep 0.02; done
  times $(($(grep -c 'q: quit' typed) + 1)) typed
  printf q; } |
  timeout 60 script -qfec 'bash shell' /dev/null >typed
same 'Ctrl-Z: the terminal' "$(cat before)" "$(cat stopped)"
same 'q: the terminal' "$(cat before)" "$(cat after)"

show told.data
await 'in all' shown
exec 3>&-
wait $runner
wait $top
same 'it ends with the program' 'mprof: the program has ended' \
  "$(cat top.err)"

# The name of a program tells a terminal nothing.
name=$'told\e]0;t\a\302\233'
mv told "$name"
begin -q
tell first 1 24
show told.data
await 'in all' shown
exec 3>&-
wait $runner $top
same 'controls in the name of a program' \
  "$PWD/told\x1b]0;t\x07\u009b: 0 bytes/s" "$(head -n 1 shown | cut -d, -f1)"

same 'a profile' \
  "mprof: 'told.data' is not the profile of a running program" \
  "$("$MPROF" top told.data 2>&1)"
same 'a program that is not profiled' "mprof: process $$ counts in no file; \
start the program with mprof run, attach by mprof run --pid=$$, or in Lisp \
use the :file of mprof:start" \
  "$("$MPROF" top $$ 2>&1)"
same 'no process' 'mprof: cannot look at process 99999999: No such file or directory' \
  "$("$MPROF" top 99999999 2>&1)"
same 'what it takes' 'mprof: top takes one process or file' \
  "$("$MPROF" top 2>&1 | head -n 1)"
finish
