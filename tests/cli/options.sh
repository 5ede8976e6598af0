#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Options: what each does, and what is said about wrong ones.
. "$(dirname "$0")/check.bash"

w=$golden/widgets.data
m=$golden/mixture.data
x=$golden/two-cycles.data

expect 'no command' 2 'mprof: no command given'
expect 'unknown command' 2 "mprof: unknown command 'reprot'" reprot "$w"
expect 'unknown option' 2 "mprof: unknown option '--lmit=3'" report --lmit=3
expect 'unknown option before a command' 2 "mprof: unknown option '-q'" -q
expect 'option of another command' 2 "mprof: unknown option '--types'" \
  report --types "$w"
tables='leaks, regions, phases, threads, direct, peak, temporary, types, '\
'type-functions, function-types, graph, bins and reconciliation'
expect 'unknown table' 2 "mprof: --tables takes $tables, not 'leak'" \
  report --tables=bins,leak,graph "$w"
expect 'empty list of tables' 2 "mprof: --tables takes $tables, not ''" \
  report --tables= "$w"
expect 'unknown format' 2 "mprof: --format takes folded, html, lisp, \
lisp-contexts, pprof, callgrind, dot, speedscope, dhat, json or csv, not \
'jpeg'" export --format=jpeg "$w"
expect 'a wrong signal' 2 \
  "mprof: --signal takes the name of a signal, not 'NOPE'" \
  run --signal=NOPE true
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
expect 'missing format' 2 'mprof: a format is missing: give --format=FORMAT' \
  export "$w"
expect 'missing value' 2 "mprof: a value is missing after '--limit'" \
  report --limit
expect 'value that does not belong' 2 \
  "mprof: no value belongs to '--verbose=yes'" report --verbose=yes
expect 'wrong sort' 2 \
  "mprof: --sort takes bytes, allocs, calls, self, inclusive, kept, peak, \
temporary or name, not 'size'" report --sort=size
expect 'wrong value' 2 "mprof: --value takes bytes, allocs, kept, \
kept-allocs, peak, peak-allocs or temporary, not 'kb'" \
  export --format=folded --value=kb
expect 'a limit of what is not known' 2 "mprof: with --value=peak nothing \
else is known: give --fail-above in the place of --fail-above-kept" \
  diff --value=peak --fail-above-kept=0 a b
expect 'wrong grouping' 2 \
  "mprof: --by takes function, line, file, package or class, not 'module'" \
  report --by=module
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
run report --focus='(' "$w"
[ "$status" = 2 ] && grep -q "^mprof: --focus: '(' is no regular" err
result $? 'wrong regular expression'
expect 'no help on that' 2 "mprof: no help on 'folded'" help folded

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

expect 'bins only' 0 '' report --tables=bins "$w"
says 'the table asked for' 'ALLOCATION BINS'
says_not 'no other table' 'DIRECT ALLOCATION'
says 'a legend by default' 'what has this size'
expect 'no legend' 0 '' report --tables=bins --no-legend "$w"
says_not 'no legend when not wanted' 'what has this size'

expect 'no leak table for Lisp' 0 '' report "$w"
says_not 'leaks are off for Lisp' 'MEMORY LEAKS'
expect 'leak table all the same' 0 '' report -leaktable "$w"
says 'and says what is the matter' 'does not say what was freed'
expect 'leak table for C' 0 '' report "$golden/widgets-c.data"
says 'leaks by path' 'main>make_red_widget>make_widget'
expect 'no leak table for C' 0 '' report -noleaktable "$golden/widgets-c.data"
says_not 'leaks can be left out' 'MEMORY LEAKS'
expect 'offsets' 0 '' report -offsets "$golden/widgets-c.data"
says 'call sites by offset' 'main+0>make_red_widget+0>make_widget+0'

expect 'terse' 0 '' report -terse --tables=direct --no-legend "$m"
says_not 'rows below 5 % are left out' 'SCALE'
says 'and it says so' 'Left out: 5 of 7 functions below 5 % of the bytes, with'
expect 'normal' 0 '' report -normal --tables=direct --no-legend "$m"
says 'rows above 1 % are there' 'SCALE'
says_not 'rows below 1 % are not' '[runtime]'
expect 'verbose' 0 '' report -verbose --tables=direct --no-legend "$m"
says 'every row' '[runtime]'
expect 'fraction of a per cent' 0 '' \
  report --min-percent=0.12 --tables=direct --no-legend "$m"
