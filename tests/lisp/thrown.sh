#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Throws out of forms of mprof at random moments: thrown.lisp.

. "$(dirname "$0")/../cli/check.bash"
: "${BUILD:=$top/build}" "${ECL:=$BUILD/bin/ecl}"
case $ECL in /*) ;; *) ECL=$top/$ECL ;; esac

"$ECL" --norc --eval '(require :cmp)' --eval '(require :mprof)' \
  --eval "(compile-file \"$top/tests/lisp/thrown.lisp\" :output-file
            \"$PWD/thrown.fas\")" --eval '(ext:quit 0)' \
  </dev/null >log 2>&1 || sed 's/^/# /' log
timeout 600 "$ECL" --norc --load thrown.fas </dev/null >out 2>err
[ $? = 3 ] # 0: its debugger has read the end of the input
result $? 'it ends'
grep '^ok\|^not ok' out
finish
