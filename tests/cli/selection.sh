#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What is selected and what is left out: by function, type, phase and thread.
. "$(dirname "$0")/check.bash"

w=$golden/widgets.data
m=$golden/mixture.data
s=$golden/session.data
p=$golden/phases.data

for option in focus show-from type thread; do
  run report --$option='(' "$p"
  [ "$status" = 2 ] && grep -q "^mprof: --$option: '(' is not a regular" err
  result $? "wrong regular expression for --$option"
done

expect 'chains of a profiled body' 0 '' report -verbose --no-legend "$s"
says_not 'what called the body is left out' 'TOP'
says 'what the profiler allocated is not' ' [session]'
says 'the sum is the same' '41 allocations, 656 bytes, 8 functions'
expect 'functions of ECL' 0 '' report -verbose --no-legend "$w"
cp out expected
expect 'no function of ECL to hide' 0 '' \
  report -verbose --system=hide --no-legend "$w"
cmp -s out expected
result $? 'functions of the program stay'
expect 'functions of ECL hidden' 0 '' \
  report -verbose --system=hide --no-legend "$s"
says 'no caller to charge' '48       3   7               7      0  [hidden]'
expect 'functions of ECL, C program' 0 '' \
  report --system=hide "$golden/widgets-c.data"
says 'C functions stay' 'make_widget'
expect 'packages' 0 '' report --by=package --no-legend "$golden/packages.data"
says 'what rows are' 'Rows are packages, not functions'
says 'and how many' '17 allocations, 272 bytes, 3 packages, 1 cycle'
expect 'functions as ever' 0 '' report --by=function --no-legend "$m"
cp out expected
expect 'which is the default' 0 '' report --no-legend "$m"
cmp -s out expected
result $? 'nothing else is said then'
expect 'files' 0 '' report --by=file "$m"
says 'what has no file' '[no file]    functions whose source file is unknown'
expect 'Lisp form by package' 0 '' \
  export --format=lisp --by=package "$golden/packages.data"
says 'packages are its functions' '(:name "COMMON-LISP" :self-bytes 80 :self-allocations 5'
expect 'focus' 0 '' report --focus=SCALE --no-legend "$m"
says 'focus says what is selected' \
  'Selected by the options: 20 allocations, 320 bytes; percentages refer to these'
says_not 'and nothing of expressions that match' 'No function matches'
expect 'files are left out, too' 1 'mprof: nothing is left by --ignore=^b\.c$' \
  export --format=folded --ignore='^b\.c$' "$golden/lines.data"
run help report
says 'and help says so' '  --focus=REGEX        only allocations below '\
'functions whose name or file matches'
expect 'expressions that match nothing' 0 '' \
  report --hide='^scale$' --show-from=SCALE --no-legend "$m"
says 'say which is near' \
  'No function matches --hide=^scale$; did you mean SCALE?'

# Where nothing is left there are no tables, but what is wrong, and a name that
# is near: in another case, with a letter more, less or exchanged, in part.
nothing() {
  local message=$1
  shift
  expect "$*: $message" 1 "mprof: nothing matches $message" "$@" "$m"
}
for command in report advise 'export --format=csv' graph flamegraph; do
  # shellcheck disable=SC2086
  nothing '--type=CONSS; did you mean CONS?' $command --type=CONSS
done
nothing '--focus=SCLAE; did you mean SCALE?' report --focus=SCLAE
nothing '--type=^app::POIMT; did you mean APP::POINT?' report --type=^app::POIMT
nothing '--focus=pars; did you mean PARSE?' report --focus=pars
nothing '--show-from=SCAL$; did you mean SCALE?' report '--show-from=SCAL$'
nothing '--thread=nobody' report --thread=nobody
nothing '--region=nowhere' report --region=nowhere
nothing '--region=' report --region=
nothing '--type=POIN$; did you mean POINT?' report --type='POIN$'
nothing '--type=XYZZY' report --type=XYZZY
long=APPLICATION-WITH-A-LONG-NAME
name="(METHOD $long::PRINT-ENTRY ($long::BOOK $long::AUTHOR $long::PUBLISHER))"
expect 'a name that is another expression' 1 "mprof: nothing matches \
--focus=$name; ( and the like need a backslash in a regular expression" \
  report --focus="$name" "$golden/long.data"