says_not 'below 0.12 %' '[runtime]'
says 'named as it was given' 'below 0.12 % of the bytes'
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

expect 'show the runtime' 0 '' report --show-runtime --no-legend "$m"
says 'runtime functions by name' 'cl_list'
s=$golden/session.data
expect 'chains of a profiled body' 0 '' report -verbose --no-legend "$s"
says_not 'what called the body is left out' 'TOP'
says 'what the profiler allocated is not' ' [session]'
says 'the sum is the same' '41 allocations, 656 bytes, 8 functions'
expect 'with what called it' 0 '' report --show-root --no-legend "$s"
says 'what called the body' 'TOP ['
says_not 'without the runtime' 'apply'
expect 'with what called it and the runtime' 0 '' \
  report --show-runtime --no-legend "$s"
says 'what called the body, again' 'TOP ['
says 'and the runtime' 'apply'
expect 'functions of ECL' 0 '' report -verbose --no-legend "$w"
cp out expected
expect 'no function of ECL to hide' 0 '' \
  report -verbose --hide-system --no-legend "$w"
cmp -s out expected
result $? 'functions of the program stay'
expect 'functions of ECL hidden' 0 '' \
  report -verbose --hide-system --no-legend "$s"
says_not 'EVAL is ECL' 'EVAL'
says_not 'mprof is none of the program' 'MPROF'
says 'the functions of the program stay' 'APP::INNER'
says 'no caller to charge' '48       3   7               7      0  [hidden]'
expect 'functions of ECL, C program' 0 '' \
  report --hide-system "$golden/widgets-c.data"
says 'C functions stay' 'make_widget'
expect 'packages' 0 '' report --by=package --no-legend "$golden/packages.data"
says 'what rows are' 'Rows are packages, where the explanations say functions'
says 'and how many' '17 allocations, 272 bytes, 3 packages, 1 cycle'
expect 'functions as ever' 0 '' report --by=function --no-legend "$m"
cp out expected
expect 'which is the default' 0 '' report --no-legend "$m"
cmp -s out expected
result $? 'nothing else is said then'
expect 'files' 0 '' report --by=file "$m"
says 'what has no file' '[no file]    functions whose source file is not known'
expect 'Lisp form by package' 0 '' \
  export --format=lisp --by=package "$golden/packages.data"
says 'packages are its functions' '(:name "COMMON-LISP" :self-bytes 80 :self-allocations 5'
expect 'focus' 0 '' report --focus=SCALE --no-legend "$m"
says 'focus says what is selected' \
  'Selected by the options: 20 allocations, 320 bytes; shares are shares of these'
says_not 'and nothing of expressions that match' 'No function matches'
# main calls read_all in b.c.
expect 'focus by file' 0 '' export --format=folded --focus='^b\.c$' \
  "$golden/lines.data"
[ "$(paste -sd ' ' out)" = 'main;read_all 240 main;read_all;read_all 32' ]
result $? 'expressions match names of files, too'
expect 'ignore by file' 0 '' export --format=folded --ignore='^b\.c$' \
  "$golden/lines.data"
[ ! -s out ]
result $? 'also to leave out'
run help report
says 'and help says so' '  --focus=REGEX        only what is below functions '\
'whose name or file matches'
expect 'expressions that match nothing' 0 '' \
  report --focus=scale --hide='^x$' --no-legend "$m"
says 'the first' \
  'No function matches --focus=scale; capital letters and small ones differ'
says 'the second' 'No function matches --hide=^x$;'
expect 'from a function on' 0 '' \
  export --format=folded --show-from=RED "$w"
[ "$(cat out)" = 'CL-USER::MAKE-RED-WIDGET;CL-USER::MAKE-WIDGET 240000' ]
result $? 'chains begin there'
expect 'some functions only' 0 '' export --format=folded --show='RUN|:MAKE-W' \
  "$w"
[ "$(cat out)" = 'CL-USER::RUN;CL-USER::MAKE-WIDGET 480000' ]
result $? 'the others are left out of chains'
run report --show-from='(' "$w"
[ "$status" = 2 ] && grep -q "^mprof: --show-from: '(' is no regular" err
result $? 'wrong regular expression to begin from'
expect 'several files' 0 '' report --no-legend "$w" "$w" "$x"
says 'files are added up' '20021 allocations, 960336 bytes'
cp "$w" mprof.data
expect 'default file' 0 '' report
says 'mprof.data is read' 'Allocation profile of widgets.lisp'
cp "$w" ./-odd
expect 'end of options' 0 '' report --no-legend -- -odd

