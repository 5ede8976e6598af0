#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Progress: a line on standard error once a command takes two seconds, on a
# terminal only, removed before there is output.  The input is a pipe that
# ends after three seconds.
. "$(dirname "$0")/check.bash"

w=$golden/widgets.data
"$MPROF" report --width=0 --color=never "$w" >expected

# on_terminal COMMAND: run it on a terminal of its own; leaves what that gets
# in typed.
on_terminal() {
  script -qec "$1" /dev/null </dev/null >typed
  status=$?
}

late="{ sleep 3; cat '$w'; } |"
cr=$(printf '\r')
line="${cr} *${cr}"

on_terminal "$late $MPROF report --width=0 --color=never /dev/stdin"
[ "$status" = 0 ] && grep -q 'mprof: reading' typed
result $? 'a terminal gets a line'
# Without the lines that were removed, the report is all there is.
sed "s/mprof: [a-z ]*$cr *$cr//g; s/$cr\$//" typed >left
cmp -s expected left
result $? 'which is removed before the report'
[ "$(grep -o "mprof: reading$line" typed | wc -l)" -ge 2 ]
result $? 'and written anew'

on_terminal "$MPROF report --width=0 --color=never '$w'"
[ "$status" = 0 ] && sed "s/$cr\$//" typed | cmp -s expected -
result $? 'nothing when there is no waiting'

on_terminal "$late $MPROF report --width=0 --color=never /dev/stdin 2>errors"
[ "$status" = 0 ] && [ ! -s errors ] &&
  sed "s/$cr\$//" typed | cmp -s expected -
result $? 'nothing when standard error is a file'

{ sleep 3; cat "$w"; } | "$MPROF" report /dev/stdin >out 2>err
[ $? = 0 ] && [ ! -s err ]
result $? 'nothing without a terminal'

on_terminal "{ sleep 3; echo '(defun f ())'; } | $MPROF report /dev/stdin"
[ "$status" = 1 ] && grep -q "${cr} *${cr}mprof: cannot read" typed
result $? 'removed before an error, too'

on_terminal "$late $MPROF merge -o merged /dev/stdin"
[ "$status" = 0 ] && grep -q "mprof: reading$line" typed &&
  [ -z "$(sed "s/mprof: [a-z ]*$cr *$cr//g" typed)" ]
result $? 'a merge leaves nothing on the terminal'

on_terminal "$late $MPROF diff --fail-above=0 '$golden/recursion.data' /dev/stdin >table"
[ "$status" = 3 ] && grep -q "${cr} *${cr}mprof: grew from" typed
result $? 'nor does a comparison but for its finding'

finish
