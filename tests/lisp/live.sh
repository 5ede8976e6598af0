#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What is alive, what was at the peak, and what holds it: live.lisp, peak.lisp,
# holders.lisp.

. "$(dirname "$0")/../cli/check.bash"
: "${BUILD:=$top/build}" "${ECL:=$BUILD/bin/ecl}"
case $ECL in /*) ;; *) ECL=$top/$ECL ;; esac

# run_programs FILE...: compiled in one file, behind following.lisp.
# A program that has come to its end says so by the status 3: ECL has 0 when its
# debugger reads the end of the input.
run_programs() {
  (cd "$top/tests/lisp" && cat following.lisp "$@") >all.lisp
  "$ECL" --norc --eval '(require :cmp)' --eval '(require :mprof)' \
    --eval '(compile-file "all.lisp")' --eval '(ext:quit 0)' \
    </dev/null >log 2>&1 || sed 's/^/# /' log
  timeout 300 "$ECL" --norc --load all.fas \
    --eval '(ext:quit (if (zerop following:*failures*) 3 1))' \
    </dev/null >out 2>err
  [ $? = 3 ]
  result $? "$* end"
  grep '^ok\|^not ok\|^#' out
}

run_programs live.lisp peak.lisp
run_programs holders.lisp
finish