# Objects by type and by category.
expect 'a type' 0 '' report --type='^DOUBLE-' --tables=types,reconciliation \
  --no-legend "$m"
says 'is selected' \
  'Selected by the options: 20 allocations, 320 bytes; shares are shares of'
says 'alone' '    20 **    320 **  float     DOUBLE-FLOAT'
says_not 'without others' 'CONS'
expect 'a class' 0 '' export --format=csv --table=types --type=POINT "$m"
[ "$(sed 1d out | tr -d "\r")" = '"struct","STRUCTURE","APP::POINT",224,7' ]
result $? 'is selected by its name'
expect 'a type is as focus' 0 '' export --format=folded --types --type=FLOAT \
  --value=allocs "$m"
sort out >chosen
run export --format=folded --types --value=allocs "$m"
grep -F FLOAT out | sort | cmp -s - chosen
result $? 'the same chains as without others'
expect 'categories' 0 '' report --category=cons,f --tables=types --no-legend \
  "$m"
says 'by name and letter' 'options: 50 allocations, 800 bytes'
expect 'a type and a category' 0 '' report --category=struct --type=DOUBLE \
  --tables=types --no-legend "$m"
says 'must both match' 'options: 2 allocations, 5200 bytes'
expect 'categories of C' 0 '' report --category=m,large --tables=bins \
  --no-legend "$golden/widgets-c.data" # objects of 204 bytes
says_not 'leave nothing out there' 'Selected by the options'
expect 'others' 0 '' report --category=s,large,extra --tables=bins \
  --no-legend "$golden/widgets-c.data"
says 'leave nothing' 'options: 0 allocations, 0 bytes'
expect 'a wrong category' 2 'mprof: --category takes cons (c), float (f), '\
"struct (s) and other (o), not 'small'" report --category=cons,small "$m"
expect 'of C' 2 'mprof: --category takes small (s), medium (m), large (l) '\
"and extra (x), not ''" report --category= "$golden/widgets-c.data"
run report --type='(' "$m"
[ "$status" = 2 ] && grep -q "^mprof: --type: '(' is no regular" err
result $? 'wrong regular expression for types'
expect 'categories in a comparison' 0 '' diff --category=cons "$m" "$m"
says 'are selected' 'Selected by the options'

# Numbers for people: the same tables, with commas.
for command in "report -verbose $w" "diff -verbose $w $m" \
  "report -verbose $golden/regions.data"; do
  # shellcheck disable=SC2086
  run $command
  cp out plain
  # shellcheck disable=SC2086
  run ${command% -*} --human ${command#* }
  ! cmp -s out plain && cmp -s <(tr -d ', -' <out) <(tr -d ', -' <plain)
  result $? "${command%% *} --human says the same"
  ! grep -qE '(^| )[+/-]?[0-9]{4,}( |$)' <(sed -n '/^---/,/^$/p' out)
  result $? 'and no long number is without commas'
done
expect 'numbers for people' 0 '' report --human --tables=types --no-legend "$w"
says 'commas' '10,000 **  480,000 **  struct    INSTANCE  CL-USER::WIDGET'
says 'in tables' '10000 allocations, 480000 bytes'

# A name that says another format.
for line in 'report|x.html|text (.txt), and mprof export other formats' \
  'diff|d.json|text (.txt)' 'flamegraph|f.png|SVG (.svg) or a page (.html)' \
  'graph|g.dot|SVG (.svg), PNG (.png) or PDF (.pdf)' \
  'merge|m.svg|a profile (.data, .pb.gz, .pprof)' \
  'run|r.csv|a profile (.data, .pb.gz, .pprof)'; do
  IFS='|' read -r command name writes <<<"$line"
  expect "$command: a name of another format" 2 \
    "mprof: mprof $command writes $writes; no name for that is '$name'" \
    "$command" -o "$name" "$w" "$w"
  [ ! -e "$name" ]
  result $? 'nothing is written'
done
expect 'a name that says nothing' 0 '' report -o report.2026 "$w"

# Manual pages and help name the same options: those of mprof run have a page
# of their own.
pages=$top/reduce
cat "$pages"/mprof{,-report,-run}.1 >man
run help
commands=$(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\)  .*/\1/p' out |
  grep -vx help)
