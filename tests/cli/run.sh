#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# mprof run: which files it writes and removes, what it gives back, and the
# names that programs with and without symbols get.
. "$(dirname "$0")/check.bash"

cc=${CC:-gcc}
programs=$top/tests/cli/programs
unset MPROF_OUT MPROF_COUNT MPROF_SIGNAL MPROF_DEBUG_PATH

# The program of the paper: 10,000 widgets, 5,019 of them red.
"$cc" -g -O0 -o widgets "$top/tests/demo/producer-consumer.c" || exit 1

expect_status() { # NAME STATUS ARGUMENT...
  local name=$1 wanted=$2
  shift 2
  run "$@"
  [ "$status" = "$wanted" ]
  result $? "$name"
}

expect_status 'the paper: runs' 0 run ./widgets
[ ! -s out ] && [ "$(cat err)" = "mprof: wrote 'mprof.data': 10000\
 allocations, 2040000 bytes, 1023876 of them kept; see: mprof report\
 mprof.data" ]
result $? 'the paper: says what it wrote'
tables() { "$MPROF" report -verbose --tables=leaks,direct,bins "$1" | tail -n +2; }
diff <(tables "$golden/widgets-c.data") <(tables mprof.data) >err
result $? 'the paper: all tables'
cp mprof.data first.data
[ "$(gzip -dc mprof.data | wc -c)" -gt 100 ]
result $? 'the file is compressed'

# ---- names --------------------------------------------------------------

# named NAME FILE PATH: the one leak path is PATH.
named() {
  run run -q "./$2"
  "$MPROF" report --no-legend --tables=leaks ${4-} |
    awk '$3 == 5019 { print $8 }' >path
  [ "$status" = 0 ] && [ "$(cat path)" = "$3" ]
  result $? "$1"
  diff <(echo "$3") path | sed 's/^/# /'
}

whole='main>make_red_widget>make_widget'
named 'with debug information' widgets "$whole"
named 'call sites as lines' widgets \
  'main+3>make_red_widget+2>make_widget+2' -offsets
run report --no-legend --tables=leaks --by=line
where=$top/tests/demo/producer-consumer.c
says 'file and line' "make_widget $where:36"
says 'those of callers' "main $where:66>make_red_widget $where:46>"
"$cc" -O0 -o bare "$top/tests/demo/producer-consumer.c"
named 'without debug information' bare "$whole"
run report --tables=bins
says_not 'no types then' 'struct'
strip -o stripped widgets
named 'without symbols' stripped "$(
  nm widgets | awk '$3 ~ /^(main|make_red_widget|make_widget)$/ {
    sub(/^0*/, "", $1); at[$3] = $1 }
  END { printf "[stripped+0x%s]>[stripped+0x%s]>[stripped+0x%s]\n",
        at["main"], at["make_red_widget"], at["make_widget"] }')"
run report --tables=reconciliation
says 'that is said' '2040000  bytes allocated by unnamed code'

# A path that is no UTF-8.
mkdir $'d\351' && cp widgets $'d\351/w\377'
named 'a path that is no UTF-8' $'d\351/w\377' "$whole"

# Debug information of its own: beside the program, and by build id.
objcopy --only-keep-debug widgets widgets.debug
cp stripped linked
objcopy --add-gnu-debuglink=widgets.debug linked
named 'debug information beside the program' linked "$whole"
mkdir .debug && mv widgets.debug .debug
named 'in .debug' linked "$whole"
id=$(readelf -n widgets | sed -n 's/.*Build ID: //p')
mkdir -p "debug/.build-id/${id:0:2}"
mv .debug/widgets.debug "debug/.build-id/${id:0:2}/${id:2}.debug"
export MPROF_DEBUG_PATH=/nonexistent:$scratch/debug
named 'debug information by build id' stripped "$whole"
run report --tables=bins
says 'types from there' 'struct widget'
# That of another program is not taken.
"$cc" -g -O1 -o other "$top/tests/demo/producer-consumer.c"
objcopy --only-keep-debug other "debug/.build-id/${id:0:2}/${id:2}.debug"
run run -q ./stripped
run report --tables=leaks
says_not 'debug information of another build' make_widget
unset MPROF_DEBUG_PATH

