;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; embedded.lisp -- Lisp code that goes into libraries and programs of all
;;;; kinds.  Its chains are the same in each; run.sh states them.

(defpackage #:embedded
  (:use #:common-lisp)
  (:export #:consume #:call #:run))

(in-package #:embedded)

(defvar *kept* nil
  "Takes what nobody needs, so that making it is not left out.")

(defun leaf (n)
  (dotimes (i n)
    (setf *kept* (cons i i))))

;; a call in tail position
(defun consume (n)
  (setf *kept* (list n n))
  (leaf n))

(defun call (function argument)
  (flet ((between ()
           (funcall function argument)))
    (declare (notinline between))
    (between)))

(defun run ()
  "What a program of Lisp code alone does."
  (consume 10)
  (call (lambda (n) (leaf n)) 3))
