#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Exports, against figures known by hand.  What chains are left, left.sh has, and
# whole exports golden.sh.
. "$(dirname "$0")/check.bash"

w=$golden/widgets.data
m=$golden/mixture.data
r=CL-USER::RUN

expect 'folded, two files' 0 '' export --format=folded "$w" "$w"
[ "$(awk '{ sum += $NF } END { print sum, NR }' out)" = '960000 2' ]
result $? 'folded: equal chains of two files are one line'
expect 'folded, nothing selected' 1 'mprof: nothing matches --focus=NOWHERE' \
  export --format=folded -o nothing.folded --focus=NOWHERE "$w"
[ ! -e nothing.folded ]
result $? 'folded: nothing selected, no file'
expect 'folded, hidden' 0 '' export --format=folded --hide=RED --hide=BLUE "$w"
says 'the last --hide counts' "$r;CL-USER::MAKE-WIDGET 240000"

expect 'lisp, one table' 0 '' export --format=lisp --tables=arcs "$m"
[ "$(grep -c '^ :' out)" = 3 ] && grep -q '^ :arcs' out
result $? 'lisp: with --tables, the language, the table and the comments'

# A profile that was exported has the tables of the one it was made of.
from_tables='/^[A-Z][A-Z ()]*$/,$p'
# again NAME FILE OPTION...: with the options for the export, and for both
# reports those of the runtime and the root.
again() {
  local name=$1 file=$2 both=()
  shift 2
  for option; do
    case $option in --system=[rs]*) both+=("$option") ;; esac
  done
  run report -verbose --no-legend --tables="$tables" "$@" "$file"
  sed -n "$from_tables" out >expected
  expect "pprof, $name" "$status" "$(cat err)" \
    export --format=pprof -o again.pb.gz "$@" "$file"
  [ "$status" = 0 ] || return
  run report -verbose --no-legend --tables="$tables" "${both[@]}" again.pb.gz
  sed -n "$from_tables" out | diff expected - >err
  result $? "pprof: the same tables, $name"
}
for file in "$golden"/*.data; do
  name=$(basename "$file" .data)
  tables=leaks,phases,threads,direct,types,type-functions,function-types
  tables=$tables,graph,bins,reconciliation
  again "$name" "$file"
  again "$name with the runtime" "$file" --system=show
  again "$name with the root" "$file" --system=root
  case $name in session | two-cycles | mixture | phases | live) ;; *) continue ;; esac
  tables=${tables%,reconciliation} # of the whole file, whatever is selected
  again "$name hidden" "$file" '--hide=A|SCALE|LOAD'
  again "$name focused" "$file" '--focus=A|SCALE'
  again "$name without some" "$file" '--ignore=B|EVAL' --system=root
  again "$name by phase" "$file" --phase=load,run
  again "$name by thread" "$file" --thread=worker
  again "$name grouped" "$file" --by=package
  again "$name, some shown" "$file" '--show=A|SCALE'
  again "$name from some on" "$file" '--show-from=A$|B|SCALE'
done
tables=direct,graph
again 'two files' "$w" "$m"

# names FILE: the functions that FILE says have unknown calls.
names() {
  run export --format=json "$1"
  sed -n 's/.*"key":"mprof.calls_unknown","value":"\([^"]*\)".*/\1/p' out |
    sort | paste -s -d ' '
}
u=$golden/unknown-calls.data
run export --format=json "$u"
for count in activations:4 calls:12 inside_calls:2; do
  [ "$(grep -o "\"${count%:*}\":null" out | wc -l)" = "${count#*:}" ]
  result $? "unknown ${count%:*} in JSON"
done
says 'JSON: calls that are known' '"caller":2,"callee":3,"calls":40,'
run export --format=json "$m"
says 'JSON: the types of a size' '"names":"CONS, DOUBLE-FLOAT"'
run export --format=callgrind "$u"
[ "$(grep -c '^calls=1 ' out)" = 8 ] && ! grep -q '^calls=0 ' out
result $? 'callgrind: called once'
[ "$(names "$u")" = 'copy each sort start visit' ]
result $? 'unknown calls: five functions'
for left in ':each sort start visit' '--hide=sort:each start visit' \
  '--system=show:copy each sort start visit' '--by=package:[C]' \
  '--focus=READ:'; do
  # shellcheck disable=SC2086
  run export --format=pprof -o again.pb.gz ${left%%:*} "$u"
  [ "$(names again.pb.gz)" = "${left#*:}" ]
  result $? "unknown calls: those that are left, ${left%%:*}"
done

# The format by the name of the file.
for pair in folded:folded collapsed:folded lisp:lisp sexp:lisp pb.gz:pprof \
  pprof:pprof data:pprof callgrind:callgrind callgrind.out:callgrind dot:dot \
  gv:dot speedscope.json:speedscope json:json csv:csv; do
  expect "-o x.${pair%:*}" 0 '' export -o "x.${pair%:*}" "$m"
  run export --format="${pair#*:}" "$m"
  cmp out "x.${pair%:*}" 2>err
  result $? "x.${pair%:*} is ${pair#*:}"
done
expect 'suppressions' 0 '' export -o x.supp "$golden/regions.data"
run export --format=suppressions "$golden/regions.data"
cmp out x.supp 2>err
result $? 'x.supp is suppressions'
expect 'what has no chain cannot be suppressed' 0 '' \
  export --format=suppressions "$top/tests/fuzz/heap-v2-text.data"
expect 'suppressions of Lisp' 1 "mprof: --format=suppressions: the profile \
does not record what was never freed" export -o y.supp "$m"
expect '--format counts' 0 '' export --format=csv -o x.json "$m"
grep -q '^function,self_bytes' x.json
result $? 'whatever the name of the file'
expect 'no ending' 2 \
  "mprof: the name 'dot' does not imply a format; use --format=FORMAT" \
  export -o dot "$m"
expect 'an unknown ending' 2 \
  "mprof: the name 'x.xls' does not imply a format; use --format=FORMAT" \
  export -o x.xls "$m"
expect 'a picture' 2 'mprof: use mprof graph to draw the call graph as SVG' \
  export -o x.svg "$m"
expect 'no such table' 2 "mprof: --tables takes functions, arcs, \
types, contexts, bins, regions, phases, threads or advice, not 'direct'" \
  export --format=csv --tables=direct "$m"

# csv TABLE LINE...: the table of $w is these lines.
csv() {
  local table=$1
  shift
  run export --format=csv --tables="$table" "$w"
  printf '%s\r\n' "$@" | diff - out >err
  result $? "csv, $table"
}
n=CL-USER::
csv types 'category,type,class,bytes,allocations' \
  "\"struct\",\"INSTANCE\",\"${n}WIDGET\",480000,10000"
csv bins 'size,category,type,class,bytes,allocations' \
  "48,\"struct\",\"INSTANCE\",\"${n}WIDGET\",480000,10000"
csv regions "region,bytes,allocations,\"cons\",\"float\",\"struct\",\
\"other\",entered,nanoseconds,first_entered,last_left,held_bytes"
csv phases 'phase,bytes,allocations,"cons","float","struct","other"' \
  '"run",480000,10000,0,0,480000,0'
csv threads 'thread,bytes,allocations,"cons","float","struct","other"' \
  '"[unnamed]",480000,10000,0,0,480000,0'

# A spreadsheet takes no name for a formula, and quotes are doubled.
for name in '=F' +F -F @F@1 "'F" 'F"G' F; do
  printf 'profile p lisp\ncons 1: %s\n' "$name" >text
  "$BUILD/tests/write_profile" text p p.data
  run export --format=csv p.data
  sed -n 's/^"\(.*\)",16,1,.*/\1/p' out
done >found
printf '%s\n' "'=F" "'+F" "'-F" "'@F" "''F" 'F""G' F | diff - found >err
result $? 'csv: no cell is a formula'

# X is called and does not allocate, so it is on no chain of the focus.  Calls
# below it count for the context that is left, as they do for C and for B -> C;
# and a profile of what is left has the same tables.
printf 'profile p lisp\ncons 2: A;B;C\ncalls 2: A;B;C\ncalls 5: A;X;B;C\n' >text
"$BUILD/tests/write_profile" text p p.data
run export --format=pprof --focus=C -o left.data p.data
for options in '--focus=C p.data' left.data; do
  for table in functions arcs contexts; do
    # shellcheck disable=SC2086 # words are options
    run export --format=csv --tables=$table $options
    cat out
  done >"${options##* }.csv"
done
sed -n 's/^"C",32,2,32,2,\([0-9]*\),.*/\1/p; s/^"B","C",\([0-9]*\),.*/\1/p
  s/^"A;B;C",32,2,\([0-9]*\)\r/\1/p' p.data.csv >found
printf '%s\n' 7 7 7 | diff - found >err && diff p.data.csv left.data.csv >err
result $? 'calls of functions, arcs and contexts are by one rule'

# A function of a cycle that also starts chains: the root of all calls both.
expect 'callgrind' 0 '' export --format=callgrind "$golden/two-cycles.data"
sed '1,/^summary/d; /^$/d' out >blocks
printf '%s\n' 'fl=(1) ???' 'fn=(1) <root>' '0 0 0' \
  'cfl=(1)' 'cfn=(2) A' 'calls=2 0' '0 32 2' \
  'cfl=(1)' 'cfn=(3) MAIN' 'calls=1 0' '0 304 19' \
  'fl=(1)' 'fn=(2)' '0 48 3' \
  'cfl=(1)' 'cfn=(4) B' 'calls=5 0' '0 240 15' \
  'cfl=(1)' 'cfn=(5) C' 'calls=7 0' '0 192 12' \
  'fl=(1)' 'fn=(3)' '0 0 0' | diff - <(head -n 25 blocks) >err
result $? 'callgrind: calls and costs of arcs'
[ "$(grep '^totals:' out) $(grep '^summary:' out)" = \
  'totals: 336 21 summary: 336 21' ]
result $? 'callgrind: totals'

# Small functions and arcs are not drawn, and the caption says so.
expect 'dot, large ones' 0 '' export --format=dot --min-percent=50 "$m"
[ "$(grep -c '^n[0-9]* \[' out) $(grep -c -- '->' out)" = '3 2' ] &&
  grep -q 'left_out_functions=5 left_out_bytes=1584 left_out_arcs=4' out
result $? 'dot: functions and arcs of 50 %'
expect 'dot, two' 0 '' export --format=dot --limit=2 "$m"
[ "$(grep -c '^n[0-9]* \[' out)" = 2 ]
result $? 'dot: two functions'

# What ../formats has of dot are figures and text.
run export --format=dot "$u"
says 'dot: colours by what a function itself has' ' fillcolor="0.05 0.533 1.0"'
says 'dot: widths by bytes' ' 40 calls " penwidth=3.132 weight=54'
[ "$(sed -n 's/ \[.* style=dashed$//p' out | tr '\n' ' ')" = \
  'n5 -> n6 n6 -> n5 n7 -> n8 n8 -> n7 ' ]
result $? 'dot: arcs in a cycle are dashed'

# mprof graph, with programs that stand for Graphviz's dot.
mkdir bin
path=$PATH
# dot COMMAND: the program dot does that.
dot() {
  printf '#!/bin/sh\n%s\n' "$1" >bin/dot
  chmod +x bin/dot
  PATH=$PWD/bin:$path
}
expect 'dot' 0 '' export --format=dot "$w"
cp out expected
dot 'cat; echo "$@"'
echo -Tsvg >>expected
expect 'graph' 0 '' graph "$w"
cmp -s out expected
result $? 'graph: dot gets the graph, and what it says is written'
for kind in svg png pdf; do
  expect "graph, $kind" 0 '' graph -o "x.$kind" "$w"
  [ "$(tail -n 1 "x.$kind")" = "-T$kind" ]
  result $? "graph: $kind"
done
echo old >x.svg
dot 'cat >/dev/null; echo new; echo "no room" >&2; exit 3'
expect 'dot fails' 1 'mprof: dot: no room' graph -o x.svg "$w"
[ "$(cat x.svg)" = old ] && [ "$(echo x.svg*)" = x.svg ]
result $? 'graph: the old file is intact'
dot 'kill -9 $$'
expect 'dot is killed' 1 'mprof: dot: it failed without a message' \
  graph -o x.svg "$w"
dot 'exec head -c 10000000 /dev/zero'
run graph -o /dev/full "$w"
[ "$status $(cat err)" = \
  "1 mprof: cannot write '/dev/full': No space left on device" ]
result $? 'graph: full disk'
rm bin/dot
PATH=$PWD/bin "$MPROF" graph -o x.svg "$w" >out 2>err
status=$?
PATH=$path
[ "$status $(cat err)" = "1 mprof: drawing requires Graphviz; install the \
package graphviz, which has the program dot" ] && [ "$(cat x.svg)" = old ]
result $? 'graph: says what to install'

# More names than the table of names begins with, twice.
{ echo profile p lisp && printf 'cons 1: F%d\n' {1..300}; } >text
"$BUILD/tests/write_profile" text p p.data
expect 'heap: nothing is left of a profile and itself' 0 '' \
  export --format=heap --base=p.data -o heap.pb.gz p.data
expect 'and of it and another' 0 '' \
  export --format=heap --base="$m" -o heap.pb.gz p.data

for i in 1 2 3; do run export --format=lisp "$m"; cp out "again$i"; done
cmp -s again1 again2 && cmp -s again2 again3
result $? 'output is the same each time'
finish
