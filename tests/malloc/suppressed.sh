#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What the C and C++ libraries keep is no leak, what the program lost is one;
# and suppressions of the user's own, as LeakSanitizer reads them.

. "$(dirname "$0")/check.bash"

# leaks FILE [OPTION...]: the rows of the table, kept bytes and the last
# caller, by name; then what was suppressed and kept together less the figure
# of the samples, which has to be 0.
leaks() {
  local file=$1 kept
  shift
  "$MPROF" report --tables=leaks --no-legend --verbose --callers=1 --width=0 \
    "$@" "$file" >table 2>&1 || { cat table; return; }
  awk '/^---/ { below = 1 }
    below && $1 ~ /^[0-9]/ && $NF != "<TOTAL>" {
      sub(/.*>/, "", $NF)
      sub(/\(\)/, "", $NF)
      print $1, $NF
    }' table | LC_ALL=C sort
  kept=$(rows "$file" all | cut -d' ' -f 6)
  awk -v all="$kept" '$NF == "<TOTAL>" { all -= $1 }
    $1 == "Suppressed:" { all -= $2 } END { print "rest", all + 0 }' table
}

$CC -g -O1 -fno-builtin -shared -fPIC -o leaking.so \
  "$tests/programs/leaking.c"

# case, the rows of the table
cases='
nothing rest 0
hello   rest 0
thread  rest 0
locale  rest 0
results rest 0
load    5 strdup,55 begin,rest 0
leak    1234 case_leak,rest 0
'

check_case() {
  local wanted="${*:2}"
  [ ! -e kept.data ] || # in C nothing is allocated
    same "$1" "${wanted//,/$'\n'}" "$(leaks kept.data)"
}

check_cases() {
  each_case "$1" kept check_case
  profile kept stream
  same "$1: a stream" 'fopen rest strdup' "$(leaks kept.data |
    sed 's/^[0-9]* //; s/^__fopen_internal/fopen/; s/rest 0/rest/' |
    LC_ALL=C sort | paste -sd' ')"
}

$CC -g -O1 -fno-builtin -w -o kept -x c "$tests/programs/kept.cc" \
  -lpthread -ldl
check_cases C
for flags in -O1 '-O2 -static-libstdc++ -static-libgcc'; do
  # shellcheck disable=SC2086
  compile kept $flags -ldl
  check_cases "C++ $flags"
done

profile kept hello
same 'all are shown' 0 "$(leaks kept.data --suppressions=none |
  grep -c Suppressed)"
kept=$(rows kept.data all | cut -d' ' -f 6)
same 'and counted' "$kept" "$("$MPROF" report --tables=leaks --no-legend \
  --suppressions=none kept.data | awk '$NF == "<TOTAL>" { print $1 }')"

profile kept load
while read -r pattern wanted; do
  printf '# comment\n\n  %s \n' "$pattern" >suppressions
  same "$pattern" "${wanted//,/$'\n'}" \
    "$(leaks kept.data --suppressions=suppressions)"
done <<'END'
leak:begin rest 0
leak:^begin$ rest 0
leak:egi rest 0
leak:^egi 5 strdup,55 begin,rest 0
leak:egi$ 5 strdup,55 begin,rest 0
leak:^b*n$ rest 0
leak:b*gun 5 strdup,55 begin,rest 0
leak:leaking.so rest 0
leak:/leaking.c$ rest 0
leak:strdup 55 begin,rest 0
leak:main rest 0
END

printf 'leak:x\nrace:y\n' >suppressions
same 'another kind of line' \
  "mprof: cannot read 'suppressions': line 2 is not 'leak:PATTERN'" \
  "$("$MPROF" report --suppressions=suppressions kept.data 2>&1)"
same 'no such file' "mprof: cannot open 'missing': No such file or directory" \
  "$("$MPROF" report --suppressions=missing kept.data 2>&1)"
finish
