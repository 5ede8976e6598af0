#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Ten million contexts: more than the default budget, then within a larger one.  Each time the profile is written, read and
# reported.  Takes about a minute and 4 GB of memory, nearly all of it for the
# reports.

set -u
cd "$(dirname "$0")/../.." || exit 1
: "${BUILD:=$PWD/build}" "${ECL:=$BUILD/bin/ecl}" "${MPROF:=$BUILD/bin/mprof}"
work=$BUILD/growth
walks=${WALKS:-2200000} # 8,594,302 contexts below the first call, and the leaves
failed=0
mkdir -p "$work"
. tests/growth/lisp.bash
compile_paths || exit 1

# check NAME EXPECTED FOUND
check() {
  if [ "$2" = "$3" ]; then
    echo "ok - $1: $3"
  else
    echo "not ok - $1: $3, not $2"
    failed=1
  fi
}

# report FILE OVER: the report of FILE has all walks, and says how many are over
# the budget.
report() {
  "$MPROF" report --tables=direct "$1" >"$work/out" 2>"$work/err"
  check "$1: report" 0 $?
  check "$1: allocations reported" "$walks" \
    "$(sed -n 's/^\([0-9]*\) allocations, .*/\1/p' "$work/out")"
  check "$1: over the budget, as reported" "$2" \
    "$(sed -n 's/^OVER THE BUDGET: \([0-9]*\) allocations.*/\1/p' "$work/out")"
}

lisp "(growth::check-over $walks \"$work/over.data\")" >"$work/over" 2>&1
check 'counted over the budget' 0 $?
grep -E '^(not )?ok ' "$work/over"
report "$work/over.data" "$(sed -n 's/^# over the budget: //p' "$work/over")"

lisp "(growth::check-room $walks (ash 1 24) \"$work/room.data\")" \
  >"$work/room" 2>&1
check 'counted with room' 0 $?
grep -E '^(not )?ok ' "$work/room"
report "$work/room.data" ''
! grep -q '^not ok' "$work/over" "$work/room" || failed=1
exit "$failed"
