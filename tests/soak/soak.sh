#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# soak.sh: threads, forks and unloading at once, for SECONDS (180), with a
# program that counts by itself what it allocates; once with room for fewer
# contexts than it has.

. "$(dirname "$0")/../malloc/check.bash"

compile soak -O1
for name in one two; do
  $CC -g -shared -fPIC -O1 -fno-builtin -DNAME=from_$name -o $name.so \
    "$tests/programs/loaded.c"
done
round=0
for budget in 100000 100000 200; do
  round=$((round + 1))
  rm -f soak.data*
  timeout 3000 env MPROF_BUDGET=$budget MPROF_OUT="$work/soak.data" \
    LD_PRELOAD="$monitor" ./soak \
    $((${SECONDS_OF_SOAK:-180} / 3)) >out 2>err </dev/null
  same "round $round: exit status" 0 $?
  read -r allocated kept replaced children <out
  program=soak
  check_sizes "round $round: objects" \
    "61:$allocated:$((61 * allocated)):$kept:$((61 * kept))" \
    "73:$replaced:$((73 * replaced)):0:0"
  same "round $round: no walk was cut short" 'comment cut_allocations 0' \
    "$(rows soak.data comment | grep cut_)"
  same "round $round: children" "$children" "$(for file in soak.data.*; do
    totals "$file"
  done | grep -cx '7 91 7 91')"
  if [ "$budget" = 200 ]; then
    same "round $round: something is over the budget" 1 \
      "$(rows soak.data comment | grep -c 'unattributed_allocations [1-9]')"
    continue
  fi
  same "round $round: nothing is over the budget" 1 \
    "$(rows soak.data comment | grep -c 'unattributed_allocations 0')"
  names=$("$MPROF" export --format=folded --value=allocs soak.data |
    grep -o ';from_[a-z]* ' | sort -u | tr -d '\n')
  same "round $round: functions of libraries that are gone" \
    ';from_one ;from_two ' "$names"
done
finish
