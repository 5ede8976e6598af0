#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A start for which there is no memory, at any place: failing-memory.lisp.

. "$(dirname "$0")/../cli/check.bash"
: "${BUILD:=$top/build}" "${ECL:=$BUILD/bin/ecl}"
case $ECL in /*) ;; *) ECL=$top/$ECL ;; esac

${CC:-gcc} -O1 -fPIC -shared -o failing.so "$top/tests/lisp/failing-memory.c"
"$ECL" --norc --eval '(require :cmp)' --eval '(require :mprof)' \
  --eval "(compile-file \"$top/tests/lisp/failing-memory.lisp\"
    :output-file \"$PWD/failing.fas\")" --eval '(ext:quit 0)' \
  </dev/null >log 2>&1 || sed 's/^/# /' log
LD_PRELOAD=$PWD/failing.so timeout 200 "$ECL" --norc --load failing.fas \
  --eval '(ext:quit (if (zerop (failing:test-all)) 3 1))' </dev/null >out 2>err
[ $? = 3 ] # 0: its debugger has read the end of the input
result $? 'a start without memory: it ends'
grep '^ok\|^not ok\|^#' out
[ "$failures" = 0 ] || sed 's/^/# /' err | tail
finish
