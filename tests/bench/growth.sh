#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# How time, memory and files grow with the number of contexts, from 10^3 to
# 10^6: a row each, then what is asked, and the growth from row to row.
# The program is tests/growth/paths.lisp, up to 24 frames deep below some 20
# that are ECL's own.
#
# Seconds are of processor time, and so do not depend on what else runs; those
# by the clock follow in a second table.  MB are what a process had resident
# at most: counting, and then writing, in the profiled ECL, which without
# mprof has some 20.  Last comes the longest pause while one tree grows.
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

: >"$work/rows"
for ((power = 3; power <= ${MAXIMUM:-6}; power++)); do
  file=$work/growth$power.data
  figures=$(lisp "(growth::measure (expt 10 $power) \"$file\")" |
    sed -n 's/^figures //p')
  # shellcheck disable=SC2086 # words are columns
  echo $figures "$(wc -c <"$file")" \
    $(timed "$MPROF" report "$file") \
    $(timed "$MPROF" export --format=folded "$file") \
    $(timed "$MPROF" export --format=lisp "$file") >>"$work/rows"
done

# Columns of a row: 1 contexts, 2 their bytes, then threes of processor
# seconds, clock seconds and kibibytes: 3 count, 6 write; 9 file size; then
# 10 report, 13 folded, 16 Lisp.
awk '
  function mega(kilobytes) { return sprintf("%.0f", kilobytes / 1024) }
  function ratio(now, then) {
    return then > 0 ? sprintf("x%.1f", now / then) : "-"
  }
  function ask(what, limit, measured) {
    asked = asked sprintf("%-38s %9s %9s%s\n", what, limit, measured,
                          measured + 0 > limit + 0 ? "  MISSED" : "")
  }
  function row(a, b, c, d, e, f, g, h, i, j, k, l, m) {
    printf "%9s %6s %8s %4s %7s %4s %9s %7s %5s %7s %5s %7s %5s\n",
           a, b, c, d, e, f, g, h, i, j, k, l, m
  }
  BEGIN {
    print "Processor seconds, and MB of memory\n"
    row("contexts", "bytes", "count", "", "write", "", "file", "report", "",
        "folded", "", "lisp", "")
    row("", "each", "s", "MB", "s", "MB", "bytes", "s", "MB", "s", "MB",
        "s", "MB")
  }
  {
    row($1, sprintf("%.1f", $2 / $1), $3, mega($5), $6, mega($8), $9, $10,
        mega($12), $13, mega($15), $16, mega($18))
    clock = clock sprintf("%9s %8s %8s %8s %8s %8s\n", $1, $4, $7, $11, $14,
                          $17)
    if (NR > 1)
      growth = growth sprintf("%9s %8s %8s %8s %8s %8s %8s\n",
                              ratio($1, contexts), ratio($3, count),
                              ratio($6, write), ratio($9, size),
                              ratio($10, report), ratio($13, folded),
                              ratio($16, lisp))
    contexts = $1; count = $3; write = $6; size = $9
    report = $10; folded = $13; lisp = $16
    if (NR == 3) {
      ask("10^5 contexts: bytes of each", 64, sprintf("%.1f", $2 / $1))
      ask("10^5 contexts: file, bytes", 4194304, $9)
      ask("10^5 contexts: write, s", 1, $6)
      ask("10^5 contexts: read and report, s", 1, $10)
    }
    if (NR == 4) {
      ask("10^6 contexts: write, s", 10, $6)
      ask("10^6 contexts: write, MB", 1024, mega($8))
      ask("10^6 contexts: read and report, s", 0.6, $10)
      ask("10^6 contexts: read and report, MB", 200, mega($12))
      ask("10^6 contexts: folded, s", 10, $13)
      ask("10^6 contexts: folded, MB", 1024, mega($15))
    }
  }
  END {
    print ""
    printf "%-38s %9s %9s\n%s", "", "asked", "measured", asked
    print "\nSeconds by the clock\n"
    printf "%9s %8s %8s %8s %8s %8s\n%s", "contexts", "count", "write",
           "report", "folded", "lisp", clock
    print "\nGrowth from row to row, of processor time and of the file\n"
    printf "%9s %8s %8s %8s %8s %8s %8s\n%s", "contexts", "count", "write",
           "file", "report", "folded", "lisp", growth
  }' "$work/rows"

${CC:-gcc} -std=c11 -D_GNU_SOURCE -O2 -DMPROF_VERSION='""' -Imonitor -Ireduce \
  -o "$work/pauses" tests/bench/pauses.c monitor/tree/*.c monitor/image/*.c \
  reduce/common/*.c
printf '\n'
"$work/pauses"
