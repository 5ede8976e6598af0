;;;; variants: compiled bytecode
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Frames of Lisp functions that C leaves: an exception of C++ that is caught
;;;; further out, or a longjmp.  Nobody tells Lisp of it, nor the profiler.
;;;; c-exits.cc has the C side.

(in-package #:exact)

(defun conses (name n)
  (self name n (* n +cons+)))

(defun make-one (n)
  (keep (cons n n)))

(defconstant +one+ (+ 1 (v 1)) "Conses of MAKE-ONE.")

(defvar *leave* nil "The C function that leaves.")
(defvar *value* (list 0) "With what.")

(defun leave ()
  (si:call-cfun *leave* :void '(:long) *value*))

(defun sink (n)
  "LEAVE, below N + 1 frames that have each made one cons."
  (make-one n)
  (if (zerop n)
      (leave)
      (sink (1- n)))
  (make-one n))

(define-callback begin-to-sink :long ((n :long))
  (sink n)
  (make-one n)
  n)

(defvar *types* '(:pointer-void :long))

;;; Out of 20 frames, 100 times.

(defun enter (function arguments)
  (si:call-cfun function :long *types* arguments))

(defun enter-often (n function arguments)
  (dotimes (i n)
    (enter function arguments)
    (make-one i)))

(defun measure-exits (target leave)
  (let ((function (c-function target))
        (arguments (list (ffi:callback 'begin-to-sink) 20))
        (levels (* 100 21)))
    (setf *leave* (c-function leave))
    (rplaca *value* 7)
    (measuring (target) (enter-often 100 function arguments)
      (check (format nil "~A gives back what ~A says" target leave)
             7 (enter function arguments))
      (conses 'make-one (* +one+ (+ levels 100)))
      (calls 'make-one (+ levels 100))
      (calls 'sink levels)
      (conses 'sink (* levels (v 1)))
      (conses 'begin-to-sink (* 100 (v 1)))
      (calls 'begin-to-sink 100)
      (calls 'enter-often 1)
      (conses-of 'sink 'make-one levels (* levels +one+))
      (arc 'sink 'sink (* 100 20))
      (conses-of 'begin-to-sink 'sink 100 (* levels (+ +one+ (v 1))))
      (no-arc 'begin-to-sink 'make-one)
      (conses-of 'enter-often 'make-one 100 (* 100 +one+))
      (let ((below (+ (* 100 (v 1)) (* levels (+ +one+ (v 1))))))
        (inclusive target below (* below +cons+))))))

(measure-exits "cxx_catch" "cxx_throw")
(measure-exits "jump_target" "jump_back")

;;; Lisp runs while an exception is under way, on top of the C++ function that
;;; it leaves.

(setf *leave* (c-function "cxx_throw"))

(defvar *clean-up* (c-function "cxx_clean_up"))

(define-callback clean-up :long ((n :long))
  (dotimes (i n)
    (make-one i))
  n)

(defvar *cleaning-types* '(:pointer-void :pointer-void :long))
(defvar *cleaning*
  (list (ffi:callback 'begin-to-sink) (ffi:callback 'clean-up) 3))

(define-callback with-cleanup :long ((n :long))
  (si:call-cfun *clean-up* :long *cleaning-types* *cleaning*)
  (make-one n)
  n)

(let ((function (c-function "cxx_catch"))
      (arguments (list (ffi:callback 'with-cleanup) 1)))
  (measuring ("a destructor calls Lisp") (enter-often 100 function arguments)
    (calls 'sink 400)
    (calls 'clean-up 100)
    (calls 'with-cleanup 100)
    (calls 'make-one (+ 400 300 100))
    (conses-of 'sink 'make-one 400 (* 400 +one+))
    (conses-of 'clean-up 'make-one 300 (* 300 +one+))
    (conses-of 'enter-often 'make-one 100 (* 100 +one+))
    (no-arc 'with-cleanup 'make-one)
    (no-arc 'sink 'clean-up)))
