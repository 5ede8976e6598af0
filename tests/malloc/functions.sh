#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Every function of C that allocates, each with its totals, for programs that
# were compiled in several ways.

. "$(dirname "$0")/check.bash"

# case, then as `expect' in check.bash
cases='
malloc        10 1045   6 639    10 1045 0
zero          3 0       2 0      0 0     0
calloc        2 1000077 1 77     2 1000077 1
realloc       5 10100035 1 5     1 10000000 4
realloc_zero  1 40      0 0      1 40    1
reallocarray  2 165     1 150    1 150   1
failing       2 110     1 50     2 110   1
aligned       5 7258    2 2125   5 7258  1
sized         3 258     1 30     3 258   0
pvalloc       1 78      1 78     1 78    0
usable        2 42      1 21     2 42    0
strings       3 25      2 9      3 25    1
asprintf      2 113     1 13     2 113   0
errno         2 1010    0 0      1 1000  2
temporary     9 270     1 50     1 50    7
peak          5 2760    1 1030   3 1530  1
sizes         8 312290  8 312290 8 312290 0
atexit        2 30      1 20     2 30    0
'

check() { expect "$1" functions.data "${@:2}"; }

unwinding='-fno-unwind-tables -fno-asynchronous-unwind-tables'
for flags in '-O0' '-O2' "-O2 -fomit-frame-pointer $unwinding" \
  "-O0 $unwinding" '-O3 -fno-omit-frame-pointer'; do
  # shellcheck disable=SC2086
  compile functions $flags
  each_case "$CC $flags" functions check
done
if command -v clang >/dev/null; then
  for flags in '-O2' "-O2 $unwinding"; do
    CC=clang compile functions $flags
    each_case "clang $flags" functions check
  done
fi
finish
