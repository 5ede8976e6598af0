#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# C programs that are killed at any moment: what they had allocated and freed
# is known, but for the one allocation that each thread was at.

. "$(dirname "$0")/check.bash"

$CC -g -O1 -fno-optimize-sibling-calls -o busy "$programs/busy.c" -lpthread ||
  exit 1

# agrees FILE: whether its sums are those of the log.
agrees() {
  sums "$1" make allocs bytes kept-allocs kept >got
  logs log | awk '
    function is(got, done, more) { return got == done || got == done + more }
    NR == FNR { allocs[$1] = $2; bytes[$1] = $3; kept[$1] = $4; left[$1] = $5
                next }
    !(is(allocs[$1] + 0, $2, $4 > 0) && is(bytes[$1] + 0, $3, $4) &&
      is(allocs[$1] - kept[$1], $5, $7 > 0) &&
      is(bytes[$1] - left[$1], $6, $7)) {
      print "# worker", $1, "log:", $2, $3, $4, $5, $6, $7, "got:",
        allocs[$1], bytes[$1], kept[$1], left[$1]
      wrong = 1
    }
    END { exit wrong }' got -
}

for ((n = 1; n <= kills; n++)); do
  rm -f log killed.data*
  MPROF_OUT=killed.data LD_PRELOAD=$MPROF_LIB/libmprof-malloc.so \
    ./busy log $((n % 4 + 1)) &
  wait_for test -s log
  moment 300
  kill -KILL $!
  wait $! 2>/dev/null
  agrees killed.data
  result $? "killed at a random moment, $n"
done

as_good killed.data

for signal in 9 11 6 15 0; do
  rm -f log ended.data*
  "$MPROF" run -q -o ended.data ./busy log 3 $signal >out 2>err
  same "mprof run: a program that ends by signal $signal" \
    $((signal == 0 ? 0 : 128 + signal)) $?
  agrees ended.data
  result $? "signal $signal: the file has all"
  same "signal $signal: there is no other file" ended.data "$(ls -d ended.data*)"
done

finish
