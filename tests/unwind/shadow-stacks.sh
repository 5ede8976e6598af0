#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Lisp and C code for processors that keep a shadow stack of return addresses and
# look where calls by address go (-fcf-protection=full): the profiler finds in it
# what it finds in any other.  A processor that does keep one ends a program
# whose return addresses were changed; on others this shows that the flags
# change no figure.  SHORT=0 is for all variants and both ways of counting.

set -u
cd "$(dirname "$0")/../.." || exit 1
: "${BUILD:=$PWD/build}" "${ECL:=$BUILD/bin/ecl}" "${CC:=gcc}"
flags=-fcf-protection=full
programs='c-exits calls foreign'
work=$BUILD/unwind/shadow-stacks
rm -rf "$work"
mkdir -p "$work" || exit 1

if ! $CC $flags -S -o /dev/null -x c - </dev/null 2>/dev/null; then
  echo 'ok - shadow stacks # SKIP the C compiler has no -fcf-protection'
  exit 0
fi

# The flags are taken, from C and from Lisp.
$CC $flags -c -o "$work/c.o" tests/unwind/stopping.c
"$ECL" --norc --eval '(require :mprof)' --eval '(require :cmp)' \
  --eval "(setf c::*user-cc-flags* \"$flags\")" --eval \
  "(compile-file \"tests/unwind/stopping.lisp\" :output-file \"$work/lisp.o\" :system-p t)" \
  --eval '(ext:quit 0)' >"$work/compile.log" 2>&1 </dev/null
failed=0
for file in c.o lisp.o; do
  if readelf -n "$work/$file" | grep -q 'IBT, SHSTK'; then
    echo "ok - $file: marked as fit for shadow stacks"
  else
    echo "not ok - $file: marked as fit for shadow stacks"
    failed=1
  fi
done

# shellcheck disable=SC2046
SHORT=${SHORT:-1} EXACT_FLAGS=$flags EXACT_WORK=$work/exact tests/exact/run.sh \
  $(printf 'tests/exact/programs/%s.lisp ' $programs) || failed=1
exit $failed
