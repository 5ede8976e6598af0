#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# flaky.sh: run the tests of `make check' again and again beside four busy
# loops, as on a computer that has much else to do, and print what fails.
#
#     NAMED  such as `malloc/ends c/test_malloc_interrupted': these alone
#     RUNS   how often [30; what is named 300 times]

set -u
cd "$(dirname "$0")/.." || exit 1

log=$BUILD/logs/flaky.log
kinds=${NAMED:-$CHECKED}
: "${RUNS:=${NAMED:+300}}" "${RUNS:=30}"
failed=0
loops=()
mkdir -p "$BUILD/logs" || exit 1
for _ in 1 2 3 4; do
  while :; do :; done &
  loops+=($!)
done
trap 'kill "${loops[@]}"' EXIT

for ((run = 1; run <= RUNS; run++)); do
  # shellcheck disable=SC2086
  tests/run-tests.sh $kinds >"$log" 2>&1 && continue
  failed=$((failed + 1))
  echo "run $run:"
  grep -v ' 0 failed' "$log"
done
echo "$((RUNS - failed)) passed, $failed failed"
[ "$failed" = 0 ]
