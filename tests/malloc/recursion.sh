#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Recursion is folded: memory does not grow with its depth, and no figure of a
# function, of a pair of caller and callee, or of a path to a leak changes.

. "$(dirname "$0")/check.bash"

# contexts: how many the last profile told apart.
contexts() { rows recursion.data comment | sed -n 's/^comment contexts //p'; }

# figures_of_functions: all tables that are of functions, and of leaks.
figures_of_functions() {
  local table
  {
    for table in functions arcs types threads; do
      echo "$table"
      "$MPROF" export --format=csv --tables=$table recursion.data |
        LC_ALL=C sort
    done
    "$MPROF" report -verbose --tables=leaks,direct,peak,temporary,graph,bins \
      recursion.data
    "$MPROF" report -verbose --tables=leaks -offsets recursion.data
  } 2>&1 | sed 's/, [0-9]* contexts$//'
}

for flags in -O0 '-O2 -fomit-frame-pointer -fno-optimize-sibling-calls'; do
  # shellcheck disable=SC2086
  compile recursion $flags

  for depth in 1 2 7 50; do
    profile recursion down $depth
    expect "$flags: $depth deep" recursion.data $((2 * depth)) \
      $((30 * depth)) $depth $((10 * depth)) $((depth + 1)) \
      $((10 * depth + 20)) $depth
  done
  profile recursion down 50
  few=$(contexts)
  profile recursion down 20000
  expect "$flags: 20000 deep" recursion.data 40000 600000 20000 200000 20001 \
    200020 20000
  same "$flags: as many contexts as 50 deep" "$few" "$(contexts)"
  same "$flags: the function is known to call itself" \
    'main down 40000
down down 39998' "$("$MPROF" export --format=csv --tables=arcs recursion.data |
    tr -d '"\r' | awk -F, '$2 == "down" { print $1, $2, $3 }')"

  profile recursion grow 5 70 6 71
  few=$(contexts)
  profile recursion grow 5 1000 6 1001
  same "$flags: two functions in turn" "$few" "$(contexts)"

  for arguments in 'down 60' 'grow 5 70 6 71' 'random 9 3000' \
    'random 80 2000'; do
    # shellcheck disable=SC2086
    profile recursion $arguments
    few=$(contexts)
    figures_of_functions >folded
    # shellcheck disable=SC2086
    MPROF_UNFOLDED=1 profile recursion $arguments
    figures_of_functions >unfolded
    same "$flags: $arguments: as if it were not folded" "$(cat unfolded)" \
      "$(cat folded)"
    same "$flags: $arguments: fewer contexts" 1 $((few < $(contexts)))
  done

  # beyond any budget: all is counted
  all=$(rows recursion.data all)
  for unfolded in MPROF_UNFOLDED=1 NOTHING=; do
    env $unfolded MPROF_BUDGET=40 MPROF_OUT="$work/recursion.data" \
      LD_PRELOAD="$monitor" ./recursion random 80 2000
    same "$flags: $unfolded: a small budget" "$all" \
      "$(rows recursion.data all)"
    same "$flags: $unfolded: and that it was too small" 1 "$(
      "$MPROF" report recursion.data | grep -c 'OVER THE BUDGET')"
  done
done
finish
