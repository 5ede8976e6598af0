#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# No pass over a profile recurses: N functions in one chain, which are one
# cycle too, with a stack of 256 KiB, of which a frame each would use more.
# N: DEPTH, by default 18,000 (a frame takes 16 bytes at least).
. "$(dirname "$0")/check.bash"

depth=${DEPTH:-18000}
# f1, ..., fN call each other in one chain, and in the other direction: all are
# one cycle.  The first sample is of one cons that fN makes, the second of two
# that f1 makes.  What is written are pprof's numbers, and fields of them.
LC_ALL=C awk -v n="$depth" '
  function size(v, bytes) {
    for (bytes = 1; v > 127; v = int(v / 128)) bytes++
    return bytes
  }
  function number(v) {
    for (; v > 127; v = int(v / 128)) printf "%c", 128 + v % 128
    printf "%c", v
  }
  function field(tag, v) { number(tag); number(v) }
  function text(t) { field(50, length(t)); printf "%s", t }
  function column(type, unit) { field(10, 4); field(8, type); field(16, unit) }
  function sample(back, conses, i, ids) {
    for (i = 1; i <= n; i++) ids += size(i)
    field(18, 1 + size(ids) + ids + 4); field(10, ids)
    for (i = 1; i <= n; i++) number(back ? i : n + 1 - i)
    field(16, conses); field(16, 16 * conses)
  }
  BEGIN {
    column(1, 2); column(3, 4); field(104, 5); field(104, 6)
    sample(0, 1); sample(1, 2)
    for (i = 1; i <= n; i++) { # a location, its line, its function
      field(34, 4 + 2 * size(i)); field(8, i); field(34, 1 + size(i))
      field(8, i)
      field(42, 2 + size(i) + size(6 + i)); field(8, i); field(16, 6 + i)
    }
    text(""); text("alloc_objects"); text("count"); text("alloc_space")
    text("bytes"); text("mprof.version=1"); text("mprof.language=lisp")
    for (i = 1; i <= n; i++) text("f" i)
  }' >deep.data
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
