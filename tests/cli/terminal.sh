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
says 'and it says which' 'No room for the columns: frac'
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
! grep -qF -e '…' -e "$bold" out
result $? 'a simple terminal, and a wide one'
TERM=xterm terminal "$MPROF" report --tables=direct --no-legend -o file "$long"
cmp -s file plain
result $? 'nothing of it in a file'
expect 'colors and cuts on request' 0 '' \
  report --color=always --width=60 --tables=direct --no-legend "$long"
says 'bold' "$bold"
says 'cut' '…'

# What nobody can read there is not written there.
for command in flamegraph graph 'export --format=pprof' 'merge -o -'; do
  # shellcheck disable=SC2086
  terminal "$MPROF" $command "$long"
  [ "$(head -n 1 out)" = 'mprof: a terminal cannot show this; add -o OUT' ] &&
    [ "$(wc -l <out)" = 2 ]
  result $? "$command is not for a terminal"
done
terminal "$MPROF" export --format=folded "$long"
says 'a text is' ';'

# Tables and what is said below them fit into lines of 80 characters.
width() { tail -n "+$1" out | LC_ALL=C.UTF-8 wc -L; }
all=$(run help report
  sed -n '/^Tables/,$s/^  \([a-z-]*\)  .*/\1/p' out |
  grep -vxE 'reconciliation|advice' | paste -sd,)
for name in live held lines widgets-c; do
  run report --width=80 --tables="$all" "$golden/$name.data"
  [ "$(width 5)" -le 80 ]
  result $? "tables of $name are 80 characters wide"
done
for pair in 'live-before live' 'recursion-c lines' 'mixture long'; do
  # shellcheck disable=SC2086
  run diff --width=80 "$golden"/${pair% *}.data "$golden/${pair#* }.data"
  [ "$(width 6)" -le 80 ]
  result $? "comparisons are, too: $pair"
done
run diff --width=60 "$golden/live-before.data" "$golden/live.data"
says 'what there is no room for' \
  'No room for the columns: allocs, live bytes, calls.'
[ "$(width 6)" -le 60 ]
result $? 'lines below the tables fit, too'
run diff --width=60 --sort=allocs "$golden/live-before.data" \
  "$golden/live.data"
says 'the column that rows are sorted by stays' \
  'No room for the columns: live bytes, calls.'

finish
