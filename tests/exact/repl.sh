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
  local i
  for ((i = 0; i < 600; i++)); do
    if [ "$(grep -c "$2" "$output")" -ge "$1" ] &&
      tail -n 1 "$output" | grep -q '^>>* $'; then
      return 0
    fi
    kill -0 "$repl" 2>/dev/null || return 1
    sleep 0.1
  done
  return 1
}

type() { cat >&"$to_repl"; }

type <<'TYPED'
(setf *print-pretty* nil)
(require :mprof)
(defvar *kept* nil)
(defun made (n) (dotimes (i n) (setf *kept* (cons i nil))))
(defun say (what value) (format t "~&[~A] ~S~%" what value) (finish-output))
(defun figures (name) (let* ((p (mprof:load-profile)) (f (mprof.data:row :functions name p))) (and f (list (mprof.data:figure :self-allocations f) (mprof.data:figure :self-bytes f) (mprof.data:figure :calls f)))))
(defun arc (caller callee) (let* ((p (mprof:load-profile)) (a (mprof.data:row :arcs (list caller callee) p))) (and a (list (mprof.data:figure :calls a) (mprof.data:figure :allocations a)))))
(defun fails (n) (made n) (error "on purpose") (made 1000))
(mprof:with-profiling (:report nil) (made 3) (fails 4))
TYPED
await 1 '^Broken at'
type <<'TYPED'
(say "active in the debugger" (getf (mprof:status) :active))
(made 5)
(fails 6)
TYPED
await 1 '^Error flushed'
type <<'TYPED'
(made 7)
:b
:q
(say "active at the top" (getf (mprof:status) :active))
(made 1000)
(say "made" (figures 'made))
(say "fails" (figures 'fails))
(say "fails made" (arc 'fails 'made))
(say "residual" (mprof.data:comment "mprof.residual_bytes" (mprof:load-profile)))
(say "unattributed" (mprof.data:comment "mprof.unattributed_allocations" (mprof:load-profile)))
(mprof:with-profiling (:report nil) (restart-case (fails 2) (carry-on () (made 8))))
TYPED
await 2 '^Broken at'
type <<'TYPED'
:r1
(say "active after a restart" (getf (mprof:status) :active))
(say "made with a restart" (figures 'made))
(ext:quit 3)
TYPED
wait "$repl"
status=$?
session=$(<"$output")
said() { sed -n "s/^\[$1\] //p" <<<"$session"; }

# What the interpreter makes for a variable: see harness.lisp.
case $("$ECL" --version) in
*' 21.'*) v=2 ;;
*) v=1 ;;
esac
check 'the session ends as it is told to' 3 "$status"
check 'the profile goes on in the debugger' T "$(said 'active in the debugger')"
check 'a backtrace in the debugger names the function' 1 \
  "$(grep -c '^  > FAILS$' <<<"$session")"
check 'leaving the debugger ends it' NIL "$(said 'active at the top')"
# 3, 4, 5, 6 and 7, and three variables in each of the five calls
check 'what MADE allocated' "($((25 + 15 * v)) $((400 + 240 * v)) 5)" "$(said made)"
# N in both calls
check 'what FAILS allocated itself' "($((2 * v)) $((32 * v)) 2)" "$(said fails)"
check 'MADE called by FAILS' "(2 $((10 + 6 * v)))" "$(said 'fails made')"
check 'the residual' '"0"' "$(said residual)"
check 'nothing is unattributed' '"0"' "$(said unattributed)"
check 'a restart leaves the debugger and the profile' NIL \
  "$(said 'active after a restart')"
check 'what MADE allocated, with a restart' \
  "($((10 + 6 * v)) $((160 + 96 * v)) 2)" \
  "$(said 'made with a restart')"
[ "$failed" = 0 ] || sed 's/^/# /' <<<"$session"
exit $failed