nothing '--focus=SCALE --type=CONS --category=o' \
  report --type=CONS --category=o --focus=SCALE
nothing '--phase=compile,eval' report --phase=compile,eval
nothing '--focus=SCALEE; did you mean SCALE?' diff --focus=SCALEE "$m"
expect 'something on one side' 0 '' diff --type=POINT "$w" "$m"
expect 'from what does not show' 1 \
  'mprof: nothing matches --show-from=^A$' \
  report --show-from='^A$' --hide='^A$' "$golden/nested-cycles.data"

# Objects by type and by category.
expect 'a type' 0 '' report --type='^DOUBLE-' --tables=types,reconciliation \
  --no-legend "$m"
says 'is selected' \
  'Selected by the options: 20 allocations, 320 bytes; percentages refer to'
says 'alone' '    20 **    320 **  float     DOUBLE-FLOAT'
says_not 'without others' 'CONS'
expect 'a class' 0 '' export --format=csv --tables=types --type=POINT "$m"
[ "$(sed 1d out | tr -d "\r")" = '"struct","STRUCTURE","APP::POINT",224,7' ]
result $? 'is selected by its name'
expect 'a type is as focus' 0 '' export --format=folded --frames=types --type=FLOAT \
  --value=allocs "$m"
sort out >chosen
run export --format=folded --frames=types --value=allocs "$m"
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
expect 'others leave nothing' 1 \
  'mprof: nothing matches --category=s,large,extra' \
  report --category=s,large,extra "$golden/widgets-c.data"
expect 'a wrong category' 2 'mprof: --category takes cons (c), float (f), '\
"struct (s) and other (o), not 'small'" report --category=cons,small "$m"
expect 'nearly one' 2 'mprof: --category takes cons (c), float (f), struct '\
"(s) and other (o), not 'flaot'; did you mean float?" \
  report --category=flaot "$m"
expect 'of C' 2 'mprof: --category takes small (s), medium (m), large (l) '\
"and extra (x), not ''" report --category= "$golden/widgets-c.data"
expect 'categories in a comparison' 0 '' diff --category=cons "$m" "$m"
says 'are selected' 'Selected by the options'

# Phases and threads.
expect 'wrong phase' 2 \
  "mprof: --phase takes compile, load, eval and run, not 'cake'" \
  report --phase=run,cake "$p"
expect 'no phase' 2 \
  "mprof: --phase takes compile, load, eval and run, not ''" \
  report --phase= "$p"
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
expect 'threads without a name' 0 '' report --thread='unnamed' "$p"
says 'that thread' 'the options: 10 allocations, 160 bytes'
expect 'nobody' 1 \
  'mprof: nothing matches --thread=wroker; did you mean worker?' \
  report --thread=wroker "$p"
expect 'phases are those below the root' 0 '' \
  report --system=root --phase=run "$golden/session.data"
says 'as without --system=root' 'the options: 13 allocations, 208 bytes'
expect 'both' 0 '' export --format=folded --phase=run --thread=worker "$p"
[ "$(cat out)" = 'APP::WORK 2080' ]
result $? 'both restrict'
# The file of a library that a program is linked with is loaded without LOAD.
printf 'profile p lisp\ncons 3: (LOAD "app.lisp")\ncons 1: APP::F\n' >text
"$BUILD/tests/write_profile" text p p.data
expect 'a file without LOAD' 0 '' export --format=folded --phase=load p.data
[ "$(cat out)" = '(LOAD "app.lisp") 48' ]
result $? 'is loaded at load time'

finish
