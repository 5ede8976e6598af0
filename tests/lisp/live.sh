#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What is alive, and how many collections objects survive: live.lisp,
# survival.lisp.

. "$(dirname "$0")/../cli/check.bash"
: "${BUILD:=$top/build}" "${ECL:=$BUILD/bin/ecl}"
case $ECL in /*) ;; *) ECL=$top/$ECL ;; esac

cat "$top/tests/lisp/live.lisp" "$top/tests/lisp/survival.lisp" >live.lisp
"$ECL" --norc --eval '(require :cmp)' --eval '(require :mprof)' \
  --eval '(compile-file "live.lisp")' --eval '(ext:quit 0)' \
  </dev/null >log 2>&1 || sed 's/^/# /' log
timeout 300 "$ECL" --norc --load live.fas \
  --eval '(ext:quit (if (zerop live::*failures*) 0 1))' </dev/null >out 2>err
result $? 'it ends'
grep '^ok\|^not ok\|^#' out
finish
