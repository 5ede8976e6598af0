#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Heap profiles that gperftools, tcmalloc and jemalloc write as text are read
# by all commands: figures, names from the program, estimates as pprof makes
# them; damaged ones are refused with a reason and an offset.
. "$(dirname "$0")/check.bash"

mkdir -p 'jos'$'\xc3\xa9''/my code' && cd 'jos'$'\xc3\xa9''/my code' || exit 1
cat >program.c <<'E2'
#include <stdio.h>
int inner(int n) { return n * 3 + 1; }
int outer(int n) { return inner(n) + inner(n + 1); }
int main(void) {
  char line[4096];
  FILE *maps = fopen("/proc/self/maps", "r");
  printf("%p %p %p\n", (void *)((char *)inner + 5),
         (void *)((char *)outer + 5), (void *)((char *)main + 5));
  while (fgets(line, sizeof line, maps) != NULL)
    fputs(line, stdout);
  return outer(1) == 0;
}
E2
${CC:-gcc} -g -O0 -o program program.c && ./program >all || exit 1
read -r inner outer main <all
maps=$(sed 1d all)

# text HEADING: a file of gperftools, then of jemalloc, with that kind.
text() {
  cat >text <<E2
heap profile:   3:  300 [  6:  600] @ $1
   1:  100 [  2:  200] @ $inner $outer $main
   2:  200 [  3:  300] @  $outer $main
   0:    0 [  1:  100] @ $main

MAPPED_LIBRARIES:
$maps
E2
  cat >text2 <<E2
$2
  t*: 3: 300 [6: 600]
  t0: 3: 300 [6: 600]
@ $inner $outer $main
  t*: 1: 100 [2: 200]
  t0: 1: 100 [2: 200]
@ $outer $main
  t*: 2: 200 [3: 300]
  t0: 1: 100 [1: 100]
  t1: 1: 100 [2: 200]
@ $main
  t*: 0: 0 [1: 100]

MAPPED_LIBRARIES:
$maps
E2
}

# folded FILE OPTION...: chains and bytes, in one line.
folded() {
  "$MPROF" export --format=folded --value=bytes "$@" 2>&1 | sort | paste -sd' '
}

text heapprofile heap_v2/1
for file in text text2; do
  result_of=$(folded $file)
  [ "$result_of" = 'main 100 main;outer 300 main;outer;inner 200' ]
  result $? "$file: chains with names: $result_of"
  [ "$(folded $file --value=kept)" = 'main;outer 200 main;outer;inner 100' ]
  result $? "$file: what is in use"
  expect "$file: report" 0 '' report --no-legend $file
  says "$file: the total" '6 allocations, 600 bytes, 3 functions'
  says_not "$file: is exact" estimate
  expect "$file: lines" 0 '' export --format=folded --by=line $file
  says "$file: lines" 'program.c:2 200'
  gzip -kf $file
  [ "$(folded $file.gz)" = "$result_of" ]
  result $? "$file: compressed"
  expect "$file: merged" 0 '' merge -o merged $file $file
  [ "$(folded merged)" = 'main 200 main;outer 600 main;outer;inner 400' ]
  result $? "$file: merged: the sums"
  expect "$file: flamegraph" 0 '' flamegraph -o page.html $file
  expect "$file: graph" 0 '' export -o graph.dot $file
done
expect 'compared' 0 '' diff --no-legend text text2
says 'both say the same' '600  600            bytes'

# By hand: bytes / (1 - exp(-100 / 128)), without the fraction.
text heap_v2/128 heap_v2/128
for file in text text2; do
  [ "$(folded $file)" = 'main 184 main;outer 553 main;outer;inner 368' ]
  result $? "$file: sampled: $(folded $file)"
  [ "$(folded $file --value=allocs)" = 'main 1 main;outer 5 main;outer;inner 3' ]
  result $? "$file: sampled: objects: $(folded $file --value=allocs)"
  expect "$file: sampled" 0 '' report --no-legend $file
  says "$file: says so" \
    'Sampled, one allocation in about 128 bytes: figures are estimates'
done

sed 's/\[.*\]/[0: 0]/' text2 | sed 's|heap_v2/128|heap_v2/1|' >live
expect 'only what is in use' 0 '' report --no-legend live
says 'is said' 'The profile has only memory that was live'
[ "$(folded live)" = 'main;outer 200 main;outer;inner 100' ]
result $? 'and counts'
sed 's|  /.*/program|  /gone/program|' text >gone
expect 'a program that is not there' 0 '' report --no-legend gone
says 'is named' '/gone/program cannot be read, so its functions have no names'
sed '/MAPPED/,$d' text >alone
expect 'without files' 0 '' report --no-legend alone

echo 'heap profile: 0: 0 [0: 0] @ heapprofile' >none
expect 'nothing at all' 0 '' report --no-legend none
says 'counts nothing' 'Nothing was allocated'

# refused TITLE REASON SED...: the file after that.
refused() {
  sed "${@:3}" text >damaged
  run report damaged
  [ "$status" = 1 ] && grep -qF "cannot read 'damaged': $2" err
  result $? "$1: $(cat err)"
}
text heapprofile heap_v2/1
line=$(head -n 1 text | wc -c)
refused 'another kind' 'is no heap profile that mprof knows (offset 0 of the file)' \
  '1s/heapprofile/growthz/'
refused 'more behind it' 'is no heap profile that mprof knows (offset 0 of the file)' \
  '1s/heapprofile/heap_v2\/128]/'
refused 'a word for a number' \
  "the line is not N: N [N: N] @ ADDRESSES (offset $line of the file)" '2s/100/many/'
refused 'a negative one' "the line is not N: N [N: N] @ ADDRESSES" '2s/200/-200/'
refused 'no bracket' "the line is not" '2s/\[//'
refused 'a number beyond 63 bits' 'the line is not' '2s/200/9223372036854775808/'
refused 'no address' 'an address is not a hexadecimal number' '2s/0x/x/'
refused 'sums beyond 63 bits' 'the sums overflow at sample 1' \
  '2s/ 200/ 9223372036854775807/'
refused 'a zero' 'the text has a zero byte' '3s/ /\x00/'
echo 'heap of text' >damaged
expect 'other text' 1 "mprof: cannot read 'damaged': is a text file, not a profile (offset 0 of the file)" \
  report damaged

# A real one: 300 texts are freed, 50 texts and 50 nodes of 48 bytes kept.
allocator=$(ldconfig -p | sed -n 's/.*libjemalloc.so.2 .* => //p' | head -n 1)
if [ -n "$allocator" ]; then
  ${CC:-gcc} -g -O1 -fno-inline -fno-optimize-sibling-calls \
    -fno-omit-frame-pointer -o heap "$top/tests/foreign/heap.c"
  MALLOC_CONF=prof:true,lg_prof_sample:0,prof_final:true,prof_accum:true,prof_prefix:real \
    LD_PRELOAD=$allocator ./heap
  real=$("$MPROF" export --format=folded --value=allocs real.*.heap |
    grep ^main | sort | paste -sd' ')
  [ "$real" = 'main;grow;node 50 main;grow;text 50 main;waste;text 300' ]
  result $? "jemalloc's own: $real"
fi
finish
