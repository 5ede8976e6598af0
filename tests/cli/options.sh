#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Options: what each does, and what is said about wrong ones.
. "$(dirname "$0")/check.bash"

w=$golden/widgets.data
m=$golden/mixture.data
x=$golden/two-cycles.data

expect 'no command' 2 'mprof: no command given'
expect 'unknown command' 2 \
  "mprof: unknown command 'reprot'; did you mean report?" reprot "$w"
expect 'unknown option' 2 \
  "mprof: unknown option '--lmit=3'; did you mean --limit?" report --lmit=3
expect 'a command of another profiler' 2 \
  "mprof: unknown command 'annotate'; did you mean report --by=line?" \
  annotate "$w"
expect 'options of another profiler' 2 \
  "mprof: unknown option '--output=x.html'; did you mean -o?" \
  flamegraph --output=x.html "$w"
expect 'an option of one letter of another profiler' 2 \
  "mprof: unknown option '-n'; did you mean --limit?" report -n 3 "$w"
expect 'unknown option before a command' 2 "mprof: unknown option '-q'" -q
expect 'option of another command' 2 \
  "mprof: unknown option '--types'; did you mean --type?" \
  report --types "$w"
tables='advice, leaks, regions, phases, threads, direct, peak, temporary, types, '\
'type-functions, function-types, graph, held, bins and '\
'reconciliation'
expect 'unknown table' 2 "mprof: --tables takes $tables, not 'leak'; did you \
mean leaks?" \
  report --tables=bins,leak,graph "$w"
expect 'empty list of tables' 2 "mprof: --tables takes $tables, not ''" \
  report --tables= "$w"
expect 'unknown format' 2 "mprof: --format takes folded, html, lisp, \
pprof, heap, callgrind, dot, speedscope, json, csv or \
suppressions, not \
'jpeg'" export --format=jpeg "$w"
expect 'no file' 2 "mprof: -o takes a file, not ''" report -o '' "$w"
# help lists the same words
for option in 'export --value' 'report --sort' 'report --by' 'report --phase'
do
  run ${option% *} "${option#* }=nonsense"
  words=$(sed -n "s/.* takes \(.*\), not 'nonsense'/\1/p" err)
  run help ${option% *}
  [ -n "$words" ] && grep -qE -e "^  ${option#* }=[A-Z]* .* $words\$" out
  result $? "help on $option lists $words"
done
expect 'missing format' 2 'mprof: no format given; use --format=FORMAT' \
  export "$w"
# An option that the format takes no notice of.
while IFS='|' read -r option wanted formats; do
  for format in folded html lisp pprof heap callgrind dot speedscope json csv \
      suppressions; do
    case " $formats " in *" $format "*) continue ;; esac
    expect "$option with $format" 2 \
      "mprof: ${option%%=*} is $wanted$format" \
      export --format=$format "$option" "$w"
  done
done <<'END'
--tables=bins|for csv and lisp, not for |csv lisp
--frames=types|for folded, not for |folded
--min-percent=3|for dot, not for |dot
--limit=3|for dot, not for |dot
--suppressions=none|for html and suppressions, not for |html suppressions
--no-source|for html, not for |html
--rules=no|for html, json, lisp and csv, not for |html json lisp csv
END
for option in --value=allocs --hide=A --show=A --system=show --by=line; do
  expect "${option%%=*} with suppressions" 2 \
    "mprof: ${option%%=*} is not for suppressions" \
    export -o x.supp "$option" "$w"
done
for arguments in 'help report --limit=3' '--version --limit=3'; do
  expect "$arguments" 2 \
    "mprof: ${arguments%% *} does not take '--limit=3'" $arguments
done
expect 'missing value' 2 "mprof: option '--limit' requires a value" \
  report --limit
expect 'value that does not belong' 2 \
  "mprof: option '--verbose' takes no value" report --verbose=yes
expect 'wrong sort' 2 \
  "mprof: --sort takes inclusive, bytes, allocs, name, kept, live, peak, \
temporary, calls or self, not 'size'" report --sort=size
expect 'a sort that diff does not have' 2 \
  "mprof: --sort takes bytes, allocs, name, kept, live, peak or temporary, not \
'calls'" diff --sort=calls "$w" "$w"
expect 'a sort that top does not have' 2 \
  "mprof: --sort takes inclusive, bytes, allocs or name, not 'kept'" \
  top --sort=kept "$w"
