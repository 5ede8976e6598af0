#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# mprof run --timeline: a program that allocates first here and then there, and
# that has a child.  Any two parts of time add up to the whole, however late
# the readings are; and the whole is as without.
. "$(dirname "$0")/check.bash"

compile timed -O1

# figures OPTION... FILE: allocations and bytes of the functions that ran.
figures() {
  "$MPROF" export --format=csv "$@" 2>err | tr -d '\r' | sort
}

# sums OPTION... FILE: allocations and bytes that the options leave.
sums() {
  "$MPROF" export --format=folded --value=allocs "$@" 2>/dev/null |
    awk '{ n += $NF } END { printf "%d ", n }'
  "$MPROF" export --format=folded "$@" 2>/dev/null |
    awk '{ n += $NF } END { print n + 0 }'
}

rm -f timed.data* plain.data*
"$MPROF" run -q --timeline=10ms -o timed.data ./timed >out 2>err
same 'the status' 7 $?
"$MPROF" run -q -o plain.data ./timed >out 2>err
same 'nothing is said' '' "$(cat err)"
same 'the child has a file' 1 "$(ls timed.data.[0-9]* | wc -l)"
for which in data 'data.[0-9]*'; do
  same "$which: the tables are those without" \
    "$("$MPROF" report --verbose $(ls plain.$which))" \
    "$("$MPROF" report --verbose $(ls timed.$which))"
  all=$(sums $(ls plain.$which))
  for time in 1ms 30ms 0.1 150ms 300ms 1min; do
    same "$which: before $time and from then on" "$all" "$(
      { sums --to=$time $(ls timed.$which)
        sums --from=$time $(ls timed.$which); } |
        awk '{ a += $1; b += $2 } END { print a, b }')"
  done
done

# What is done later is not earlier.
times=$("$MPROF" export --format=json timed.data | sed -n \
  's/.*"mprof.slice","value":"\([0-9]*\) .*/\1/p')
last=-1
first=99999999999
for time in $times; do
  window="--from=$(awk "BEGIN { printf \"%.9f\", $time / 1e9 }")
    --to=$(awk "BEGIN { printf \"%.9f\", ($time + 1) / 1e9 }")"
  functions=$(figures $window timed.data)
  case $functions in *early*) last=$time ;; esac
  case $functions in *late*) [ $time -lt $first ] && first=$time ;; esac
done
[ "$last" -ge 0 ] && [ "$last" -le "$first" ]
result $? 'the first half comes before the second'

# Processes that end before they are read have times, too.
"$MPROF" run -q --timeline=1min -o brief.data ./timed >out 2>err
same 'a brief program, and its child' \
  "$(sums brief.data) $(sums brief.data.[0-9]*)" \
  "$(sums --to=1s brief.data) $(sums --to=1s brief.data.[0-9]*)"

same 'no window has what was kept' '' \
  "$("$MPROF" report --verbose --to=1min timed.data | grep -iE 'kept|leaks')"
same 'what was kept has no time' \
  "mprof: --value=kept: the profile does not record what was never freed" \
  "$("$MPROF" report --value=kept --to=1min timed.data 2>&1 | cut -c1-71)"
same 'a profile without times' \
  'mprof: --from and --to: the profile has no times; record them with --timeline' \
  "$("$MPROF" report --from=1s plain.data 2>&1)"
same 'times that there are not' 'mprof: nothing matches --from=3600s' \
  "$("$MPROF" report --from=1h timed.data 2>&1)"
for time in soon 0 0.5ms 1.2.3s 1x .; do
  same "no interval: $time" \
    "mprof: --timeline takes a time from 1ms on, such as 10s or 2min, not '$time'" \
    "$("$MPROF" run --timeline=$time ./timed 2>&1 | head -n 1)"
done
same 'no time' "mprof: --to takes a time such as 10s, 500ms or 2min, not '0'" \
  "$("$MPROF" report --to=0 timed.data 2>&1 | head -n 1)"
"$MPROF" export -o part.pb.gz --focus=late timed.data
same 'an export has the times of what it has' \
  "$(sums --focus=late --from=100ms --to=250ms timed.data)" \
  "$(sums --from=100ms --to=250ms part.pb.gz)"
"$MPROF" merge -o all.data timed.data timed.data.[0-9]*
same 'files that are merged keep their times' \
  "$(sums --from=100ms timed.data timed.data.[0-9]*)" \
  "$(sums --from=100ms all.data)"
finish
