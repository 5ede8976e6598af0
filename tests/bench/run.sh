#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# run.sh: what profiling costs, in processor time.  Each program of programs/
# runs in three configurations, each time in a process of its own: the unpatched
# ECL, the patched one with the monitor stopped, and counting.  They take turns,
# program by program, round after round, so that a machine that becomes slower
# or faster does so for all; the order turns round each time.
#
# run.sh --instructions: count instructions instead (see instructions.sh).
# run.sh --on-off: the same of the monitor stopped, and counting: minutes for
# ten programs, and no unpatched ECL is needed.
#
# Environment: ECL, ECL_REFERENCE, BUILD, MPROF_LIB (set by make bench and its
# like); ROUNDS (5), PROGRAMS (names; all), HEAP (bytes that the heap begins
# with, or default; see ecl.sh).
#
# Writes BUILD/bench/results, one line a measurement, or .../instructions.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
: "${ECL:?run me with: make bench}" "${BUILD:?}"
rounds=${ROUNDS:-5}
work=$BUILD/bench
ppcre=/usr/share/common-lisp/source/cl-ppcre
configurations='reference stopped mprof'
[ "${1:-}" != --on-off ] || configurations='stopped mprof'

# shellcheck source=ecl.sh
. "$here/ecl.sh"

# shellcheck disable=SC2086 # names have no blanks
prepare $configurations patched
# shellcheck disable=SC2086
list_programs ${PROGRAMS:-} >"$work/programs"
if [ -n "${1:-}" ]; then
  # shellcheck disable=SC2086
  CONFIGURATIONS=$configurations "$here/instructions.sh"
  awk -v unit=5000 -v pair=$([ "$1" != --instructions ] || echo 1) \
    -f "$here/table.awk" "$work/instructions"
  exit
fi

: >"$work/results"
for ((r = 1; r <= rounds; r++)); do
  while read -r name group; do
    printf '\rbench: round %s of %s, %-24s' "$r" "$rounds" "$name" >&2
    for configuration in $configurations; do
      run_ecl "$configuration" "$group" \
        "(bench:measure\"$name\":$configuration)" 2>>"$work/errors" |
        grep "^$name " >>"$work/results" ||
        die "$name failed in configuration $configuration, see $work/errors"
    done
  done <"$work/programs"
  configurations=$(printf '%s\n' $configurations | tac)
done
printf '\r%60s\r' '' >&2
# The first round has them in order.
awk -v unit=1e-6 -v pair=1 -f "$here/table.awk" "$work/results"
