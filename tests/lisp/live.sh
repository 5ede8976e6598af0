#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What is alive: live.lisp, compiled and interpreted.

. "$(dirname "$0")/../cli/check.bash"
: "${BUILD:=$top/build}" "${ECL:=$BUILD/bin/ecl}"
case $ECL in /*) ;; *) ECL=$top/$ECL ;; esac

"$ECL" --norc --eval '(require :cmp)' --eval '(require :mprof)' \
  --eval "(compile-file \"$top/tests/lisp/live.lisp\" :output-file
            \"$PWD/live.fas\")" --eval '(ext:quit 0)' </dev/null >log 2>&1 ||
  sed 's/^/# /' log
for program in live.fas "$top/tests/lisp/live.lisp"; do
  timeout 300 "$ECL" --norc --load "$program" </dev/null >out 2>err
  [ $? = 0 ] && grep -q '^ok - ' out && ! grep -q '^not ok' out
  result $? "$(basename "$program")"
  grep '^ok\|^not ok\|^#' out
done
finish
