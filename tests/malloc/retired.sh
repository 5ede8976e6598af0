#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# More contexts than the budget, which are retired into their callers: all
# figures are those that the program has counted by itself.

. "$(dirname "$0")/check.bash"

compile retired -O0

# of_sizes FILE: its figures by size, and what of that is lost.
of_sizes() {
  { rows "$1" size; rows "$1" lost; } | grep -E '^[a-z]* (17|61|73|97|113) '
}

# of_areas FILE: allocations and bytes below each area.
of_areas() {
  paste -d' ' \
    <("$MPROF" export --format=folded --value=allocs "$1") \
    <("$MPROF" export --format=folded --value=bytes "$1") | awk '
    { for (i = split($1, names, ";"); i > 0; i--)
        if (names[i] ~ /^(plain|other|deep)$/) {
          allocs[names[i]] += $2; bytes[names[i]] += $4 } }
    END { for (f in allocs) print "area", f, allocs[f], bytes[f] }'
}

# is_right TITLE FILE: it says what the program has printed.
is_right() {
  same "$1: figures by size" "$(grep '^size\|^lost' out | sort)" \
    "$(of_sizes "$2" | if grep -q ' - ' out
      then sed 's/^\(size.*\) [0-9]* [0-9]* \([0-9]*\)$/\1 - - \2/'
      else cat; fi | sort)"
  same "$1: figures of a region" "$(grep ^region out)" \
    "$(rows "$2" region | grep '^region even ' | cut -d' ' -f 1-6)"
  if grep -q ^held out; then
    same "$1: what lived when it was left" "$(grep ^held out)" \
      "$(rows "$2" comment | awk '/^comment region .* even$/ {
        print "held", $7 }')"
  fi
  same "$1: figures by area" "$(grep ^area out | sort)" \
    "$(of_areas "$2" | sort)"
}

# all_have_callers TITLE FILE: some are retired, and none without a caller.
all_have_callers() {
  same "$1: nothing is over the budget" 'comment unattributed_allocations 0' \
    "$(rows "$2" comment | grep unattributed_alloc)"
  same "$1: what is retired is said" "$(
    "$MPROF" export --format=folded --value=allocs "$2" |
      awk '/(^|;)\[retired\] / { n += $NF } END { print n }')" "$(
    rows "$2" comment | sed -n 's/^comment retired_note \([0-9]*\) .*/\1/p')"
}

# run TITLE VARIABLE=VALUE... -- ARGUMENT...
run() {
  local title=$1 settings=()
  shift
  while [ "$1" != -- ]; do
    settings+=("$1")
    shift
  done
  shift
  rm -f retired.data*
  timeout 100 env MPROF_OUT="$work/retired.data" MPROF_REACHABLE=1 \
    "${settings[@]}" LD_PRELOAD="$monitor" ./retired "$@" >out 2>err </dev/null
  same "$title: exit status" 0 $?
  is_right "$title" retired.data
}

run 'with room' -- 1 20000 alone
same 'with room: nothing is retired' '' "$(rows retired.data comment |
  grep retired_note)"
run 'one thread' MPROF_BUDGET=1500 -- 1 60000 alone
all_have_callers 'one thread' retired.data
run 'as they are called' MPROF_BUDGET=1500 MPROF_UNFOLDED=1 -- 1 60000 alone
all_have_callers 'as they are called' retired.data
run 'threads in turn' MPROF_BUDGET=3000 -- 7 20000 alone
all_have_callers 'threads in turn' retired.data
# The file has the contexts as they are.
run 'mapped' MPROF_MAPPED=1 -- 1 20000 alone
all=$(rows retired.data all)
rm -f retired.data*
timeout 100 env MPROF_OUT="$work/retired.data" MPROF_MAPPED=1 \
  MPROF_BUDGET=1500 LD_PRELOAD="$monitor" ./retired 1 20000 alone >out
same 'mapped, beyond the budget: all is counted' "$all" \
  "$(rows retired.data all)"
same 'mapped, beyond the budget: nothing is retired' '1 0' "$(
  rows retired.data comment | awk '
    /unattributed_allocations/ { n = $3 > 0 } /retired_note/ { r++ }
    END { print n + 0, r + 0 }')"
run 'threads' MPROF_BUDGET=3000 -- 12 40000
all_have_callers 'threads' retired.data

# A signal ends it somewhere: all samples are what was counted until then.
for threads in 1 2 3 5 8; do
  rm -f retired.data*
  timeout 100 env MPROF_OUT="$work/retired.data" MPROF_BUDGET=400 \
    LD_PRELOAD="$monitor" ./retired "$threads" 5000 ended >out 2>err
  same "$threads threads are ended: exit status" 143 $?
  same "$threads threads are ended" "$(rows retired.data comment | awk '
    $2 == "allocations" { n = $3 } $2 == "bytes" { b = $3 }
    $2 == "peak_bytes" { p = $3 } END { print n, b, p }')" \
    "$(rows retired.data all | cut -d' ' -f 3,4,8)"
done
finish