expect 'nearly a value' 2 "mprof: --by takes function, line, site, file, \
package, class or label:KEY, not 'fucntion'; did you mean function?" report --by=fucntion
expect 'wrong value' 2 "mprof: --value takes bytes, allocs, kept, \
kept-allocs, peak, peak-allocs, temporary, lost, lost-allocs, held, held-allocs, \
live or live-allocs, not 'kb'" \
  export --format=folded --value=kb
expect 'a limit of what is not known' 2 "mprof: a limit kept:N cannot be \
combined with --value=peak; leave out kept:" \
  diff --value=peak --limit-growth=kept:0 a b
for n in 0 -1 2x '' 99999999999999999999; do
  expect "limit '$n'" 2 "mprof: --limit takes a positive number, not '$n'" \
    report "--limit=$n"
done
for n in -1 2x '' 99999999999999999999; do
  expect "width '$n'" 2 "mprof: --width takes a number, not '$n'" \
    report "--width=$n"
done
expect 'wrong color' 2 \
  "mprof: --color takes auto, always or never, not 'red'" report --color=red
for p in 101 100.1 1.2.3 -5 x '' . 1e1 0.00001; do
  expect "share '$p'" 2 \
    "mprof: --min-percent takes a number up to 100, not '$p'" \
    report "--min-percent=$p"
done
expect 'no help on this' 2 "mprof: no help for 'rport'; did you mean report?" \
  help rport
expect 'no help on that' 2 "mprof: no help for 'folded'" help folded

expect 'version' 0 '' --version
[ "$(cat out)" = "mprof $(cat "$top/VERSION")" ]
result $? 'version is that of the file VERSION'
expect 'help' 0 '' --help
says 'help names the commands' '  export '
expect 'help on a command' 0 '' help report
cp out expected
expect 'the same as an option' 0 '' report --limit=3 --help
cmp -s out expected
result $? 'help by word and by option agree'

expect 'one dash or two' 0 '' report -verbose -no-legend -sort=name "$x"
cp out expected
expect 'two dashes' 0 '' report --verbose --no-legend --sort name "$x"
cmp -s out expected
result $? 'one dash and two mean the same'

c=$golden/widgets-c.data
tells <<'END'
report --tables=bins $w|ALLOCATION BINS
|!DIRECT ALLOCATION
|types that have this size
report --tables=bins --no-legend $w|!types that have this size
report $w|!MEMORY LEAKS
report -leaktable $w|does not record what was freed
report --tables=peak --value=kept $c|--value, --from, --to and --at leave these
report --tables=held $c|This profile does not record holders.
report $c|main>make_red_widget>make_widget
report -noleaktable $c|!MEMORY LEAKS
report -offsets $c|main+0>make_red_widget+0>make_widget+0
report -terse --tables=direct --no-legend $m|!SCALE
|Left out: 5 of 7 functions below 5 % of the bytes, with
report -normal --tables=direct --no-legend $m|SCALE
|![runtime]
report -verbose --tables=direct --no-legend $m|[runtime]
report --min-percent=0.12 --tables=direct --no-legend $m|![runtime]
|below 0.12 % of the bytes
END
expect 'limit' 0 '' report -verbose --limit=2 --tables=direct --no-legend "$m"
[ "$(sed -n '/^---/,/^$/p' out | wc -l)" = 5 ] # a rule, a blank line
result $? 'two rows and the total'
says 'says what the limit hides' 'Left out: 5 of 7 functions beyond the limit of 2'
expect 'sort by allocations' 0 '' \
  report --sort=allocs --tables=types --no-legend "$m"
[ "$(sed -n '/<TOTAL>/,$p' out | sed -n 2p | awk '{print $1, $6}')" = \
  '30 CONS' ]
result $? 'most allocations first'

