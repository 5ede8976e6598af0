#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Progress: a line on standard error once a command takes two seconds, on a
# terminal only, removed before there is output.  The input is a pipe; where a
# line is to come, the pipe waits for it, and else for three seconds.
. "$(dirname "$0")/check.bash"

w=$golden/widgets.data
"$MPROF" report --width=0 --color=never "$w" >expected

# on_terminal COMMAND: run it on a terminal of its own; leaves what that gets
# in typed.
on_terminal() {
  script -qec "$1" /dev/null </dev/null >typed
  status=$?
}

cr=$(printf '\r')
line="${cr} *${cr}"
late="{ sleep 3; cat '$w'; } |"

# when-drawn N COMMAND...: run COMMAND once the line has been removed N times,
# and written anew; after a minute in any case.
cat >when-drawn <<E
#!/bin/sh
n=\$1
shift
for i in \$(seq 600); do
  [ "\$(grep -o 'mprof: reading$line' typed | wc -l)" -lt "\$n" ] || break
  sleep 0.1
done
exec "\$@"
E
chmod +x when-drawn

on_terminal "./when-drawn 2 cat '$w' |
  $MPROF report --width=0 --color=never /dev/stdin"
[ "$status" = 0 ] && grep -q 'mprof: reading' typed
result $? 'a terminal gets a line'
# Without the lines that were removed, the report is all there is.
sed "s/mprof: [a-z0-9 %]*$cr *$cr//g; s/$cr\$//" typed >left
cmp -s expected left
result $? 'which is removed before the report'
[ "$(grep -o "mprof: reading$line" typed | wc -l)" -ge 2 ]
result $? 'and written anew'

# On a busy machine that, too, can take two seconds: then it does not count.
for ((i = 0; i < 20; i++)); do
  began=${EPOCHREALTIME/./}
  on_terminal "$MPROF report --width=0 --color=never '$w'"
  [ $((${EPOCHREALTIME/./} - began)) -ge 2000000 ] || break
done
[ "$status" = 0 ] && sed "s/$cr\$//" typed | cmp -s expected -
result $? 'nothing when there is no waiting'

on_terminal "$late $MPROF report --width=0 --color=never /dev/stdin 2>errors"
[ "$status" = 0 ] && [ ! -s errors ] &&
  sed "s/$cr\$//" typed | cmp -s expected -
result $? 'nothing when standard error is a file'

{ sleep 3; cat "$w"; } | "$MPROF" report /dev/stdin >out 2>err
[ $? = 0 ] && [ ! -s err ]
result $? 'nothing without a terminal'

on_terminal "./when-drawn 1 echo '(defun f ())' | $MPROF report /dev/stdin"
[ "$status" = 1 ] && grep -q "${cr} *${cr}mprof: cannot read" typed
result $? 'removed before an error, too'

on_terminal "./when-drawn 1 cat '$w' | $MPROF merge -o merged /dev/stdin"
[ "$status" = 0 ] && grep -q "mprof: reading$line" typed &&
  [ -z "$(sed "s/mprof: [a-z0-9 %]*$cr *$cr//g" typed)" ]
result $? 'a merge leaves nothing on the terminal'

on_terminal "./when-drawn 1 cat '$w' |
  $MPROF diff --fail-above=0 '$golden/recursion.data' /dev/stdin >table"
[ "$status" = 3 ] && grep -q "${cr} *${cr}mprof: grew from" typed
result $? 'nor does a comparison but for its finding'

finish
