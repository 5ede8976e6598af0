#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Progress: a line on standard error once a command takes two seconds, on a
# terminal only, removed before there is output.  A timer's signal draws it;
# here that is sent while the input, a named pipe, has nobody who writes yet.
. "$(dirname "$0")/check.bash"

w=$golden/widgets.data
cr=$(printf '\r')
"$MPROF" report --width=0 --color=never "$w" >expected
mkfifo input

# begin COMMAND: run it, which reads the pipe `input', on a terminal of its
# own.  Its process is $pid; what the terminal gets is in typed.
begin() {
  script -qec "sh -c 'echo \$\$ >pid; exec $1'" /dev/null </dev/null >typed &
  script=$!
  exec 3>input # once it is being opened
  pid=$(cat pid)
}

# end INPUT: let it have that, and wait; leaves its status in status.
end() {
  cat "$1" >&3
  exec 3>&-
  wait $script
  status=$?
}

# drawn N: let the line be drawn until it is there for the Nth time.
drawn() {
  for ((i = 0; i < 600; i++)); do
    [ "$(grep -o 'mprof: reading' typed | wc -l)" -lt "$1" ] || return 0
    kill -URG "$pid"
    sleep 0.02
  done
  return 1
}

# has_timer: whether the process would do anything at the signal.
has_timer() {
  (($((0x$(sed -n 's/^SigCgt:\t*//p' "/proc/$pid/status"))) >> 22 & 1))
}

# What is left without the lines that were removed, to standard output.
left() { sed "s/mprof: [a-z0-9 %]*$cr *$cr//g; s/$cr\$//" typed; }

begin "$MPROF report --width=0 --color=never input"
has_timer && drawn 1
result $? 'a terminal gets a line'
drawn 2 && grep -q "mprof: reading$cr *${cr}mprof: reading" typed
result $? 'which is removed and written anew'
end "$w"
[ "$status" = 0 ] && left | cmp -s expected -
result $? 'and removed before the report'

begin "$MPROF report --width=0 --color=never input 2>errors"
! has_timer
result $? 'nothing when standard error is a file'
end "$w"
[ "$status" = 0 ] && [ ! -s errors ] &&
  sed "s/$cr\$//" typed | cmp -s expected -
result $? 'and the report is as it was'

"$MPROF" report input >out 2>err &
pid=$!
exec 3>input
! has_timer
result $? 'nothing without a terminal'
cat "$w" >&3
exec 3>&-
wait $pid && [ ! -s err ]
result $? 'and no message'

echo '(defun f ())' >no-profile
begin "$MPROF report input"
drawn 1
end no-profile
[ "$status" = 1 ] && grep -q "${cr} *${cr}mprof: cannot read" typed
result $? 'removed before an error, too'

# An alarm, such as timeout -s ALRM sends, still ends it.
begin "$MPROF report input"
drawn 1
kill -ALRM "$pid"
exec 3>&-
wait $script
[ $? = 142 ]
result $? 'an alarm is not taken for it'

# Nor does a terminal stop it in the background, as it stops who writes there.
rm pid
timeout 60 script -qec "bash -mc 'stty tostop; $MPROF report input >table &
  echo \$! >pid; wait \$!'" /dev/null </dev/null >typed &
script=$!
exec 3>input
until pid=$(cat pid) && [ -n "$pid" ] && has_timer; do sleep 0.02; done 2>err
kill -URG "$pid"
until grep -q '^State:.*[ST] (' "/proc/$pid/status" &&
  grep -q '^ShdPnd:.*0000000000000000' "/proc/$pid/status"; do
  sleep 0.02
done
end "$w"
[ "$status" = 0 ] && ! grep -q 'mprof: reading' typed && [ -s table ]
result $? 'no line in the background'

begin "$MPROF merge -o merged input"
drawn 1
end "$w"
[ "$status" = 0 ] && grep -q "mprof: reading$cr *$cr" typed &&
  [ -z "$(left)" ]
result $? 'a merge leaves nothing on the terminal'

begin "$MPROF diff --limit-growth=0 $golden/recursion.data input >table"
drawn 1
end "$w"
[ "$status" = 3 ] && grep -q "${cr} *${cr}mprof: grew from" typed
result $? 'nor does a comparison but for its finding'

finish
