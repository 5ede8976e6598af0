#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A person at the REPL: an error in the middle of WITH-PROFILING enters the
# debugger; what is typed there is counted too, also when it fails again; and
# leaving the debugger ends the profile.
# Everything is typed, so everything is interpreted: MADE binds N, a limit and
# I, two conses each.

set -u
cd "$(dirname "$0")/../.." || exit 1
: "${BUILD:=$PWD/build}" "${ECL:=$BUILD/bin/ecl}"
failed=0

# check WHAT EXPECTED ACTUAL
check() {
  if [ "$2" = "$3" ]; then
    echo "ok - repl: $1"
  else
    printf 'not ok - repl: %s\n# expected %s\n# got %s\n' "$1" "$2" "$3"
    failed=1
  fi
}

work=$BUILD/exact
mkdir -p "$work"
output=$work/repl.out
: >"$output"
coproc timeout 120 "$ECL" --norc >"$output" 2>&1
repl=$COPROC_PID
to_repl=${COPROC[1]}

# await N PATTERN: until it has said so N times and asks for more.  By then an
# error has thrown away what was typed before.
await() {
  until [ "$(grep -c "$2" "$output")" -ge "$1" ] &&
    tail -n 1 "$output" | grep -q '^>>* $'; do
    kill -0 "$repl" 2>/dev/null || return
    sleep 0.1
  done
}

type() { cat >&"$to_repl"; }

type <<'TYPED'
(setf *print-pretty* nil)
(require :mprof)
(defvar *kept* nil)
(defun made (n) (dotimes (i n) (setf *kept* (cons i nil))))
(defun say (what value) (format t "~&[~A] ~S~%" what value) (finish-output))
(defun figures (table key &rest names) (let ((row (mprof.data:row table key (mprof:load-profile)))) (loop for name in names collect (funcall (mprof.data:reader name) row))))
(defun note (name) (mprof.data:comment name (mprof:load-profile)))
(defun active () (getf (mprof:status) :active))
(defun fails (n) (made n) (error "on purpose") (made 1000))
(mprof:with-profiling (:report nil) (made 3) (fails 4))
TYPED
await 1 '^Broken at'
type <<'TYPED'
(say "in the debugger" (active))
(made 5)
(fails 6)
TYPED
await 1 '^Error flushed'
type <<'TYPED'
(made 7)
:b
:q
(say "at the top" (active))
(made 1000)
(say "made" (figures :functions 'made :self-allocations :self-bytes :calls))
(say "fails" (figures :functions 'fails :self-allocations :self-bytes :calls))
(say "fails made" (figures :arcs '(fails made) :calls :allocations))
(say "residual" (note "mprof.residual_bytes"))
(say "unattributed" (note "mprof.unattributed_allocations"))
(mprof:with-profiling (:report nil) (restart-case (fails 2) (carry-on () (made 8))))
TYPED
await 2 '^Broken at'
type <<'TYPED'
:r1
(say "after a restart" (active))
(say "restarted" (figures :functions 'made :self-allocations :self-bytes :calls))
(ext:quit 3)
TYPED
wait "$repl"
status=$?

# What the interpreter makes for a variable: see harness.lisp.
case $("$ECL" --version) in
*' 21.'*) v=2 ;;
*) v=1 ;;
esac
# said WHAT EXPECTED
said() { check "$1" "$2" "$(sed -n "s/^\[$1\] //p" "$output")"; }
check 'the session ends as it is told to' 3 "$status"
check 'a backtrace in the debugger names the function' 1 \
  "$(grep -c '^  > FAILS$' "$output")"
said 'in the debugger' T
said 'at the top' NIL
# 3, 4, 5, 6 and 7, and three variables in each of the five calls
said made "($((25 + 15 * v)) $((400 + 240 * v)) 5)"
# N in both calls
said fails "($((2 * v)) $((32 * v)) 2)"
said 'fails made' "(2 $((10 + 6 * v)))"
said residual '"0"'
said unattributed '"0"'
said 'after a restart' NIL
said restarted "($((10 + 6 * v)) $((160 + 96 * v)) 2)"
[ "$failed" = 0 ] || sed 's/^/# /' "$output"
exit $failed
