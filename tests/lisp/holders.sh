#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Who holds what is alive: holders.lisp.

. "$(dirname "$0")/../cli/check.bash"
: "${BUILD:=$top/build}" "${ECL:=$BUILD/bin/ecl}"
case $ECL in /*) ;; *) ECL=$top/$ECL ;; esac

"$ECL" --norc --eval '(require :cmp)' --eval '(require :mprof)' \
  --eval "(compile-file \"$top/tests/lisp/holders.lisp\" :output-file
            \"$PWD/holders.fas\")" --eval '(ext:quit 0)' </dev/null >log 2>&1 ||
  sed 's/^/# /' log
timeout 300 "$ECL" --norc --load holders.fas </dev/null >out 2>err
result $? 'it ends'
grep '^ok\|^not ok\|^#' out
finish
