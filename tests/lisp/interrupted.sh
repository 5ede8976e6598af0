#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Counting, and finalizers, while a thread is interrupted: interrupted.lisp.

. "$(dirname "$0")/../cli/check.bash"
: "${BUILD:=$top/build}" "${ECL:=$BUILD/bin/ecl}"
case $ECL in /*) ;; *) ECL=$top/$ECL ;; esac

"$ECL" --norc --eval '(require :cmp)' --eval '(require :mprof)' \
  --eval "(compile-file \"$top/tests/lisp/interrupted.lisp\" :output-file
            \"$PWD/interrupted.fas\")" --eval '(ext:quit 0)' \
  </dev/null >log 2>&1 || sed 's/^/# /' log
timeout 100 "$ECL" --norc --load interrupted.fas </dev/null >out 2>err
[ $? = 3 ] # 0: its debugger has read the end of the input
result $? 'it ends'
grep '^ok\|^not ok' out
finish
