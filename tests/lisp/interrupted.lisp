;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; interrupted.lisp -- begin and end to count while an interrupt waits for
;;;; another thread to enable interrupts.  ECL makes the environment of that
;;;; thread read-only until then.

(require :mprof)

(ffi:clines "#include <unistd.h>
static volatile int holds, interrupted, go;")

(defvar *interrupted* nil)

(defun hold ()
  (ffi:c-inline () () :void
    "ecl_disable_interrupts(); holds = 1;
     while (!go) if (usleep(100000) != 0) interrupted = 1;
     ecl_enable_interrupts();"))

(defun holds () (ffi:c-inline () () :int "holds" :one-liner t))
(defun told () (ffi:c-inline () () :int "interrupted" :one-liner t))

(defun run ()
  (let ((process (mp:process-run-function "holds" #'hold)))
    (loop until (= (holds) 1) do (sleep 1/1000))
    (mp:interrupt-process process (lambda () (setf *interrupted* t)))
    (loop until (= (told) 1) do (sleep 1/1000))
    (mprof:start)
    (mprof:stop)
    (ffi:c-inline () () :void "go = 1;")
    (mp:process-join process)
    (format t "~:[not ok~;ok~] - counted, and interrupted~%" *interrupted*)))

(run)
(si:exit 0)
