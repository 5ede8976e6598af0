#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Exports, against figures known by hand.
. "$(dirname "$0")/check.bash"

w=$golden/widgets.data
m=$golden/mixture.data
r=CL-USER::RUN

expect 'folded bytes' 0 '' export --format=folded "$w"
printf '%s\n' \
  "$r;CL-USER::MAKE-BLUE-WIDGET;CL-USER::MAKE-WIDGET 240000" \
  "$r;CL-USER::MAKE-RED-WIDGET;CL-USER::MAKE-WIDGET 240000" | cmp -s - out
result $? 'folded: a line a chain, sorted'
expect 'folded allocations' 0 '' export --format=folded --value=allocs "$w"
printf '%s\n' \
  "$r;CL-USER::MAKE-BLUE-WIDGET;CL-USER::MAKE-WIDGET 5000" \
  "$r;CL-USER::MAKE-RED-WIDGET;CL-USER::MAKE-WIDGET 5000" | cmp -s - out
result $? 'folded: allocations'
expect 'folded types' 0 '' export --format=folded --types "$w"
[ "$(head -n 1 out)" = "$r;CL-USER::MAKE-BLUE-WIDGET;CL-USER::MAKE-WIDGET;CL-USER::WIDGET 240000" ]
result $? 'folded: the class is the last frame'
s=$golden/session.data
expect 'folded, a profiled body' 0 '' export --format=folded "$s"
[ "$(head -n 1 out)" = 'APP::BODY 160' ] && grep -qxF '[session] 48' out
result $? 'folded: chains begin below the root'
awk '{ sum += $NF } END { exit sum != 656 }' out
result $? 'folded: nothing is lost by that'
expect 'folded, with its callers' 0 '' \
  export --format=folded --show-root "$s"
grep -qxF 'TOP;EVAL;MPROF::CALL-COUNTING 48' out
result $? 'folded: chains in full'
expect 'lisp, a profiled body' 0 '' export --format=lisp "$s"
says_not 'lisp: chains begin below the root' '"TOP"'
expect 'folded growth' 0 '' export --format=folded --value=allocs --types "$m"
says 'growth is no allocation' 'RUN;PARSE;INTERN-ALL;HASH-TABLE 1'
expect 'folded runtime' 0 '' export --format=folded --show-runtime "$m"
says 'runtime frames' 'RUN;PARSE;cl_list 160'
says 'chains of runtime frames only' 'start_thread;boot 8'
[ "$(wc -l <out)" = 7 ]
result $? 'names with newlines stay on one line'
awk '{ sum += $NF } END { exit sum != 6944 }' out
result $? 'folded: the sum is the total'
expect 'folded, two files' 0 '' export --format=folded "$w" "$w"
[ "$(awk '{ sum += $NF } END { print sum, NR }' out)" = '960000 2' ]
result $? 'folded: equal chains of two files are one line'
expect 'folded, nothing selected' 0 '' \
  export --format=folded --focus=NOWHERE "$w"
[ ! -s out ]
result $? 'folded: nothing selected, no line'
expect 'folded, hidden' 0 '' export --format=folded --hide=RED --hide=BLUE "$w"
says 'the last --hide counts' "$r;CL-USER::MAKE-WIDGET 240000"

expect 'lisp' 0 '' export --format=lisp "$m"
says 'functions' '(:name "PARSE" :self-allocations 10 :self-bytes 160'
says 'escapes' '(FLET |a;b\\c d| :IN PARSE)'
says 'comments' '("mprof.bytes" . "6944")'
[ "$(tr -cd '(' <out | wc -c)" = "$(tr -cd ')' <out | wc -c)" ]
result $? 'parentheses match'
for i in 1 2 3; do run export --format=lisp "$m"; cp out "again$i"; done
cmp -s again1 again2 && cmp -s again2 again3
result $? 'output is the same each time'
finish
