#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# On a terminal of 90 columns names are cut and headings bold, and only there.
. "$(dirname "$0")/check.bash"

terminal() { # COMMAND...
  script -qec "stty cols 90; $*" /dev/null </dev/null | tr -d '\r' >out
}
long=$golden/long.data
bold=$(printf '\033[1m')
red=$(printf '\033[31m')
run report --tables=direct --no-legend "$long"
cp out plain
says_not 'names are whole on a pipe' '…'
says_not 'no colors on a pipe' "$bold"
TERM=xterm terminal "$MPROF" report --tables=direct --no-legend "$long"
says 'a title in bold' "${bold}DIRECT ALLOCATION"
says 'heavy rows are marked' "$red"
says 'names are cut on a terminal' '…'
[ "$(sed 's/\x1b\[[0-9]*m//g' out | LC_ALL=C.UTF-8 wc -L)" = 90 ]
result $? 'to the width of the terminal'
TERM=xterm terminal "$MPROF" report --tables=graph --no-legend "$long"
[ "$(sed 's/\x1b\[[0-9]*m//g' out | LC_ALL=C.UTF-8 wc -L)" -le 90 ]
result $? 'columns are left out where cut names do not suffice'
says 'and it says which' 'Columns for which there is no room: frac'
TERM=xterm NO_COLOR=1 terminal "$MPROF" report --width=0 --tables=direct \
  --no-legend "$long"
cmp -s out plain
result $? 'neither is wanted'
TERM=xterm terminal "$MPROF" report --color=never --width=0 --tables=direct \
  --no-legend "$long"
cmp -s out plain
result $? 'the same by options'
TERM=dumb COLUMNS=400 terminal "$MPROF" report --tables=direct --no-legend \
  "$long"
cmp -s out plain
result $? 'a simple terminal, and a wide one'
TERM=xterm terminal "$MPROF" report --tables=direct --no-legend -o file "$long"
cmp -s file plain
result $? 'nothing of it in a file'
expect 'colors and cuts on request' 0 '' \
  report --color=always --width=60 --tables=direct --no-legend "$long"
says 'bold' "$bold"
says 'cut' '…'

finish
