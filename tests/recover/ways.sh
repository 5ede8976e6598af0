#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What an image of a C program knows beside counters, of programs that are
# killed: forks, other programs, regions, libraries that come and go; and where
# it finds no room.

. "$(dirname "$0")/check.bash"

$CC -g -O1 -fno-builtin -I"$top/monitor/malloc" -o ways "$programs/ways.c" \
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
  "$MPROF" run --mapped -o ways.data ./ways "$1" ways.data >out 2>err
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
same 'exec: no image is left' '' "$(ls | grep mapped)"
ways execs-directly
all 'exec by a system call' \
  'main;execs;make 5,main;forks;make 13,main;forks;make 7,'
same 'exec by a system call: no image is left' '' "$(ls | grep mapped)"
rm -f ways.data*
"$MPROF" run -q --only=ways -o ways.data sh -c \
  'sh -c "exec env ./ways execs ways.data"; ./ways execs-directly; :' 2>/dev/null
all 'in child processes' \
  'main;execs;make 5,main;execs;make 5,main;forks;make 13,main;forks;make 13,main;forks;make 7,main;forks;make 7,'
same 'in child processes: no image is left' '' "$(ls | grep mapped)"
ways starts
all 'another process that is killed' 'main;make 109,main;starts;make 11,'
same 'its image is not left' '' "$(ls | grep mapped)"
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
  -fno-asynchronous-unwind-tables -o cut "$top/tests/malloc/programs/cut.c"
"$MPROF" run -q -o cut.data ./cut 2>/dev/null
same 'chains that are cut short' '[cut short];lose 1000' \
  "$("$MPROF" export --format=folded --value=allocs cut.data)"
ways restarts
all 'what was forgotten' 'main;make 9,'

# An earlier image is not replaced.
rm -f ways.data*
export MPROF_MAPPED=1 MPROF_OUT=ways.data
for i in 1 2; do
  (exec env LD_PRELOAD="$MPROF_LIB/libmprof-malloc.so" ./ways $i) 2>/dev/null
done
same 'killed twice: both are there' 2 "$(ls -d ways.data.mapped* | wc -l)"
run recover "$(ls -d ways.data.mapped.*)"
same 'the first one can be recovered' 0 "$status"
rm -f ways.data*
echo mine >ways.data.mapped
LD_PRELOAD=$MPROF_LIB/libmprof-malloc.so ./ways forks 2>err
same 'what is no image stays' mine "$(cat ways.data.mapped)"
same 'and is said' 1 "$(grep -c "^mprof: cannot map the counters beside '.*ways.data': File exists" err)"
unset MPROF_MAPPED MPROF_OUT

# No room in the file: the program goes on, and what it then counts is there
# when it ends by itself.
$CC -g -O1 -fno-optimize-sibling-calls -o busy "$programs/busy.c" -lpthread
rm -f full.data*
(ulimit -f 300; "$MPROF" run --mapped -q -o full.data ./busy log 2 9) \
  2>/dev/null
same 'a small file, killed: its status' 137 $?
"$MPROF" report --tables=reconciliation full.data >out
says 'what lacks is told' \
  'allocations that did not fit into the file that the program had mapped'
sums full.data make allocs bytes >got
logs log | awk 'NR == FNR { n[$1] = $2; b[$1] = $3; next }
  $2 < n[$1] || $3 < b[$1] { exit 1 }' got - && [ -s got ]
result $? 'what there is was allocated'

finish
