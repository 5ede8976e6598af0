#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# mprof run --timeline: a program that allocates first here and then there, and
# that has a child.  Any two parts of time add up to the whole, however late
# the readings are; and the whole is as without.  And what is in use at a time:
# at the end of each slice it is what was read then, and in the phases of a
# program it is known by hand.
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
same 'and what was in use' \
  "$(sums --focus=late --at=200ms timed.data)" "$(sums --at=200ms part.pb.gz)"
"$MPROF" merge -o all.data timed.data timed.data.[0-9]*
same 'files that are merged keep their times' \
  "$(sums --from=100ms timed.data timed.data.[0-9]*)" \
  "$(sums --from=100ms all.data)"
"$MPROF" merge -o all.data timed.data plain.data
same 'also beside one without times' \
  "$(sums timed.data plain.data) $(sums --from=100ms timed.data)" \
  "$(sums all.data) $(sums --from=100ms all.data)"

# ---- what was in use ----

# slices: the start of each slice of now.data in seconds, and bytes in use.
slices() {
  "$MPROF" export --format=json now.data | sed -n \
    's/.*"mprof.slice","value":"\([0-9]*\) \([0-9]*\) .*/\1 \2/p' |
    awk '{ printf "%.9f %d\n", $1 / 1e9, $2 }'
}

# in_use TIME [OPTION]: functions with the bytes that were in use then.
in_use() {
  "$MPROF" export --format=folded --ignore=pthread --at="$@" now.data 2>&1 |
    sed 's/.*;//' | sort | tr '\n' ' '
}

# ask: gets now.data of the program that runs.
ask() {
  python3 - "$(sed -n 's/.*serving at //p' err)profile" 2>/dev/null <<'END'
import sys, urllib.request
with urllib.request.urlopen(sys.argv[1]) as answer:
    open('now.data', 'wb').write(answer.read())
END
}

compile in_use -O1
mkfifo to from
"$MPROF" run --timeline=250ms --serve=0 -o use.data ./in_use <to >from 2>err &
exec 8>to 9<from
times=
for phase in 1 2 3 4; do
  read -r -u 9 _
  until ask; do :; done
  count=$(slices | wc -l)
  until ask && [ "$(slices | wc -l)" -gt "$count" ]; do :; done
  times="$times $(slices | sed -n "${count}s/ .*//p")"
  echo . >&8
done
wait $!
mv use.data now.data
set -- $times
same 'phase 1' 'large 15000 small 1000 ' "$(in_use $1)"
same 'phase 2' 'grown 300 large 10000 small 600 ' "$(in_use $2)"
same 'phase 3' 'grown 300 small 1100 ' "$(in_use $3)"
same 'phase 4' 'large 5000 small 200 ' "$(in_use $4)"
same 'at the end it is what was kept' "$("$MPROF" export --format=folded \
  --value=kept now.data)" "$("$MPROF" export --format=folded --at=1h now.data)"
same 'nothing in use' 'mprof: nothing matches --focus=grown --at' \
  "$("$MPROF" report --focus=grown --at=$1 now.data 2>&1 | sed 's/=[0-9.]*s$//')"
same 'objects' 'grown 1 large 2 small 6 ' "$(in_use $2 --value=allocs)"
for which in now.data timed.data; do
  [ $which = now.data ] || mv $which now.data
  same "$which: at each slice it is what was read" "$(slices)" "$(
    slices | while read -r time _; do
      echo "$time $("$MPROF" export --format=folded \
        --at="$(awk "BEGIN { printf \"%.9f\", $time + 1e-9 }")" now.data 2>/dev/null |
        awk '{ n += $NF } END { print n + 0 }')"
    done)"
done
same 'a profile without times of frees' 'mprof: --at: the profile does not say when objects were freed; record that with mprof run --timeline 1' \
  "$("$MPROF" report --at=1s plain.data 2>&1) $?"
same 'a Lisp program' \
  'mprof: --at: it is not known when objects of a Lisp program are freed; use --from and --to 1' \
  "$("$MPROF" report --at=1s "$top/tests/golden/live.data" 2>&1) $?"
same 'a report says what it counts' \
  'All tables count only memory in use at the end of the slice with 0.1 s (--at)' \
  "$("$MPROF" report --at=0.1 now.data | grep '^All tables')"
same 'one time, or from one to another' \
  'mprof: --at cannot be combined with --from or --to' \
  "$("$MPROF" report --at=1s --to=2s now.data 2>&1 | head -n 1)"
finish
