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

tells <<'END'
report -verbose --no-legend $s|!TOP
| [session]
|41 allocations, 656 bytes, 8 functions
report -verbose --system=hide --no-legend $s|48       3   7               7      0  [hidden]
report --system=hide $golden/widgets-c.data|make_widget
report --by=package --no-legend $golden/packages.data|Rows are packages, not functions
|17 allocations, 272 bytes, 3 packages, 1 cycle
report --by=file $m|[no file]    functions whose source file is unknown
export --format=lisp --by=package $golden/packages.data|(:name "COMMON-LISP" :self-bytes 80
report --focus=SCALE --no-legend $m|by the options: 20 allocations, 320 bytes,
|!No function matches
help report|only allocations below functions whose name or file matches
report --hide='^scale$' --show-from=SCALE --no-legend $m|matches --hide=^scale$; did you mean SCALE?
END
# Options that change nothing.
run report --no-legend -verbose "$w"
cp out expected
for option in --system=hide --by=function; do
  expect "$option" 0 '' report --no-legend -verbose $option "$w"
  cmp -s out expected
  result $? "$option: nothing else is said"
done
expect 'files are left out, too' 1 'mprof: nothing is left by --ignore=^b\.c$' \
  export --format=folded --ignore='^b\.c$' "$golden/lines.data"

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
tells <<'END'
report --type='^DOUBLE-' --tables=types --no-legend $m|by the options: 20 allocations, 320 bytes,
|    20 **    320 **  float     DOUBLE-FLOAT
|!CONS
report --category=cons,f --tables=types --no-legend $m|options: 50 allocations, 800 bytes
report --category=struct --type=DOUBLE --tables=types --no-legend $m|options: 2 allocations, 5200 bytes
report --category=m,large --tables=bins --no-legend $golden/widgets-c.data|!Selected by the options
diff --category=cons $m $m|Selected by the options
END
expect 'a class' 0 '' export --format=csv --tables=types --type=POINT "$m"
[ "$(sed 1d out | tr -d "\r")" = '"struct","STRUCTURE","APP::POINT",224,7' ]
result $? 'is selected by its name'
expect 'a type is as focus' 0 '' export --format=folded --frames=types --type=FLOAT \
  --value=allocs "$m"
sort out >chosen
run export --format=folded --frames=types --value=allocs "$m"
grep -F FLOAT out | sort | cmp -s - chosen
result $? 'the same chains as without others'
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

# Phases and threads.
expect 'wrong phase' 2 \
  "mprof: --phase takes compile, load, eval and run, not 'cake'" \
  report --phase=run,cake "$p"
expect 'no phase' 2 \
  "mprof: --phase takes compile, load, eval and run, not ''" \
  report --phase= "$p"
tells <<'END'
report $p|PHASES
|THREADS
report --phase=compile --no-legend $p|!PHASES
|!THREADS
|the options: 2304 allocations, 36864 bytes
report --phase=compile --verbose $p|PHASES
report -verbose -normal --phase=run --phase=compile $p|!PHASES
|the options: 2304 allocations, 36864 bytes
report --tables=phases,threads --phase=compile $p|THREADS
report --thread=unnamed $p|the options: 10 allocations, 160 bytes
report --system=root --phase=run $s|the options: 13 allocations, 208 bytes
END
expect 'nobody' 1 \
  'mprof: nothing matches --thread=wroker; did you mean worker?' \
  report --thread=wroker "$p"
expect 'both' 0 '' export --format=folded --phase=run --thread=worker "$p"
[ "$(cat out)" = 'APP::WORK 2080' ]
result $? 'both restrict'
# The file of a library that a program is linked with is loaded without LOAD.
printf 'profile p lisp\ncons 3: (LOAD "app.lisp")\ncons 1: APP::WÖRKER\n' >text
"$BUILD/tests/write_profile" text p p.data
expect 'a file without LOAD' 0 '' export --format=folded --phase=load p.data
[ "$(cat out)" = '(LOAD "app.lisp") 48' ]
result $? 'is loaded at load time'
# Expressions match characters, not bytes.
for regex in '^APP::W.RKER$' 'W[OÖ]RKER' '^.{11}$'; do
  expect "$regex" 0 '' export --format=folded --focus="$regex" p.data
  [ "$(cat out)" = 'APP::WÖRKER 16' ]
  result $? "$regex matches a name that is not ASCII"
done

finish
