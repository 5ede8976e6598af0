#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The call graph against a computation of its own: every figure in bytes and in
# calls of ALLOCATION CALL GRAPH is worked out again, from the chains that the
# table of contexts has, by the definitions alone:
#
#   a function's bytes          those of all chains that it is on
#   a pair's bytes              those of all chains where one calls the other
#   calls                       of the last function of a chain, by the one
#                               before it; unknown where one of them is
#   a cycle                     functions that can all reach each other
#   a cycle's bytes             those of all chains with a member on them
#   a caller's of a cycle       those of all chains where it calls a member
#   a cycle's calls             those of members by others, and by members
. "$(dirname "$0")/check.bash"

# compare NAME OPTION... FILE: both computations (graph.pl) give the same.
compare() {
  local name=$1 figures
  shift
  run export --format=csv --tables=contexts "$@"
  cp out contexts
  run report -verbose --no-legend --tables=graph "$@"
  figures=$("$top/tests/cli/graph.pl" contexts out)
  result $? "$name: $figures"
}

for profile in "$golden"/*.data; do
  name=$(basename "$profile" .data)
  case $name in long) continue ;; esac # its names are those of the others
  compare "$name" "$profile"
  compare "$name, with the runtime" --system=show "$profile"
  compare "$name, by package" --by=package "$profile"
done
compare 'two cycles without B' --hide='^B$' "$golden/two-cycles.data"
compare 'two cycles below C' --focus='^C$' "$golden/two-cycles.data"
compare 'two cycles from B on' --show-from='^B$' "$golden/two-cycles.data"
compare 'A, C and E of two cycles' --show='^[ACE]$' "$golden/two-cycles.data"
compare 'two cycles without D' --ignore='^D$' "$golden/two-cycles.data"
compare 'the body without EVAL' --system=hide "$golden/session.data"

# A profile of groups has them for functions: the same tables, calls included.
for profile in packages session two-cycles; do
  for by in package class file line; do
    expect "$profile by $by as a profile" 0 '' export --format=pprof --by=$by \
      -o grouped.data "$golden/$profile.data"
    run report -verbose --no-legend --tables=direct,graph grouped.data
    sed '1,/^$/d' out >found
    run report -verbose --no-legend --tables=direct,graph --by=$by \
      "$golden/$profile.data"
    sed '1,/^$/d' out >wanted
    [ -s wanted ] && cmp -s wanted found
    result $? "$profile by $by: the same tables"
  done
done

finish