# The monitor is a part of the program: it counts once, and its types are not
# the program's.
echo '#include <stdlib.h>
struct mine { char bytes[24]; };
void *volatile kept;
int main(void) {
  for (int i = 1; i < 40; i++) kept = malloc(8 * i);
  struct mine *mine = malloc(sizeof *mine);
  kept = mine;
}' >linked.c
"$cc" -g -fno-builtin -o linked linked.c -Wl,--whole-archive \
  "$MPROF_LIB/libmprof_malloc.a" -Wl,--no-whole-archive -ldl -lpthread &&
  run run ./linked
[ "$(cat err)" = "mprof: wrote 'mprof.data': 40 allocations, 6264 bytes, 6264\
 of them kept; see: mprof report mprof.data" ]
result $? 'linked with the monitor: counted once'
run report --tables=bins --no-legend -verbose
[ "$(awk '/struct/ { print $1, $(NF - 1), $NF }' out)" = '24 struct mine' ]
result $? 'linked with the monitor: types'

# A file without names, read when the program was built anew.
env MPROF_OUT="$scratch/raw.data" \
  LD_PRELOAD="$MPROF_LIB/libmprof-malloc.so" ./widgets
run report --tables=leaks raw.data
says 'a file as the monitor writes it' "$whole"
"$MPROF" report -verbose raw.data >expected
expect 'merging gives names' 0 '' merge -o named.data raw.data
"$MPROF" report -verbose named.data | cmp -s - expected
result $? 'the same names'
cp widgets kept
cp other widgets
run report raw.data
says 'another build' "  $scratch/widgets is not the file that ran (its \
build id differs), so its names are not used"
says_not 'gives no names' make_widget
run report named.data
says 'names in the file stay' "$whole"
cp kept widgets

# C++.
if command -v g++ >/dev/null; then
  g++ -g -O0 -o names "$programs/names.cc" && run run -q ./names
  run export --format=folded --value=allocs mprof.data
  # What the C++ library allocates for itself is not the program's.
  grep 'shop::' out >folded
  cat >expected <<'END'
main;shop::Basket::Basket(int) 1
main;shop::Basket::fill(int);shop::(anonymous namespace)::item(double) 2
main;shop::Basket::fill(int);shop::(anonymous namespace)::item(int) 3
END
  diff expected folded
  result $? 'names of C++, overloaded functions apart'
  run report --tables=bins -verbose mprof.data
  says 'types of C++' 'shop::Item'
else
  echo 'ok - names of C++ # SKIP no g++'
fi

# ---- the program --------------------------------------------------------

run run -o ecl.data "$ECL" --norc --eval '(ext:quit 0)'
[ "$status" = 0 ] && [ ! -s out ] && grep -q " of them kept, without Lisp\
 objects (count these by (mprof:with-profiling ...) in mprof-ecl or build/bin/ecl); see: mprof report ecl.data$" \
  err
result $? 'of ECL it says what is not in it'
echo 'cat; echo "$1" >&2' >script
run run -q -o x.data sh script '--an argument'  <<<'input'
[ "$(cat out)" = input ] && [ "$(cat err)" = '--an argument' ]
result $? 'input, output, messages and arguments are its own'
(unset PATH; "$MPROF" run -q -o x.data true); result $? 'a program without PATH'
expect_status 'a program that is not there' 127 run nonesuch-program
[ "$(cat err)" = "mprof: cannot run 'nonesuch-program': command not found" ]
result $? 'is said'
expect_status 'a file that is no program' 126 run ./script
expect_status 'a folder' 126 run /
"$cc" -static -o static "$top/tests/demo/producer-consumer.c" 2>/dev/null &&
  run run ./static && [ "$(cat err)" = "mprof: no profile of './static' was\
 written: it is statically linked, so mprof cannot be preloaded; link it\
 without -static" ]
