#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# How time, memory and files grow with the number of contexts, from 10^3 to
# 10^6: a row each.  The program is tests/growth/paths.lisp, up to 24 frames
# deep below some 20 that are ECL's own.
#
# Seconds are of processor time, and so do not depend on what else runs.  MB are
# what a process had resident at most: counting, and then writing, in the
# profiled ECL, which without mprof has some 20.
#
# Environment: ECL, MPROF, BUILD (set by make bench-growth), MAXIMUM (the
# largest power of ten, default 6).

set -eu
cd "$(dirname "$0")/../.."
: "${ECL:?run me with: make bench-growth}" "${MPROF:?}" "${BUILD:?}"
work=$BUILD/growth
mkdir -p "$work"
. tests/growth/lisp.bash
compile_paths
${CC:-gcc} -std=c11 -D_GNU_SOURCE -O1 -o "$work/measure" \
  tests/bench/measure.c

# timed COMMAND...: its processor seconds, clock seconds and kibibytes.
timed() {
  rm -f "$work/times"
  "$work/measure" "$work/times" "$@" >"$work/out"
  awk '{ printf "%.3f %.3f %d\n", $1, $2, $3 }' "$work/times"
}

for ((power = 3; power <= ${MAXIMUM:-6}; power++)); do
  file=$work/growth$power.data
  figures=$(lisp "(growth::measure (expt 10 $power) \"$file\")" |
    sed -n 's/^figures //p')
  # shellcheck disable=SC2046,SC2086 # words are columns
  echo $figures "$(wc -c <"$file")" \
    $(timed "$MPROF" report "$file")
done | awk '
  # Columns: 1 contexts, 2 their bytes, then threes of processor seconds, clock
  # seconds and kibibytes: 3 count, 6 write; 9 file size; then 10 report.
  function row(a, b, c, d, e, f, g, h, i) {
    printf "%9s %6s %8s %4s %7s %4s %9s %7s %5s\n", a, b, c, d, e, f, g, h, i
  }
  function mega(kilobytes) { return sprintf("%.0f", kilobytes / 1024) }
  BEGIN {
    row("contexts", "bytes", "count", "", "write", "", "file", "report", "")
    row("", "each", "s", "MB", "s", "MB", "bytes", "s", "MB")
  }
  { row($1, sprintf("%.1f", $2 / $1), $3, mega($5), $6, mega($8), $9, $10,
        mega($12)) }'