for command in $commands; do
  run help "$command"
  says "help on $command" "usage: mprof $command "
  grep -qF ".B mprof $command" "$pages/mprof.1"
  result $? "manual page has mprof $command"
  if [ "$command" = run ]; then page=run; else page=report; fi
  for option in $(sed -n 's/^  \(--*[a-z-]*\).*/\1/p' out); do
    cat "$pages"/mprof{,-$page}.1 | grep -qF -e "${option//-/\\-}"
    result $? "manual page of $command has $option"
  done
done
for option in $(sed -n 's/^\.BI* "*\(\\-[^ "=]*\).*/\1/p' man |
  sed 's/\\//g' | sort -u); do
  { for command in $commands; do run help "$command"; cat out; done
    echo '  --version'; } |
    grep -qE -e "^  $option\\b"
  result $? "help has $option"
done

# The examples of the manual pages run as they stand.
cp "$m" run.data
cp "$m" old.data
cp "$golden/widgets-c.data" before.data
cp "$golden/widgets-c.data" after.data
"${CC:-gcc}" -o widgets "$top/tests/demo/producer-consumer.c"
sed -n '/^\.SH EXAMPLES/,/^\.SH "SEE/s/^mprof /"$MPROF" /p' man |
  sed "s/\\\\-/-/g; s/\\\\(aq/'/g" >examples
[ "$(wc -l <examples)" = 23 ]
result $? 'the manual pages have examples'
while read -r example; do
  eval "$example" >out 2>err
  result $? "example: ${example#* }"
done <examples
p=$golden/phases.data
expect 'wrong phase' 2 \
  "mprof: --phase takes compile, load, eval and run, not 'cake'" \
  report --phase=run,cake "$p"
expect 'no phase' 2 \
  "mprof: --phase takes compile, load, eval and run, not ''" \
  report --phase= "$p"
run report --thread='(' "$p"
[ "$status" = 2 ] && grep -q "^mprof: --thread: '(' is no regular" err
result $? 'wrong regular expression for threads'
expect 'phases and threads' 0 '' report "$p"
says 'a table of phases' 'PHASES'
says 'a table of threads' 'THREADS'
expect 'one phase' 0 '' report --phase=compile --no-legend "$p"
says_not 'no table of one phase' 'PHASES'
says_not 'no table of one thread' 'THREADS'
says 'and says how much is left' 'the options: 2304 allocations, 36864 bytes'
expect 'one phase, verbose' 0 '' report --phase=compile --verbose "$p"
says 'a table of one phase when verbose' 'PHASES'
expect 'the last of two options counts' 0 '' \
  report -verbose -normal --phase=run --phase=compile "$p"
says_not 'neither verbose' 'PHASES'
says 'nor run time' 'the options: 2304 allocations, 36864 bytes'
expect 'one table though it is no use' 0 '' \
  report --tables=phases,threads --phase=compile "$p"
says 'as it was asked for' 'THREADS'
expect 'one of several threads' 0 '' report --thread='^worker$' "$p"
says 'that thread' 'the options: 150 allocations, 2400 bytes'
expect 'threads by name' 0 '' report --thread='^worker' "$p"
says 'those threads' 'the options: 200 allocations, 3200 bytes'
expect 'threads without a name' 0 '' report --thread='unnamed' "$p"
says 'that thread' 'the options: 10 allocations, 160 bytes'
expect 'nobody' 0 '' report --thread='nobody' "$p"
says 'nothing is left' 'the options: 0 allocations, 0 bytes'
expect 'phases are those below the root' 0 '' \
  report --show-root --phase=run "$golden/session.data"
says 'as without --show-root' 'the options: 13 allocations, 208 bytes'
expect 'both' 0 '' export --format=folded --phase=run --thread=worker "$p"
[ "$(cat out)" = 'APP::WORK 2400' ]
result $? 'both restrict'
expect 'threads in folded stacks' 0 '' \
  export --format=folded --threads --phase=load --thread=worker "$p"
[ "$(cat out)" = '[thread worker];APP::WORK;LOAD 800' ]
result $? 'the thread is the first frame'

# A terminal of 90 columns: names are cut and headings bold there, and only
# there.
terminal() { # COMMAND...
  script -qec "stty cols 90; $*" /dev/null </dev/null | tr -d '\r' >out
  status=$?
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
