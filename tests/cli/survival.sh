#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# How many collections objects survive: where it is said, of what part of a
# program, and of several files.  The report as a whole is in golden/.
. "$(dirname "$0")/check.bash"

s=$golden/survival.data
l=$golden/live.data

# table [OPTION...]: the CSV table, without columns of what is alive, is
# standard input.
table() {
  run export --format=csv --tables=survival "$@"
  tr -d '\r' <out | sed 's/,[^,]*,[^,]*$//' >found
  diff - found >err
  result $? "csv: $*"
}
keys=function,category,type,class,bytes,allocations
for band in died_0 died_1 died_2 died_4 died_8 live_1 live_2 live_4 live_8 new
do
  keys=$keys,${band}_bytes,${band}_allocations
done
session='"APP::SESSION","struct","INSTANCE","",19200,400,480,10,960,20,7680,'\
'160,4800,100,480,10,960,20,1920,40,960,20,480,10,480,10'
read='"APP::READ","cons","CONS","",8000,500,7680,480,240,15,0,0,0,0,0,0,0,0,0,'\
'0,0,0,0,0,80,5'
serve='"APP::SERVE","float","DOUBLE-FLOAT","",1600,100,0,0,0,0,0,0,0,0,0,0,0,'\
'0,0,0,0,0,16,1,1584,99'
zeros=$(printf ',0%.0s' {1..18})
printf '%s\n' $keys "$session" "$read" "$serve" | table "$s"
printf '%s\n' $keys "$read" | table --focus=READ "$s"
printf '%s\n' $keys "$session" "$serve" | table --ignore=READ "$s"
printf '%s\n' $keys "$serve" | table --type=FLOAT "$s"
printf '%s\n' $keys \
  "\"APP::MAIN\",${read#*,}" | sed 's/8000,500.*/1600,100,1600,100'"$zeros/" |
  table --focus=MAIN --type=CONS --hide='SERVE|READ' "$s"
printf '%s\n' $keys | table "$l"
printf '%s\n' $keys "$session" "$serve" "$read" | table --value=live "$s"

# Twice the same file; and one that does not say it.
sed_twice() { awk -F, -v OFS=, '{ for (i = 5; i <= NF; i++) $i *= 2; print }'; }
printf '%s\n' "$session" "$read" "$serve" | sed_twice >twice
{
  echo $keys
  cat twice
} | table "$s" "$s"
run merge -o merged.data "$s" "$s"
{
  echo $keys
  cat twice
} | table merged.data
run export --format=csv --tables=survival "$s" "$l"
grep -E 'SESSION|READ",".*CONS|SERVE' out | tr -d '\r' |
  sed 's/,[^,]*,[^,]*$//' >found
printf '%s\n' "$session" "$read" "$serve" | cmp -s - found
result $? 'of two files the one that says it'
run report --tables=survival --no-legend "$s" "$l"
says 'shares are shares of what is known' \
  '19200 49     400   2  5 40 25  2     5 10  5  2    2  INSTANCE'

# A part of it, as a profile again.
for options in --focus=READ --type=INSTANCE '--value=live --ignore=SESSION'
do
  # shellcheck disable=SC2086
  run export --format=pprof -o part.data $options "$s"
  # shellcheck disable=SC2086
  run export --format=csv --tables=survival $options "$s"
  sort out >expected
  run export --format=csv --tables=survival part.data
  sort out | cmp -s expected - && [ "$(wc -l <out)" -gt 1 ]
  result $? "pprof: $options"
done
run export --format=pprof -o part.data "$l"
! gzip -dc part.data | grep -aq died_0
result $? 'pprof: nothing that the file does not say'

# ---- reports ------------------------------------------------------------

run report "$s"
says 'a report has it' SURVIVAL
for profile in "$l" "$golden/widgets.data" "$golden/widgets-c.data"; do
  run report "$profile"
  says_not "that of $(basename "$profile") has not" SURVIVAL
  run report --tables=survival "$profile"
  says 'asked for it' 'This profile does not record survival: start'
done
run report --value=live "$s"
says_not 'what is alive has died of nothing' SURVIVAL
run report --value=live --tables=survival "$s"
says 'asked for it' 'Survival is known of all allocations only, not with --value'
gzip -dc "$s" | sed 's/live_collection=12/live_collection=00/' |
  gzip -c >none.data
run report none.data
says_not 'without a collection there is nothing to show' SURVIVAL
run report --tables=survival none.data
says 'but that' SURVIVAL

finish
