#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Fuzzing the reader for FUZZ_SECONDS (60), from the profiles of the other
# tests, as they are and inflated, from what it found before (no-*.data), and
# from mprof's rules of advice.
# What fails is kept in $BUILD, and the command to see it again is printed.  A
# finding is worth a file here or in tests/corrupt, or a case in tests/c.

set -u
cd "$(dirname "$0")/../.." || exit 1
seconds=${FUZZ_SECONDS:-60}
corpus=$BUILD/corpus
found=$BUILD/found
mkdir -p "$corpus" "$found" || exit 1

number=0
for file in tests/golden/*.data tests/corrupt/*.data tests/foreign/*.pb.gz \
  tests/fuzz/*.data; do
  number=$((number + 1))
  cp "$file" "$corpus/seed-$number"
  gzip -dc "$file" >"$corpus/seed-$number-plain" 2>/dev/null
done
cp reduce/advice/rules.txt "$corpus/seed-rules"
[ "$number" -gt 20 ]
seeds=$?

run() {
  ASAN_OPTIONS=detect_leaks=1 "$BUILD/bin/fuzz-reader" \
    -artifact_prefix="$found/" -timeout=20 -rss_limit_mb=2560 \
    -max_len=16384 -print_final_stats=1 -verbosity=0 "$@"
}

# Each seed by itself first: these have to pass whatever time there is.
run -runs=0 "$corpus" >"$BUILD/seeds.log" 2>&1 && [ "$seeds" = 0 ]
status=$?
[ "$status" = 0 ] && echo "ok - $number profiles as seeds" || {
  echo "not ok - $number profiles as seeds"
  tail -n 40 "$BUILD/seeds.log" | sed 's/^/# /'
}

run -max_total_time="$seconds" -dict=tests/fuzz/words.dict \
  ${FUZZ_OPTIONS:-} "$corpus" >"$BUILD/fuzz.log" 2>&1
fuzzed=$?
runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$BUILD/fuzz.log")
if [ "$fuzzed" = 0 ] && [ "${runs:-0}" -gt "$number" ]; then
  echo "ok - $runs files in $seconds seconds"
else
  status=1
  echo "not ok - fuzzing: exit status $fuzzed after ${runs:-no} files"
  grep -E 'fuzz_reader:|ERROR|SUMMARY|Test unit written|    #[0-9]' \
    "$BUILD/fuzz.log" | head -n 40 | sed 's/^/# /'
  echo "# again: $BUILD/bin/fuzz-reader FILE, FILE being what was written"
fi
[ "$status" = 0 ]
