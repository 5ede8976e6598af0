;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Frames of Lisp functions that an exception of C++ leaves, which is caught
;;;; further out.  Nobody tells Lisp of it, nor the profiler.  And Lisp in a
;;;; signal handler with a stack of its own, above or below the thread's.
;;;; c-exits.cc has the C side.

(in-package #:exact)

(defun make-one (n)
  (keep (cons n n)))

(defun one-each (name n)
  "Each of N calls of MAKE-ONE by NAME made a cons."
  (conses-of name 'make-one n n))

;;; Out of 20 frames, 100 times.

(defvar *leave* nil "The C function that leaves.")
(defvar *value* (list 7) "With what.")

(defun sink (n)
  "Leave, below N + 1 frames that have each made one cons."
  (make-one n)
  (if (zerop n)
      (si:call-cfun *leave* :void '(:long) *value*)
      (sink (1- n)))
  (make-one n))

(ffi:defcallback begin-to-sink :long ((n :long))
  (sink n)
  (make-one n)
  n)

(defvar *types* '(:pointer-void :long))

(defun enter (function arguments)
  (si:call-cfun function :long *types* arguments))

(defun enter-often (n function arguments)
  (dotimes (i n)
    (enter function arguments)
    (make-one i)))

(setf *leave* (c-function "cxx_throw"))

(let ((function (c-function "cxx_catch"))
      (arguments (list (ffi:callback 'begin-to-sink) 20))
      (levels (* 100 21)))
  (measuring ("an exception") (enter-often 100 function arguments)
    (check "it is caught" 7 (enter function arguments))
    (calls 'sink levels)
    (arc 'sink 'sink (* 100 20))
    (one-each 'sink levels)
    (conses-of 'begin-to-sink 'sink 100 levels)
    (no-arc 'begin-to-sink 'make-one)
    (one-each 'enter-often 100)
    (inclusive "cxx_catch" levels (* levels +cons+))))

;;; Lisp runs while an exception is under way, on top of the C++ function that
;;; it leaves.

(defvar *clean-up* (c-function "cxx_clean_up"))

(ffi:defcallback clean-up :long ((n :long))
  (dotimes (i n)
    (make-one i))
  n)

(defvar *cleaning-types* '(:pointer-void :pointer-void :long))
(defvar *cleaning*
  (list (ffi:callback 'begin-to-sink) (ffi:callback 'clean-up) 3))

(ffi:defcallback with-cleanup :long ((n :long))
  (si:call-cfun *clean-up* :long *cleaning-types* *cleaning*)
  (make-one n)
  n)

(let ((function (c-function "cxx_catch"))
      (arguments (list (ffi:callback 'with-cleanup) 1)))
  (measuring ("a destructor calls Lisp") (enter-often 100 function arguments)
    (calls 'with-cleanup 100)
    (one-each 'sink 400)
    (one-each 'clean-up 300)
    (one-each 'enter-often 100)
    (no-arc 'with-cleanup 'make-one)
    (no-arc 'sink 'clean-up)))

;;; Other stacks, in the first thread and in another one.

(setf *dump-only* "EXACT::WORK")

(defun work (n)
  (dotimes (i n)
    (keep (cons i i))))

(defun call-on-all-stacks (function)
  "Call FUNCTION with a title and where the stack is to be, three times."
  (funcall function "first thread" 0)
  (mp:process-join
   (mp:process-run-function
    "other" (lambda ()
              (funcall function "another thread, below its own stack" 0)
              (funcall function "another thread, above its own stack" 1)))))

;;; Signal handlers have nothing to do with what they interrupt.

(defvar *call-in-handler* (c-function "call_in_handler"))

(ffi:defcallback in-handler :long ((n :long))
  (work n)
  (work n)
  n)

(defun interrupt-itself (n arguments)
  (dotimes (i n)
    (work 1)
    (si:call-cfun *call-in-handler* :void '(:pointer-void :long :long)
                  arguments)
    (work 1)))

(call-on-all-stacks
 (lambda (where above)
   (let ((arguments (list (ffi:callback 'in-handler) 5 above)))
     (measuring ((format nil "a signal handler, ~A" where))
         (interrupt-itself 20 arguments)
       (calls 'interrupt-itself 1)
       (conses-of '(ffi:callback in-handler) 'in-handler 20 200)
       (conses-of 'in-handler 'work 40 200)
       (conses-of 'interrupt-itself 'work 40 40)
       (no-arc 'interrupt-itself 'in-handler)))))
