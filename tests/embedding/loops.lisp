;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; loops.lisp -- what loops.c makes and calls.

(defstruct widget a b)

(defclass thing ()
  (a b))

(defun make-two (n)
  (list n (make-array n)))

(defun call (function)
  (funcall function nil)
  nil)

(ffi:defcallback call-back :void ()
  (make-two 2)
  nil)
