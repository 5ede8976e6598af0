#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The page as a file: what is in it, tests/html says.
. "$(dirname "$0")/check.bash"

w=$golden/widgets.data
m=$golden/mixture.data

expect 'a page' 0 '' flamegraph -o x.html "$w"
head -n 1 x.html | grep -qx '<!DOCTYPE html>' &&
  [ "$(tail -n 1 x.html)" = '</html>' ]
result $? 'it is a page'
expect 'to standard output' 0 '' flamegraph "$w"
cmp -s x.html out
result $? 'the same there'
expect 'the page as a format' 0 '' export --format=html -o y.html "$w"
cmp -s x.html y.html
result $? 'the same page'
expect 'nothing selected' 1 'mprof: nothing matches --focus=NOWHERE' \
  flamegraph --focus=NOWHERE "$w"
expect 'two profiles' 0 '' flamegraph --base="$w" -o z.html "$m"
expect 'the same as a format' 0 '' export --base="$w" -o z2.html "$m"
cmp -s z.html z2.html
result $? 'the same page of two profiles'
expect 'another format of two' 2 "mprof: --base requires -o NAME.html or \
--format=heap; mprof diff compares in tables" export -o x.json --base="$w" "$m"
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
