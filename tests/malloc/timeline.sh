#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# mprof run --timeline: a program that allocates first here and then there, and
# that has a child.  Any two parts of time add up to the whole, however late
# the readings are; and the whole is as without.  And what is in use at a time:
# at the end of each slice it is what was read then, and in the phases of a
# program it is known by hand.
. "$(dirname "$0")/told.bash"

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

# phase ORDER...: the program does that; leaves in $time when a slice began
# that is read afterwards.
phase() {
  local order count
  for order; do
    # shellcheck disable=SC2086
    tell $order
  done
  ask
  count=$(slices | wc -l)
  until ask && [ "$(slices | wc -l)" -gt "$count" ]; do :; done
  time=$(slices | awk -v n="$count" 'NR == n { printf "%.9f", $1 + 1e-9 }')
}

begin --timeline=250ms --serve=0
phase 'first 10 100' 'other 3 5000'
one=$time
phase 'free 4 0' 'other 2 300'
two=$time
phase 'free 9 0' 'first 5 100'
three=$time
phase 'free 2 0'
four=$time
end
mv told.data now.data
same 'phase 1' 'first 1000 other 15000 ' "$(in_use $one)"
same 'phase 2' 'first 600 other 15600 ' "$(in_use $two)"
same 'phase 3' 'first 500 other 600 ' "$(in_use $three)"
same 'phase 4' 'first 500 ' "$(in_use $four)"
same 'at the end it is what was kept' "$("$MPROF" export --format=folded \
  --value=kept now.data)" "$("$MPROF" export --format=folded --at=1h now.data)"
same 'nothing in use' 'mprof: nothing matches --focus=other --at' \
  "$("$MPROF" report --focus=other --at=$four now.data 2>&1 | sed 's/=[0-9.]*s$//')"
same 'objects' 'first 6 other 5 ' "$(in_use $two --value=allocs)"
same 'a report says what it counts' \
  'All tables count only memory in use at the end of the slice with N s (--at)' \
  "$("$MPROF" report --at=$two now.data |
    sed -n 's/slice with [0-9.]* /slice with N /; /^All tables/p')"
for which in now.data timed.data; do
  [ $which = now.data ] || cp $which now.data
  same "$which: at each slice it is what was read" "$(slices)" "$(
    slices | while read -r time _; do
      echo "$time $("$MPROF" export --format=folded \
        --at="$(awk "BEGIN { printf \"%.9f\", $time + 1e-9 }")" now.data 2>/dev/null |
        awk '{ n += $NF } END { print n + 0 }')"
    done)"
done

# ---- what is refused ----

while IFS='|' read -r arguments wanted; do
  # shellcheck disable=SC2086
  same "$arguments" "mprof: $wanted" "$("$MPROF" $arguments 2>&1 | head -n 1)"
done <<E
report --value=kept --to=1min timed.data|--value=kept cannot be combined with \
--from, --to or --at
export --format=suppressions --at=1s timed.data|--at is not for suppressions
report --from=1s plain.data|--from and --to: the profile has no times; record \
them with mprof run --timeline
report --from=1s $top/tests/golden/held.data|--from and --to: the profile has \
no times; record them with (mprof:start :timeline 1)
report --from=1h timed.data|nothing matches --from=3600s
report --to=0 timed.data|--to takes a time such as 10s, 500ms or 2min, not '0'
report --at=1s plain.data|--at: the profile does not say when objects were \
freed; record that with mprof run --timeline
report --at=1s $top/tests/golden/live.data|--at: it is not known when objects \
of a Lisp program are freed; use --from and --to
report --at=1s --to=2s now.data|--at cannot be combined with --from or --to
E
for time in soon 0 0.5ms 1.2.3s 1x .; do
  same "no interval: $time" "mprof: --timeline takes a time from 1ms on, such \
as 10s or 2min, not '$time'" \
    "$("$MPROF" run --timeline=$time ./timed 2>&1 | head -n 1)"
done
finish
