#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# No pass over a profile recurses: N functions in one chain, which are one
# cycle too, with a stack of 256 KiB, of which a frame each would use more.
# N: DEPTH, by default 10^5 (a frame takes 48 bytes at least).
. "$(dirname "$0")/check.bash"

depth=${DEPTH:-100000}
${CC:-gcc} -std=c11 -O1 -o generate "$top/tests/growth/deep_profile.c" &&
  ./generate "$depth" >deep.data
result $? "a profile of $depth functions in one chain"
ulimit -s 256

run report -verbose deep.data
[ "$status" = 0 ]
result $? 'reported'
says 'every function, one cycle' \
  "3 allocations, 48 bytes, $depth functions, 1 cycle"

run export --format=lisp deep.data
[ "$status" = 0 ] && [ "$(grep -o ':cycle 1\b' out | wc -l)" = "$depth" ]
result $? 'exported as Lisp, every function in the cycle'

run export --format=folded deep.data
[ "$status" = 0 ] && [ "$(wc -l <out)" = 2 ] &&
  [ "$(tr -cd ';' <out | wc -c)" = $((2 * (depth - 1))) ] &&
  [ "$(sed 's/.* //' out | tr '\n' ' ')" = '32 16 ' ]
result $? 'exported as folded chains'

expect 'exported as a page' 0 '' export --format=html deep.data

finish