# rows: the names in the last table, without the total and what is further in.
rows() {
  sed -n '/^---/,/^$/p' out | grep -v '<TOTAL>' | sed -n 's/^.*[0-9*.]  \([^ <].*\)$/\1/p' |
    tr '\n' ' '
}
# ordered KEY TABLE FILE NAMES: NAMES are the rows in the order of KEY.
ordered() {
  expect "$2 sorted by $1" 0 '' \
    report --sort="$1" --tables="$2" -verbose --no-legend "$3"
  [ "$(rows)" = "$4 " ]
  result $? "$2 sorted by $1: $(rows)"
}
# What each itself allocated: E 176 bytes, B 80, A 48, D 32.  With all below
# it: A 320, MAIN 304, B 288, C and D 192, E 176.  Calls: E 23, C and D 17,
# A 11, B 9, MAIN 1.
ordered bytes direct "$x" 'E B A D'
ordered calls direct "$x" 'E D A B'
ordered inclusive direct "$x" 'A MAIN B D C E'
ordered self direct "$x" 'E B A D' # the same as by bytes
ordered kept direct "$x" 'E B A D' # nothing is known of that
ordered name direct "$x" 'A B D E'
indexes() { # names of entries in the call graph
  sed -n 's/^\[[0-9]*\] .*  \([^ ].*\)$/\1/p' out | grep -v '^members' |
    sed 's/ .*cycle \(.\)>.*/\1/; s/^<cycle \(.\)>.*/<\1>/; s/ .*//' |
    tr '\n' ' '
}
run report --sort=self --tables=graph -verbose --no-legend "$x"
[ "$(indexes)" = 'E <1> B1 A1 <2> D2 MAIN C2 ' ]
result $? "entries by what they allocated themselves: $(indexes)"
run report --sort=calls --tables=graph -verbose --no-legend "$x"
[ "$(indexes)" = 'E C2 D2 A1 <1> B1 <2> MAIN ' ]
result $? "entries by calls: $(indexes)"
# Kept: main:12 read_all:22 80 bytes of 80, read_all:23 16 of 32.
expect 'kept' 0 '' report --by=line --sort=kept --tables=direct --no-legend \
  --min-percent=17 "$golden/lines.data"
[ "$(rows)" = 'read_all b.c:22 ' ]
result $? 'shares are shares of what is kept: 16 of 96 are 16 %'
says 'and that is said' 'below 17 % of the bytes kept'

# Its two calls of malloc are 48 bytes apart.
expect 'call sites' 0 '' report --by=site --tables=direct --no-legend \
  "$golden/lines.data"
[ "$(rows)" = 'read_all b.c:22+0 read_all b.c:23+48 ' ]
result $? "rows are call sites: $(rows)"

cp "$w" mprof.data
cp "$w" ./-odd
tells <<'END'
report|Allocation profile of widgets.lisp
report --no-legend -- -odd|10000 allocations, 480000 bytes
report --no-legend $w $w $x|20021 allocations, 960336 bytes
report --width=100 --tables=types --no-legend $w|10,000 **  480,000 **      48  struct
|10000 allocations, 480000 bytes
END

# Numbers in wide lines: the same tables, with commas.
for command in "report -verbose --tables=graph,bins $w" \
  "diff -verbose $w $m" \
  "report -verbose --tables=leaks,regions,graph $golden/regions.data"; do
  # shellcheck disable=SC2086
  run $command
  cp out plain
  # shellcheck disable=SC2086
  run ${command% -*} --width=150 ${command#* }
  ! cmp -s out plain && cmp -s <(tr -d ', -' <out) <(tr -d ', -' <plain)
  result $? "${command%% *} --width=150 says the same"
  ! grep -qE '(^| )[+/-]?[0-9]{4,}( |$)' <(sed -n '/^---/,/^$/p' out)
  result $? 'and no long number is without commas'
done
# A name that says another format.
for line in 'report|x.html|text (.txt), and mprof export other formats' \
  'diff|d.json|text (.txt)' 'flamegraph|f.png|a page (.html)' \
  'graph|g.dot|SVG (.svg), PNG (.png) or PDF (.pdf)' \
  'merge|m.svg|a profile (.data, .pb.gz, .pprof)' \
  'run|r.csv|a profile (.data, .pb.gz, .pprof)'; do
  IFS='|' read -r command name writes <<<"$line"
  expect "$command: a name of another format" 2 \
    "mprof: mprof $command writes $writes, not '$name'" \
    "$command" -o "$name" "$w" "$w"
  [ ! -e "$name" ]
  result $? 'nothing is written'
done
expect 'a name that says nothing' 0 '' report -o report.2026 "$w"

# ---- standard output ----

for command in report advise flamegraph 'export --format=folded' \
  "diff $golden/live-before.data"; do
  # shellcheck disable=SC2086
  "$MPROF" $command "$golden/live.data" >expected
  # shellcheck disable=SC2086
  run $command -o - "$golden/live.data"
  [ "$status" = 0 ] && [ -s out ] && cmp -s out expected && [ ! -e - ]
  result $? "$command -o -"
done
"$MPROF" merge -o merged.data "$golden/live.data" "$golden/live-before.data"
run merge -o - "$golden/live.data" "$golden/live-before.data"
[ "$status" = 0 ] && cmp -s out merged.data && [ ! -e - ]
result $? 'merge -o -'
expect 'run -o -' 2 'mprof: -o - is not for mprof run, whose program writes to'\
' standard output; ./- is a file' run -o - true

finish