result $? 'a statically linked program'
# A program with another C library, and one whose child has it.
if command -v musl-gcc >/dev/null; then
  musl-gcc -fno-builtin -o musl "$top/tests/demo/producer-consumer.c"
  run run ./musl
  [ "$status" = 0 ] && [ "$(cat err)" = "mprof: no profile of './musl' was\
 written: it does not use the GNU C library; link it with glibc" ]
  result $? 'a program with another C library'
  run run sh -c './musl; ./widgets; :'
  [ "$status" = 0 ] && [ "$(ls mprof.data*)" = "mprof.data
$(ls mprof.data.*[0-9])" ] && [ "$(wc -l <err)" = 1 ]
  result $? 'a child with another C library'
else
  echo 'ok - a program with another C library # SKIP no musl-gcc'
fi
"$cc" -w -fno-builtin -o own-malloc "$programs/own-malloc.c"
run run ./own-malloc
[ "$(cat err)" = "mprof: no profile of './own-malloc' was written: it has its\
 own malloc; link it without one" ]
result $? 'a program with its own malloc'
MPROF_LIB=$scratch run run ./widgets
[ "$status" = 1 ] && [ "$(cat err)" = "mprof: cannot find the monitor\
 '$scratch/libmprof-malloc.so': No such file or directory (MPROF_LIB can name\
 its folder)" ]
result $? 'the monitor is missing'

# An end by its own system call.
"$cc" -g -D_GNU_SOURCE -fno-builtin -I"$top/monitor" -o raw-end "$programs/raw-end.c"
run run -o raw.data ./raw-end
[ "$status" = 4 ] && grep -q "^mprof: no profile of './raw-end' was written" err &&
  [ "$(echo raw.data*)" = 'raw.data*' ]
result $? 'a program that ends by its own system call'
run run -q -o raw.data ./raw-end x
[ "$status" = 4 ] && [ ! -s err ] &&
  [ "$("$MPROF" export --format=folded raw.data)" = 'main 33' ]
result $? 'the same after an allocation'
rm -f raw.data*
run run -q --only=raw-end -o raw.data sh -c './raw-end x; ./raw-end x; :'
[ "$status" = 0 ] && [ ! -s err ] &&
  [ "$("$MPROF" export --format=folded raw.data*)" = 'main 66' ]
result $? 'and of child processes'
rm -f raw.data*
echo 'int main(void) { return 0; }' >nothing.c
"$cc" -o nothing nothing.c
run run -o none.data ./nothing
[ "$status" = 0 ] && [ "$(cat err)" = "mprof: no profile of './nothing' was\
 written: it allocated nothing, its file was removed or replaced, or a line\
 above says why" ] &&
  [ "$(echo none.data*)" = 'none.data*' ]
result $? 'a program that allocates nothing'

"$MPROF" run -o full.data sh -c 'trap "" XFSZ; ulimit -f 0' 2>&1 | cat >err
[ "$(sed 's/: [0-9].*//' err)" = "mprof: wrote 'full.data'" ] &&
  [ "$(echo full.data*)" = 'full.data' ]
result $? 'a program that limits the size of its files'

# ---- files --------------------------------------------------------------

rm -f mprof.data*
run run -q sh -c './widgets; ./bare; exit'
[ -e mprof.data ] && [ "$(ls mprof.data.* | wc -l)" = 2 ]
result $? 'a file for each process'
for file in mprof.data.*; do
  "$MPROF" report "$file" >out
  says "that of a child" '10000 allocations, 2040000 bytes'
done

# wrapped NAME PROGRAMS COMMAND...: PROGRAMS become one another, the last one
# is widgets.
wrapped() {
  local name=$1 programs=$2
  shift 2
  run run -o w.data "$@"
  says_at_the_end "$name" $((programs - 1))
  "$MPROF" report w.data >out
  says "$name: the last program has the file" \
    '10000 allocations, 2040000 bytes'
  [ "$(find . -name 'w.data.*' | wc -l)" = $((programs - 1)) ]
  result $? "$name: those before it have others"
}

# says_at_the_end NAME OTHERS
says_at_the_end() {
  grep -q "^mprof: wrote 'w.data' and $2 more files\{0,1\} of its processes: [0-9]*\
 allocations, .*; see: mprof report w.data w.data\.\[0-9\]\*\$" err
  result $? "$1: says so"
}

printf '#!/bin/sh\nexec ./widgets "$@"\n' >wrapper
chmod +x wrapper
wrapped 'a script that becomes the program' 2 ./wrapper
wrapped 'env' 2 env X=1 ./widgets
rm -f w.data*
for file in mprof.data.*; do cp "$file" "other${file#mprof}"; done
echo notes >mprof.data.7
cp first.data mprof.data.77
run run -q ./widgets
[ "$(echo mprof.data.*) $(ls other.data.* | wc -l)" = \
  'mprof.data.7 mprof.data.77 2' ]
result $? 'files of the last run are removed, and no others'
echo text >mine
expect 'another file is not touched' 1 \
  "mprof: cannot write 'mine': it exists and is not a profile by mprof" \
  run -o mine ./widgets
[ "$(cat mine)" = text ]
result $? 'and is as it was'
expect 'no program' 2 'mprof: no program given' run -q
for name in FOO KILL 19; do
  expect "no signal: $name" 2 "mprof: --signal takes the name of a signal other\
 than KILL and STOP, not '$name'" run --signal="$name" ./widgets
done

# ---- which processes ----------------------------------------------------

# chosen NAME FILES OPTION...: files that are written when a shell runs two
# programs; each of these has the same figures.
cp widgets gadgets
chosen() {
  local name=$1 files=$2 file
  shift 2
  rm -f c.data*
  run run -o c.data "$@" sh -c './widgets; ./gadgets; ./own-malloc; :'
  [ "$(find . -name 'c.data*' | wc -l)" = "$files" ]
  result $? "$name: files"
  for file in c.data*; do
    [ ! -e "$file" ] || "$MPROF" report "$file" | sed -n 2p
  done | grep -c '^10000 allocations, 2040000 bytes' >out
}
chosen 'all' 3
chosen 'a name' 1 --only=widgets
[ "$(cat out)" = 1 ] && [ "$(cat err)" = "mprof: wrote 'c.data': 10000\
 allocations, 2040000 bytes, 1023876 of them kept; see: mprof report c.data" ]
result $? 'a name: its figures'
chosen 'names' 2 --only=nonesuch,gadgets,widgets
[ "$(cat out)" = 2 ]
result $? 'names: their figures'
chosen 'a pattern' 2 '--only=*dgets'
chosen 'a path' 1 "--only=$PWD/wid*"
chosen 'no such name' 0 --only=nonesuch
[ "$(cat err)" = "mprof: no profile was written: no program named\
 'nonesuch' allocated anything, or a line above says why" ]
result $? 'no such name: says so'
chosen 'without children' 1 --trace-children=no
[ "$(cat out)" = 0 ]
result $? 'without children: it is that of the shell'
chosen 'only the first, which is another' 0 --trace-children=no --only=widgets
run run -q -o c.data --trace-children=no --only=widgets ./wrapper
[ "$("$MPROF" report c.data | sed -n 2p | cut -d, -f 1,2)" = \
  '10000 allocations, 2040000 bytes' ]
result $? 'what the first process becomes'

# ---- options ------------------------------------------------------------

run run --off -o off.data ./widgets
[ "$status" = 0 ] && [ ! -e off.data ] && [ "$(cat err)" = "mprof: no profile\
 of './widgets' was written: nothing switched counting on, or it allocated\
 nothing while it was on, or a line above says why" ]
result $? 'nothing is counted, and it says why'
run run --budget=16711680 ./widgets
[ "$status" = 2 ] && [ "$(head -1 err)" = "mprof: --budget takes a positive \
number of at most 16711679, not '16711680'" ]
result $? '--budget that is too large'
run run --temporary=65 ./widgets
[ "$status" = 2 ] && [ "$(head -1 err)" = "mprof: --temporary takes a positive \
number of at most 64, not '65'" ]
result $? '--temporary that is too large'

# Regions, peak and temporary objects.
"$cc" -g -O1 -fno-inline -I"$top/monitor" -o regions \
  "$programs/regions.c" && run run -q -o regions.data ./regions
for options in '-verbose --tables=leaks,direct,peak,temporary,graph,bins' \
  '--region=lex --no-legend --tables=leaks,direct,peak,temporary' \
  '--region=^load$ --no-legend --tables=direct,peak,temporary,bins'; do
  # shellcheck disable=SC2086
  "$MPROF" report $options "$golden/regions.data" | tail -n +2 >expected
  # shellcheck disable=SC2086
  "$MPROF" report $options regions.data | tail -n +2 | cmp - expected >err
  result $? "regions: $options"
done
run report --tables=regions --no-legend -verbose regions.data
awk 'NF > 9 && $1 ~ /^[0-9]/ { print $1, $3, $5, $7, $NF }' out >rows
cat >expected <<'END'
1 15 10200 10200 load
1 21 328 8 run
5 5 200 200 load;lex
1 1 8 8 run;lex
END
diff expected rows >err
result $? 'regions: all figures'
run export --format=pprof -o again.data regions.data
"$MPROF" report -verbose regions.data >expected
"$MPROF" report -verbose again.data | cmp - expected >err
result $? 'written again, the same tables'
run run -q --temporary=2 -o temporary.data ./regions
run report --tables=temporary temporary.data
says 'what lives for one more allocation' '20 **      21     95  run'

# A program that is not started costs no earlier profile, nor those of its
# processes.
mkdir earlier
(cd earlier && "$MPROF" run -q -o e.data sh -c '../widgets; ../widgets')
cp -r earlier expected.earlier
cd earlier || exit 1
not_started() { # NAME STATUS ERROR OPTION... PROGRAM
  local name=$1 wanted=$2 message=$3
  shift 3
  run run -o e.data "$@"
  [ "$status" = "$wanted" ] && [ "$(tail -n 1 err)" = "mprof: $message" ]
  result $? "$name: why"
  rm out err
  diff -r . ../expected.earlier >../err
  result $? "$name: the earlier profiles are as they were"
}
not_started 'no such program' 127 \
  "cannot run './no': No such file or directory" ./no
printf '#!/nonesuch\n' >../orphan
chmod +x ../orphan
not_started 'no such interpreter' 127 \
  "cannot run '../orphan': No such file or directory" ../orphan
cp ../widgets ../foreign
printf '\xff\xff' | dd of=../foreign bs=1 seek=18 conv=notrunc status=none
not_started 'a program for another processor' 126 \
  "cannot run '../foreign': Exec format error" ../foreign
not_started 'a port that cannot be served' 1 \
  'cannot serve at 192.0.2.1, port 0: Cannot assign requested address' \
  --serve=192.0.2.1:0 ../widgets
MPROF_LIB=$scratch not_started 'no monitor' 1 "cannot find the monitor \
'$scratch/libmprof-malloc.so': No such file or directory (MPROF_LIB can name \
its folder)" ../widgets
cd ..
run run -q -o earlier/e.data ./widgets
[ "$(ls earlier)" = e.data ]
result $? 'one that is started replaces them'

finish
