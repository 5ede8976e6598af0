;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; interrupted.lisp -- begin and end to count while an interrupt waits for
;;;; another thread to enable interrupts.  ECL makes the environment of that
;;;; thread read-only until then.
;;;;
;;;; Then, interrupt a thread that does the same in MP:WITHOUT-INTERRUPTS: the
;;;; interrupt waits for the end of the form, also when functions of ECL in it
;;;; disable and enable interrupts.
;;;;
;;;; Then, throw out of a thread that allocates, again and again, while profiles
;;;; are garbage: their finalizers run in it, and give memory back to malloc.

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

(defun interrupt (works meanwhile)
  "Call WORKS, which calls HOLD, in a thread that is interrupted in HOLD, and
MEANWHILE before HOLD returns."
  (setf *interrupted* nil)
  (ffi:c-inline () () :void "holds = interrupted = go = 0;")
  (let ((process (mp:process-run-function "holds" works)))
    (loop until (= (holds) 1) do (sleep 1/1000))
    (mp:interrupt-process process (lambda () (setf *interrupted* t)))
    (loop until (= (told) 1) do (sleep 1/1000))
    (funcall meanwhile)
    (ffi:c-inline () () :void "go = 1;")
    (mp:process-join process)))

(defun run ()
  (interrupt #'hold (lambda () (mprof:start) (mprof:stop)))
  (format t "~:[not ok~;ok~] - counted, and interrupted~%" *interrupted*)
  (let ((early nil))
    (interrupt (lambda ()
                 (mp:without-interrupts
                   (hold)
                   (find-package "NO-SUCH-PACKAGE")
                   (setf early *interrupted*)))
               (lambda ()))
    (format t "~:[not ok~;ok~] - interrupted after WITHOUT-INTERRUPTS~%"
            (and *interrupted* (not early)))))

(defvar *inside* nil)
(defvar *thrown* 0)
(defvar *kept* nil)

(defun leave ()
  (when *inside*
    (setf *inside* nil)
    (incf *thrown*)
    (throw 'out t)))

(defun allocate-until-thrown-out ()
  (catch 'out
    (setf *inside* t)
    (dotimes (i 300000)
      (setf *kept* (list i i i)))
    (setf *inside* nil)))

(defun throw-out ()
  (mprof:with-profiling (:report nil)
    (dotimes (i 2000)
      (format nil "~A~R" i i)))
  (dotimes (round 60)
    (dotimes (i 5)
      (mprof:load-profile))
    (let ((process (mp:process-run-function
                    "works" (lambda ()
                              (dotimes (i 20)
                                (allocate-until-thrown-out))))))
      (loop while (mp:process-active-p process)
            do (ignore-errors (mp:interrupt-process process #'leave))
               (sleep 1/2000))
      (mp:process-join process)))
  (format t "~:[not ok~;ok~] - thrown out, and malloc goes on~%"
          (plusp *thrown*)))

(run)
(throw-out)
