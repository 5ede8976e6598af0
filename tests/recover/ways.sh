#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What an image of a C program knows beside counters, of programs that are
# killed: forks, other programs, regions, libraries that come and go; and where
# it finds no room.

. "$(dirname "$0")/check.bash"

$CC -g -O1 -fno-builtin -I"$top/monitor" -o ways "$programs/ways.c" \
  -L"$MPROF_LIB" -lmprof-malloc -Wl,-rpath,"$MPROF_LIB" || exit 1
for name in one two; do
  cat >$name.c <<END
#include <stdlib.h>
void *made_by_$name(void) { void *p = malloc(67); __asm__(""); return p; }
void *in_library(void) { void *p = made_by_$name(); __asm__(""); return p; }
END
  $CC -g -O0 -fno-builtin -shared -fPIC -o $name.so $name.c || exit 1
done

# ways CASE: run it; it is killed.
ways() {
  rm -f ways.data*
  "$MPROF" run -o ways.data ./ways "$1" ways.data >out 2>err
  same "$1: the status is that of the signal" 137 $?
}

# chains FILE: what was allocated of objects of 61 and 67 bytes.
chains() {
  "$MPROF" export --format=folded --value=allocs "$1" |
    grep -E '(;make|;made_by_[a-z]*) [0-9]+$'
}

all() { # NAME EXPECTED: the chains of all files, by their names
  local file
  same "$1" "$2" "$(for file in ways.data*; do chains "$file"; done |
    sort | tr '\n' ',')"
}

ways forks
all 'a fork: the parent, and the child for itself' \
  'main;forks;make 13,main;forks;make 7,'
ways execs
all 'exec: the program before, too' \
  'main;execs;make 5,main;forks;make 13,main;forks;make 7,'
ways execs-directly
all 'exec by a system call' \
  'main;execs;make 5,main;forks;make 13,main;forks;make 7,'
rm -f ways.data*
"$MPROF" run -q --only=ways -o ways.data sh -c \
  'sh -c "exec env ./ways execs ways.data"; ./ways execs-directly; :' 2>/dev/null
all 'in child processes' \
  'main;execs;make 5,main;execs;make 5,main;forks;make 13,main;forks;make 13,main;forks;make 7,main;forks;make 7,'
ways starts
all 'another process that is killed' 'main;make 109,main;starts;make 11,'
ways regions
all 'regions: chains' 'main;regions;make 1,main;regions;make 7,'
"$MPROF" report --tables=regions --no-legend ways.data |
  awk '$NF == "outer" || $NF == "outer;inner" { print $1, $3, $5, $7 }' >got
same 'regions: how often, and what' '1 7 427 427
1 2 122 122' "$(cat got)"
ways libraries
all 'libraries that took one place' \
  'main;call_library;in_library;made_by_one 2,main;call_library;in_library;made_by_two 2,'
rm -f cut.data*
$CC -g -O1 -fno-builtin -w -DEND='raise(9)' -fomit-frame-pointer \
  -fno-unwind-tables -fno-asynchronous-unwind-tables -o cut \
  "$top/tests/malloc/programs/cut.c"
"$MPROF" run -q -o cut.data ./cut 2>/dev/null
same 'chains that are cut short' '[cut short];lose 1000' \
  "$("$MPROF" export --format=folded --value=allocs cut.data)"
ways restarts
all 'what was forgotten' 'main;make 9,'

# An earlier image is not replaced.
rm -f ways.data*
pids=()
for i in 1 2; do
  MPROF_OUT=ways.data LD_PRELOAD=$MPROF_LIB/libmprof-malloc.so \
    ./ways regions $i &
  pids+=($!)
  wait $! 2>/dev/null
done
for file in ways.data "ways.data.${pids[0]}"; do
  run report --tables=direct "$file"
  grep -q ' make$' out
  result $? "killed twice: ${file%.[0-9]*}"
done

# The file cannot grow beyond 1500 KiB: the program goes on, and all is counted.
$CC -g -O1 -fno-optimize-sibling-calls -o busy "$programs/busy.c" -lpthread
rm -f full.data*
(ulimit -f 1500; "$MPROF" run -q -o full.data ./busy log 2 0) 2>/dev/null
same 'a small file: status' 0 $?
"$MPROF" report --tables=reconciliation full.data >out
says 'what lacks is told' 'the file had no room to grow'
same 'all is counted' \
  "$(logs log | awk '{ n += $2; b += $3 } END { print n, b }')" \
  "$("$MPROF" export --format=folded --value=allocs full.data |
    awk '/make|over the budget/ { n += $NF } END { printf "%d ", n }'
  "$MPROF" export --format=folded --value=bytes full.data |
    awk '/make|over the budget/ { n += $NF } END { print n }')"

finish
