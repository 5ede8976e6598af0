#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Which of the objects that were never freed are reachable at the end, and
# which are lost, directly or indirectly, as each case has made it.

. "$(dirname "$0")/check.bash"

by_run=--reachable

# case, then for each size the objects that were kept, were lost directly and
# indirectly; of other sizes are those of the C library.
cases='
nothing
global           1001:1:0:0
lost             1001:1:1:0
hidden           1001:1:1:0
local            1001:1:0:0
thread_variable  1001:1:0:0
chain            1001:2:0:0 1002:1:0:0
list             1001:5:0:0
lost_list        1001:5:1:4
long_list        24:300000:0:0
lost_long_list   24:300000:1:299999
shared           1001:3:0:3 1002:2:2:0
lost_ring        1001:3:1:2
tail             1001:4:0:4 1002:1:1:0
inside           1001:1:0:0 1002:1:0:0
behind           1001:1:1:0 1002:1:1:0
packed           1001:1:1:0
empty            0:2:1:0
aligned          1001:1:0:0 1002:1:1:0 1024:1:0:0
moved            -:1:1:0 1002:1:0:0
large            -:1:0:0 1001:1:0:0
free_lists       24:100:100:0 1032:100:100:0
small            8:5:5:0
last             24:1:1:0
no_mark          40:1:0:0
mapped           1001:1:1:0
library          1001:1:0:0 1002:1:0:0
'

ends='
threads          1001:8:0:0 1002:8:0:0 1003:8:0:0 1004:8:8:0
register         1001:2:0:0
thread_ends      1001:1:0:0 1002:1:0:0
thread_ended     1001:1:1:0
first_ended      1001:1:0:0 1002:1:1:0
mapped_stack     1001:1:0:0 1002:1:1:0
stack_object     1001:1:0:0 1002:1:1:0
_exit            1001:1:0:0 1002:1:1:0
quick_exit       1001:1:0:0 1002:1:1:0
restart          1002:1:0:0 1003:1:1:0
'

check_case() {
  check_lost "$@"
  same "$1: nothing is said" '' \
    "$(sed '/^mprof: no profile of .*: it allocated nothing/d' err)"
}

$CC -g -O1 -shared -fPIC -DLIBRARY -o reachable.so \
  "$tests/programs/reachable.c"

# check_all TITLE FLAG...: all cases, compiled so.
check_all() {
  compile reachable "${@:2}"
  each_case "$1" reachable check_case
  compile reachable_ends "${@:2}"
  cases=$ends each_case "$1" reachable_ends check_case
}

check_all PIE -O2 -pie -fPIE
# what is preloaded stands aside
# shellcheck disable=SC2086
check_all 'a part of it' -O1 $linked
# The heap of such a program is at addresses that are likely as numbers, too:
# not with many objects.
cases=$(grep -v -e long_list -e free_lists <<<"$cases")
check_all 'no PIE' -O0 -no-pie -fno-pie

# Threads that wait in the kernel, and go on to.
for case in calls io_uring; do
  succeeds reachable_ends $case
  check_case $case 1001:1:1:0
done

for signal in SEGV BUS FPE ILL ABRT TRAP SYS TERM INT HUP QUIT XCPU XFSZ ALRM \
  USR1 USR2 PIPE VTALRM PROF; do
  number=$(kill -l $signal)
  SIGNAL=$number profile reachable_ends killed
  same "$signal: exit status" $((128 + number)) "$status"
  check_case $signal 1001:1:0:0 1002:1:1:0
done 2>/dev/null
succeeds reachable_ends fork
check_case fork 1001:1:0:0
same 'fork: in the child' '1002:1:0:0 1003:1:1:0' \
  "$(lost reachable_ends.data.[0-9]* 1001 1002 1003)"

succeeds reachable_ends unstoppable
check_case unstoppable 1001:1:1:0

# without_losses NAME WHY: it ends well, has all but what is lost, and says why.
without_losses() {
  same "$1: exit status" 0 "$status"
  same "$1: says why" \
    "mprof: cannot find what is lost in '$work/reachable_ends.data': $2" \
    "$(cat err)"
  same "$1: the rest is written" 'lost 1001 1 0 0' \
    "$(rows reachable_ends.data lost | grep 1001)"
}

