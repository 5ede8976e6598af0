;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; following.lisp -- what programs have in common whose objects are followed.
;;;;
;;;; The collector is conservative: a stale word on a stack keeps an object.
;;;; So what is to be dead is made, and forgotten, in a thread of its own, which
;;;; has ended when garbage is collected; and all is compiled, for the
;;;; interpreter has conses of its own, which such a word may keep.

(require :mprof)

(defpackage #:following
  (:use #:common-lisp)
  (:export #:*failures* #:*kept* #:same #:by-release #:in-thread
           #:again-and-again #:in-other-words #:following))

(in-package #:following)

(defvar *failures* 0)
(defvar *kept* '() "What programs leave alive.")

(defun same (what expected actual)
  (let ((same (equal expected actual)))
    (unless same (incf *failures*))
    (format t "~&~:[not ok~;ok~] - ~A~%~:[# expected ~S, got ~S~%~;~]" same what
            same expected actual)))

(defmacro by-release (old new)
  "OLD in ECL 21.2.1, NEW in 24.5.10."
  (if (eql (search "21." (lisp-implementation-version)) 0) old new))

(defun in-thread (function &rest arguments)
  "Call FUNCTION with ARGUMENTS in a thread of its own; its value is lost."
  (mp:process-join
   (mp:process-run-function "worker" (lambda ()
                                       (apply function arguments)
                                       nil)))
  (in-other-words))

(defun again-and-again (seconds function &rest arguments)
  "Call FUNCTION with ARGUMENTS for so many SECONDS."
  (loop with end = (+ (get-internal-real-time)
                      (* seconds internal-time-units-per-second))
        while (< (get-internal-real-time) end)
        do (apply function arguments)))

(defun in-other-words (&optional (depth 100))
  "Write over what is left of a stack."
  (let ((words (list depth depth depth)))
    (declare (dynamic-extent words))
    (if (plusp depth)
        (+ 1 (in-other-words (1- depth)) (length words))
        0)))

(defmacro following (what &body body)
  "WHAT may be a list (WHAT OPTION...) with options for MPROF:START."
  (destructuring-bind (what &rest options) (if (listp what) what (list what))
    `(progn
       (mprof:reset)
       (setf *kept* '())
       (mprof:start :live t ,@options)
       ,@body
       (when (getf (mprof:status) :active) (mprof:stop))
       (format t "# ~A~%" ,what))))
