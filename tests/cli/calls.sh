#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# A profile of a C program states all calls, as the first ones did, or those
# that are not the sum of what is below: whatever is asked, the answer is the
# same, to the byte.
#
# recursion-c-all-calls.data is of the program recursion.c of the tests of C
# programs, run as `recursion random 9 300'; recursion-c.txt is what was said of
# it before there was the second form, recursion-c.data what `mprof merge' made
# of it then.
. "$(dirname "$0")/check.bash"

# stated FILE: how many calls FILE, which `mprof merge' wrote, states; nothing
# when it states all.  Its last string says so; behind it is a comment.
stated() {
  gzip -dc "$1" | tr '\n\0' '..' |
    LC_ALL=C sed -n 's|.*mprof\.stated_calls=\([0-9]*\)[^0-9].*|\1|p'
}

# same NAME FILE FILE: they say the same.
same() {
  local name=$1 what
  while read -r what; do
    cp "$2" profile.data
    # shellcheck disable=SC2086
    run $what profile.data
    cp out expected
    cp "$3" profile.data
    # shellcheck disable=SC2086
    run $what profile.data
    [ "$status" = 0 ] && [ -s out ] && cmp -s expected out
    result $? "$name: $what"
  done <<'END'
report -verbose
report --show-runtime --sort=calls -verbose
report --by=file -verbose
report --focus=^second$ --hide=^between$
report -leaktable -offsets --min-percent=0 --callers=20
export --format=callgrind
export --format=csv --table=arcs
export --format=csv --table=contexts
export --format=csv --table=functions
export --format=dot
export --format=folded --value=allocs --show-runtime
export --format=html
export --format=json
export --format=lisp
export --format=lisp-contexts
export --format=pprof
export --format=speedscope
END
}

all=$golden/recursion-c-all-calls.data
sums=$golden/recursion-c.data
[ "$(stated $all) $(stated $sums)" = ' 171' ]
result $? 'one of each form'
run report -verbose --no-legend $all
cp out stated
same 'both forms' $all $sums

# What is written again has the form that takes less.
run merge -o merged.data $all
[ "$(stated merged.data)" = 171 ]
result $? 'merged: what is no sum'
same 'merged from all' $all merged.data
run merge -o merged.data $sums
[ "$(stated merged.data)" = 171 ]
result $? 'merged: the same'
same 'merged from sums' $sums merged.data
run merge -o twice.data $all $all
run merge -o merged.data $all $sums
same 'merged from both' twice.data merged.data
run merge -o merged.data $sums $sums
same 'merged from two of sums' twice.data merged.data
run report -verbose $all $sums
cp out expected
run report -verbose merged.data
cmp -s expected out
result $? 'read at once'

# A profile that is exported states all.
run export --format=pprof $sums
mv out exported.data
[ "$(gzip -dc exported.data | grep -a -c stated_calls)" = 0 ]
result $? 'exported: nothing is left to add up'
run report -verbose --no-legend exported.data
cmp -s <(sed 1,2d out) <(sed 1,2d stated)
result $? 'exported: it says the same'

for file in $all $sums; do
  cp $all before.data
  cp "$file" after.data
  run diff before.data after.data
  mv out "out-$(basename "$file")"
done
[ -s out-recursion-c.data ] &&
  cmp -s out-recursion-c.data out-recursion-c-all-calls.data
result $? 'the difference is none'
# A number of stated calls that is wrong is refused.
refused() { # COMMENT REASON
  printf '%s\n' 'profile sums c' "$1" '2 16 0 0 2 bytes=8: main;f;g' \
    'calls 1: main;f;f' 'calls 5: main;f' >sums.txt
  "$BUILD/tests/write_profile" sums.txt sums sums.data
  run report sums.data
  [ "$status" = 1 ] && grep -qF -e "$2" err
  result $? "refused: $1"
}
refused mprof.stated_calls=1 'mprof.stated_calls is 1, but 2 samples state calls'
refused mprof.stated_calls=3 'mprof.stated_calls is 3, but 2 samples state calls'
refused mprof.stated_calls=some 'that is not a count'
refused mprof.stated_calls=-1 'that is not a count'
refused $'mprof.stated_calls=2\nmprof.stated_calls=2' 'repeats mprof.stated_calls'

# What has a label is no statement of the calls of its chain, but adds to them.
printf '%s\n' 'profile labels c' mprof.stated_calls=0 \
  '2 16 0 0 2 bytes=8: main;f;g' 'calls 5 thread=other: main;f' >labels.txt
"$BUILD/tests/write_profile" labels.txt labels labels.data
run export --format=csv --table=contexts labels.data
says 'labels add' '"main;f",0,0,7,'
finish
