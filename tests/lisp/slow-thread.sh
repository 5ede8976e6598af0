#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Counting ends, or begins, while a thread is being made: the collector's
# record of it is counted when the collector counts it.

. "$(dirname "$0")/../cli/check.bash"

${CC:-gcc} -O1 -fPIC -shared -o slow.so "$top/tests/lisp/slow-thread.c"
cat >program.lisp <<'EOF'
(require :mprof)
(defvar *wanted* (si:find-foreign-symbol "slow_wanted" :default :int 4))
(defvar *begins* (si:find-foreign-symbol "slow_begins" :default :int 4))
(defvar *end* nil)
(defun work (n) (let ((x '())) (dotimes (i n x) (push i x))))
(defun wait-for (flag)
  (loop until (= 1 (si:foreign-data-ref-elt flag 0 :int))))
(defun make-child ()
  "Allocates while the child begins."
  (wait-for *wanted*)
  (let ((child (mp:process-run-function "child" #'work 10)))
    (loop until *end* do (work 1000))
    (mp:process-join child)))
(mapc #'compile '(work wait-for make-child))
(defun residual ()
  (mprof.data:comment "mprof.residual_bytes" (mprof:load-profile)))
(defun say (what)
  (format t "~&residual ~A: ~A~%" what (residual)))

(defun call-while-child-begins (function)
  (setf *end* nil)
  (si:foreign-data-set-elt *begins* 0 :int 0)
  (let ((parent (mp:process-run-function "parent" #'make-child)))
    (work 10)
    (si:foreign-data-set-elt *wanted* 0 :int 1)
    (wait-for *begins*)
    (funcall function)
    (setf *end* t)
    (mp:process-join parent)))

(mprof:start)
(call-while-child-begins #'mprof:stop)
(say "when counting ends")
(mprof:reset)
(call-while-child-begins #'mprof:start)
(mprof:stop)
(say "when counting begins")
(ext:quit 0)
EOF
LD_PRELOAD=$PWD/slow.so timeout 100 "$ECL" --norc --load program.lisp \
  </dev/null >log 2>&1
for when in 'counting ends' 'counting begins'; do
  grep -q "^residual when $when: 0$" log
  result $? "a thread begins slowly when $when: the residual is 0"
done
[ "$failures" = 0 ] || tail -n 5 log | sed 's/^/# /'
finish