profile reachable_ends filter
without_losses filter 'the program filters its system calls'
profile reachable_ends traced
without_losses traced 'the process may not be traced, or is traced already'
# Nobody looks for it: the program does not wait.
rm -f reachable_ends.data*
time=$( { time timeout 100 env MPROF_OUT="$work/reachable_ends.data" \
  MPROF_REACHABLE=2000000000 LD_PRELOAD="$MPROF_LIB/libmprof-malloc.so" \
  ./reachable_ends _exit 2>err; } 2>&1 | awk '/real/ { print $2 }')
status=0
without_losses 'without mprof run' 'mprof run does not answer'
same 'without mprof run: at once' 0m0 "${time%%.*}"

# What the dynamic linker has for a thread that has ended, with variables of a
# library, is not lost: the next thread takes it.
cat >ended.c <<'E'
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#ifdef LIBRARY
static __thread char variable[20000];
void *touch(void *unused) { return variable + (variable[5] = 1); }
#else
int main(void) {
  void *library = dlopen("./ended.so", RTLD_NOW);
  void *(*touch)(void *) = (void *(*)(void *))dlsym(library, "touch");
  pthread_t thread;
  pthread_create(&thread, NULL, touch, NULL);
  return pthread_join(thread, NULL);
}
#endif
E
$CC -w -shared -fPIC -DLIBRARY -o ended.so ended.c
$CC -w -o ended ended.c -lpthread -ldl
profile ended
same 'variables of a thread that has ended: lost' 0:0 \
  "$(rows ended.data lost | awk '{ direct += $4; indirect += $5 }
    END { print direct + 0 ":" indirect + 0 }')"

# The table.
compile losing -O0
profile losing
same 'the table' "$(cat <<'E'
Lost: 1442 bytes in 3 objects directly, and 2392 bytes in 23 indirectly; still reachable: 1040 bytes in 10

MEMORY LEAKS

lost  %  objects  direct  objects  reachable  objects  allocs  path
---
3834 **       26    1442        3       1040       10     136  <TOTAL>
2600 67       25     208        2          0        0      25  main>lose_list>make
1234 32        1    1234        1          0        0       1  main>lose
   0           0       0        0       1040       10      10  main>keep>make
E
)" "$("$MPROF" report --tables=leaks --no-legend --verbose losing.data |
  sed '1,2d; s/^---*$/---/')"
echo leak:lose_list >suppressions
same 'without what is suppressed' '1234 ** 1 1234 1 1040 10 111 <TOTAL>' \
  "$("$MPROF" report --tables=leaks --suppressions=suppressions losing.data |
    awk '$NF == "<TOTAL>" { $1 = $1; print }')"
# A list of 7.2 MB is lost with its head, of 24 bytes: in a PIE, as above.
compile reachable -O1 -pie -fPIE
profile reachable lost_long_list
same 'a list counts with its head' '7200000 ** 300000 24 1' \
  "$("$MPROF" report --tables=leaks reachable.data |
    awk '/hide_list/ { print $1, $2, $3, $4, $5 }')"
"$MPROF" run --reachable -o run.data ./losing 2>err
by_run=
same 'a line says how much' "mprof: wrote 'run.data': 136 allocations, \
9874 bytes, 4874 of them kept, 3834 of these lost (1442 directly, 2392 indirectly); see: mprof report run.data" \
  "$(cat err)"
profile losing
"$MPROF" report --tables=leaks run.data losing.data >found
same 'with a file that does not say it' '' "$(grep -i '\<lost\>' found)"
same 'what is kept in both' '9748 ** 272 19748 ** 200 10000 ** <TOTAL>' \
  "$(awk '$NF == "<TOTAL>" { $1 = $1; print }' found)"
profile reachable lost
same 'it is not asked for' 'lost 1001 1 0 0' "$(rows reachable.data lost)"
finish
