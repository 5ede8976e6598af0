#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# run.sh: what profiling costs.  Each program of programs/ runs in six
# configurations, each time in a process of its own: the unpatched ECL, the
# patched one with no monitor, the monitor stopped, a hook that only counts
# (counter.c), mprof with whole walks, mprof.  The six take turns, program by
# program, round after round, so that a machine that becomes slower or faster
# does so for all; the order turns round each time.  Then report.lisp prints
# tables.
#
# run.sh --instructions: count instructions instead (see instructions.sh).
# run.sh --on-off: the same for two configurations, mprof and the monitor
# stopped: minutes for ten programs, and no unpatched ECL is needed.
# run.sh --live: times of the monitor stopped, mprof, and mprof that follows
# objects until they are dead.
# run.sh --words: instructions of the patched ECL without a monitor, and of
# one that is built without words in frames.
#
# Environment: ECL, ECL_REFERENCE, ECL_NO_WORDS, BUILD, MPROF_LIB (set by make
# bench and its like); ROUNDS (5), PROGRAMS (names; all), CLOCK (cpu: of the
# process, which hardly depends on what else the machine does; real),
# INSTRUCTIONS (the programs whose instructions are counted, too), HEAP (bytes
# that the heap begins with, or default; see ecl.sh).
#
# Writes BUILD/bench/results.tsv, one line a measurement.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
: "${ECL:?run me with: make bench}" "${BUILD:?}"
rounds=${ROUNDS:-5}
work=$BUILD/bench
results=$work/results.tsv
ppcre=/usr/share/common-lisp/source/cl-ppcre
configurations=(reference patched stopped counter full-walk mprof)
[ "${1:-}" != --live ] || configurations=(stopped mprof live)
handful='cons-loop boxed-floats deriv clos-instances strings down-1000
  catch-throw'

# shellcheck source=ecl.sh
. "$here/ecl.sh"

check_setting() {
  case $rounds in
  '' | *[!0-9]* | 0) die "ROUNDS=$rounds is no number of rounds" ;;
  esac
  case ${CLOCK:=cpu} in
  cpu | real) ;;
  *) die "CLOCK=$CLOCK is neither cpu nor real" ;;
  esac
}

# measure CONFIGURATION GROUP PROGRAM: one line of results, without the round.
measure() {
  run_ecl "$1" "$2" "(bench:measure\"$3\":$1)" 2>>"$work/errors" |
    grep "^$3	" || die "$3 failed in configuration $1, see $work/errors"
}

# round NUMBER: all programs in all configurations, to the results.
round() {
  local name group walks order=("${configurations[@]}") i
  if [ $(($1 % 2)) = 0 ]; then
    for i in "${!configurations[@]}"; do
      order[$i]=${configurations[-1 - i]}
    done
  fi
  while read -r name group walks; do
    printf '\rbench: round %s of %s, %-24s' "$1" "$rounds" "$name" >&2
    for configuration in "${order[@]}"; do
      if [ "$configuration" = full-walk ] && [ "$walks" = no ]; then
        continue
      fi
      line=$(measure "$configuration" "$group" "$name" </dev/null)
      printf '%s\t%s\t%s\n' "$1" "$group" "$line" >>"$results"
    done
  done <"$work/programs"
}

# instructions CONFIGURATIONS PROGRAM...
instructions() {
  CONFIGURATIONS=$1 "$here/instructions.sh" "${@:2}"
}

check_setting
all='reference patched loaded stopped counter mprof'
case ${1:-} in
--on-off) counted='stopped mprof' ;;
--words) counted='no-words patched' ;;
--live) counted=${configurations[*]} ;;
*) counted=$all ;;
esac
# shellcheck disable=SC2086
prepare $counted
list_programs ${PROGRAMS:-} >"$work/programs"
rm -f "$work/errors" "$work/instructions.tsv" "$work/functions.tsv"
if [ -n "${1:-}" ] && [ "$1" != --live ]; then
  instructions "$counted" ${PROGRAMS:-}
  report "${1#--}"
  exit
fi

printf 'round\tgroup\tprogram\tconfiguration\tsize\tseconds\tcpu_seconds\t%s\n' \
  'collections	allocations	bytes' >"$results"
for ((r = 1; r <= rounds; r++)); do
  round "$r"
done
printf '\r%60s\r' '' >&2
if [ "${1:-}" = --live ]; then
  report live
  exit
fi
if command -v valgrind >/dev/null; then
  # shellcheck disable=SC2046,SC2086 # names have no blanks
  instructions "$all" $(list_programs ${INSTRUCTIONS:-$handful} |
    sed 's/ .*//')
else
  echo 'bench: without valgrind no instructions are counted' >&2
fi
report times
