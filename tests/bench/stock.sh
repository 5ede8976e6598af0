#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# stock.sh: what `mprof run' costs a program on the distribution's own ECL.
# Programs of programs/, compiled by that ECL, run by themselves and under
# mprof in turns, round after round.  Prints processor time, the median of
# each, and how many times more it is.
#
# Environment: BUILD, ECL, MPROF (set by make bench-stock); ROUNDS (5),
# PROGRAMS (names; ten).

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
: "${ECL:?run me with: make bench-stock}" "${BUILD:?}" "${MPROF:?}"
work=$BUILD/bench-stock
ppcre=/usr/share/common-lisp/source/cl-ppcre
ECL_REFERENCE=/usr/bin/ecl
: "${PROGRAMS:=cons-loop boxed-floats deriv clos-instances strings browse fft
  boyer structures mapcar-lambda}"

# shellcheck source=ecl.sh
. "$here/ecl.sh"

# cpu_seconds GROUP PROGRAM
cpu_seconds() {
  run_ecl reference "$1" "(bench:measure\"$2\":reference)" 2>>"$work/errors" |
    awk -v name="$2" '$1 == name { print $3 }' | grep . ||
    die "$2 failed, see $work/errors"
}

prepare reference patched
# shellcheck disable=SC2086 # names have no blanks
list_programs $PROGRAMS >"$work/programs"
rm -f "$work/errors"
for ((round = 1; round <= ${ROUNDS:-5}; round++)); do
  while read -r name group; do
    printf '\rbench: round %s of %s, %-24s' "$round" "${ROUNDS:-5}" "$name" >&2
    echo "$name ECL $(RUNNER='' cpu_seconds "$group" "$name")"
    echo "$name mprof $(RUNNER="$MPROF run -q -o $work/mprof.data" \
      cpu_seconds "$group" "$name")"
  done <"$work/programs"
done >"$work/results"
printf '\r%60s\r' '' >&2

awk -f "$here/table.awk" "$work/results"
