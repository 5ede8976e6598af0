#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# More contexts than the budget: what finds none is counted below the nearest
# caller that has one, and all figures are those that the program has counted by
# itself.

. "$(dirname "$0")/check.bash"

compile budget -O0

# of_sizes FILE: its figures by size, and what of that is lost.
of_sizes() {
  { rows "$1" size; rows "$1" lost; } | grep -E '^[a-z]* (17|61|73|97|113) '
}

# of_areas FILE: allocations and bytes below each area.
of_areas() {
  paste -d' ' \
    <("$MPROF" export --format=folded --value=allocs "$1") \
    <("$MPROF" export --format=folded --value=bytes "$1") |
    sed "s/over the budget/over_the_budget/g" | awk '
    { for (i = split($1, names, ";"); i > 0; i--)
        if (names[i] ~ /^(plain|other|deep)$/) {
          allocs[names[i]] += $2; bytes[names[i]] += $4 } }
    END { for (f in allocs) print "area", f, allocs[f], bytes[f] }'
}

# is_right TITLE: the profile says what the program has printed.
is_right() {
  same "$1: figures by size" "$(grep '^size\|^lost' out | sort)" \
    "$(of_sizes budget.data | if grep -q ' - ' out
      then sed 's/^\(size.*\) [0-9]* [0-9]* \([0-9]*\)$/\1 - - \2/'
      else cat; fi | sort)"
  same "$1: figures of a region" "$(grep ^region out)" \
    "$(rows budget.data region | grep '^region even ' | cut -d' ' -f 1-6)"
  if grep -q ^held out; then
    same "$1: what lived when it was left" "$(grep ^held out)" \
      "$(rows budget.data comment | awk '/^comment region .* even$/ {
        print "held", $7 }')"
  fi
  same "$1: figures by area" "$(grep ^area out | sort)" \
    "$(of_areas budget.data | sort)"
}

# is_said TITLE: how much is over the budget.
is_said() {
  same "$1: what is over the budget is said" "1 $(
    "$MPROF" export --format=folded --value=allocs budget.data |
      awk '/(^|;)\[over the budget\] / { n += $NF } END { print n }') $(
    "$MPROF" export --format=folded --value=bytes budget.data |
      awk '/(^|;)\[over the budget\] / { n += $NF } END { print n }')" "$(
    rows budget.data comment | awk '
      /unattributed_allocations/ { n = $3 } /unattributed_bytes/ { b = $3 }
      END { print (n > 0), n, b }')"
  same "$1: nothing is called from there" '' "$(
    "$MPROF" export --format=folded --value=allocs budget.data |
      grep '\[over the budget\];')"
}

# run TITLE OPTIONS ARGUMENT...
run() {
  rm -f budget.data*
  # shellcheck disable=SC2086
  timeout 100 "$MPROF" run -q --reachable -o budget.data $2 ./budget "${@:3}" \
    >out 2>err </dev/null
  same "$1: exit status" 0 $?
  is_right "$1"
  [ -z "$2" ] || is_said "$1"
}

for budget in 16711680 134217729 99999999999999999999; do
  rm -f budget.data*
  MPROF_BUDGET=$budget MPROF_OUT=$work/budget.data LD_PRELOAD=$monitor \
    timeout 100 ./budget 1 2000 alone >out 2>err </dev/null
  same "$budget: what is said" "mprof: MPROF_BUDGET is too large for \
'$work/budget.data': the budget is 16711679" "$(cat err)"
done
run 'with room' '' 1 20000 alone
same 'with room: nothing is over the budget' 'comment unattributed_allocations 0' \
  "$(rows budget.data comment | grep unattributed_alloc)"
run 'one thread' '--budget=1500' 1 60000 alone
run 'as they are called' '--budget=1500 --unfolded' 1 60000 alone
run 'threads in turn' '--budget=3000' 7 20000 alone
run 'threads' '--budget=3000' 12 40000

# A budget of 100 is 98 callers in a row and 99 ends of chains, as it has the
# root, and of both what is over the budget.
cat >bounds.c <<'E'
#include <stdlib.h>
void *volatile made;
void deep(int left) {
  made = malloc(10);
  if (left > 1)
    deep(left - 1);
}
int main(int count, char **words) {
  if (count > 1)
    deep(300);
  for (int size = 1; count == 1 && size <= 300; size++)
    made = malloc(size);
}
E
"$CC" -w -g -fno-builtin -o bounds bounds.c
for case in '98 deep' 99; do
  read -r most arguments <<<"$case"
  # shellcheck disable=SC2086
  "$MPROF" run -q --unfolded --budget=100 -o bounds.data ./bounds $arguments
  same "a budget of 100 is $case" "$most" "$("$MPROF" export --format=folded \
    --system=show --value=allocs --ignore='over the' bounds.data |
    awk -F '[; ]' -v deep="$arguments" '{ n = deep != "" ? NF - 2 : $NF }
      n > most { most = n } END { print most }')"
done

# A signal ends it somewhere: all samples are what was counted until then.
for threads in 1 2 3 5 8; do
  rm -f budget.data*
  timeout 100 env MPROF_OUT="$work/budget.data" MPROF_BUDGET=400 \
    LD_PRELOAD="$monitor" ./budget "$threads" 5000 ended >out 2>err
  same "$threads threads are ended: exit status" 143 $?
  same "$threads threads are ended" "$(rows budget.data comment | awk '
    $2 == "allocations" { n = $3 } $2 == "bytes" { b = $3 }
    $2 == "peak_bytes" { p = $3 } END { print n, b, p }')" \
    "$(rows budget.data all | cut -d' ' -f 3,4,8)"
done
finish
