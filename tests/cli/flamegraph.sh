#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Flame graphs as pictures, against figures known by hand.
. "$(dirname "$0")/check.bash"

w=$golden/widgets.data
m=$golden/mixture.data

# frame NAME X Y WIDTH BYTES ALLOCATIONS SHARE [CALLS]: the last picture has it
# there.  The picture begins at 10, its rows at 34; a row is 18 high.
frame() {
  grep -F "<title>$1: $5 bytes, $6 allocations, $7 %${8:+, $8}</title>" out |
    grep -qF "<rect x=\"$2\" y=\"$3\" width=\"$4\" height=\"18\""
  result $? "$1 at $2"
}

expect 'a picture' 0 '' flamegraph "$w"
says 'its totals' ': 480,000 bytes in 10,000 allocations; as wide as bytes<'
frame all 10.0 34 1200.0 480,000 10,000 100.00
frame CL-USER::RUN 10.0 52 1200.0 480,000 10,000 100.00 '1 call here'
frame CL-USER::MAKE-BLUE-WIDGET 10.0 70 600.0 240,000 5,000 50.00 \
  '5,000 calls here'
frame CL-USER::MAKE-RED-WIDGET 610.0 70 600.0 240,000 5,000 50.00 \
  '5,000 calls here'
[ "$(grep -c '<g><title>' out)" = 6 ]
result $? 'a frame a chain, and one for all'
cp out picture
expect 'a file' 0 '' flamegraph -o picture.svg "$w"
cmp -s picture picture.svg
result $? 'the same in a file'

expect 'width' 0 '' flamegraph --width=333 "$w"
frame CL-USER::MAKE-RED-WIDGET 176.5 70 166.5 240,000 5,000 50.00 \
  '5,000 calls here'
says 'the picture has margins' '<svg xmlns="http://www.w3.org/2000/svg" width="353"'
expect 'allocations' 0 '' flamegraph --value=allocs "$m"
expect 'wide frames only' 0 '' flamegraph --min-width=601 "$w"
[ "$(grep -c '<g><title>' out)" = 2 ]
result $? 'frames below 601 pixels are left out'
says 'a note says how many' '4 frames are too narrow or too deep to show'
expect 'nothing selected' 1 'mprof: nothing matches --focus=NOWHERE' \
  flamegraph --focus=NOWHERE "$w"
expect 'a bad width' 2 "mprof: --width takes a number, not 'wide'" \
  flamegraph --width=wide "$w"
expect 'a bad least width' 2 "mprof: --min-width takes a number, not '-1'" \
  flamegraph --min-width=-1 "$w"
expect 'the widest' 0 '' flamegraph --width=99999999999 "$w"
frame CL-USER::MAKE-RED-WIDGET 50010.0 70 50000.0 240,000 5,000 50.00 \
  '5,000 calls here'

expect 'calls that are not known' 0 '' flamegraph "$golden/unknown-calls.data"
frame PARSE 10.0 70 864.0 864 54 72.00 '3 calls here'
frame sort 10.0 88 736.0 736 46 61.33 'calls unknown'

# Names with anything in them.
expect 'odd names' 0 '' flamegraph --value=allocs "$m"
says 'quotes and line ends' '<title>LINE\nBREAK&#34;QUOTE&#34;: 224 bytes'
[ "$(grep -c '<g>' out)" = "$(grep -c '</g>$' out)" ]
result $? 'a frame stays on its line'

expect 'a page' 0 '' flamegraph -o x.html "$w"
head -n 1 x.html | grep -qx '<!DOCTYPE html>' &&
  [ "$(tail -n 1 x.html)" = '</html>' ]
result $? 'the ending .html makes a page'
expect 'the page as a format' 0 '' export --format=html -o y.html "$w"
cmp -s x.html y.html
result $? 'the same page'
expect 'two profiles' 0 '' flamegraph --base="$w" -o z.html "$m"
expect 'the same as a format' 0 '' export --base="$w" -o z2.html "$m"
cmp -s z.html z2.html
result $? 'the same page of two profiles'
expect 'a picture of two' 2 "mprof: --base requires -o NAME.html; mprof diff \
compares in tables" flamegraph --base="$w" "$m"
expect 'another format of two' 2 "mprof: --base requires -o NAME.html; \
mprof diff compares in tables" export -o x.json --base="$w" "$m"
expect 'two languages' 1 'mprof: profiles of a Lisp program and a C '\
'program cannot be compared' \
  flamegraph -o z.html --base="$golden/widgets-c.data" "$m"
expect 'no old profile' 1 \
  "mprof: cannot open 'none.data': No such file or directory" \
  flamegraph -o z.html --base=none.data "$m"
cmp -s z.html z2.html
result $? 'what fails leaves the page as it was'
! grep -qE '(src|href)="[^#]|url\(|@import' x.html
result $? 'it refers to nothing outside'
finish
