;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; What looks like the fault of a rule, and is none: the function RULE/N has
;;;; no advice by RULE.  Most of it was found in libraries that many use.

(defun compiled (form)
  (let ((*compile-verbose* nil)
        (*compile-print* nil))
    (compile nil form)))

;;; FORMAT to a stream, where directives need streams of their own.

(defvar *null* (make-broadcast-stream))

(defun format-string/1 ()
  (dolist (price '(1.25d0 2.5d0))
    (format *null* "~F" price)))

(defun format-string/2 ()
  (dolist (name '("tea" "milk"))
    (format *null* "~@[~<~%~:; ~:@(~S~)~>~]" name)))

;;; An object whose printer has a control string of its own, in ECL; the
;;; compiler at work, which parses them; what FORMATTER made.

(defvar *error* (make-condition 'type-error :datum 1 :expected-type 'string))

(defun format-control/1 ()
  (princ *error* *null*))

(defun format-control/2 ()
  (compiled '(lambda (x) (format nil (formatter "~D") x)))
  nil)

(defun format-control/3 ()
  (dolist (name '("tea" "milk"))
    (format *null* (load-time-value (formatter "~A: ~A")) name *error*)))

;;; A closure that is made once.

(declaim (notinline call))

(defun call (function)
  (funcall function 1))

(defun closure/1 ()
  (let ((n (random 1)))
    (call (lambda (x) (+ x n)))))

;;; Conditions are instances that cannot be structures.

(defun initargs/1 ()
  (handler-case (error 'type-error :datum 1 :expected-type 'string)
    (error () nil)))

;;; The compiler signals what it notes.

(defun condition/1 ()
  (compiled '(lambda (x) (declare (ignore x)) 1))
  nil)

;;; The pretty printer makes instances of its own.

(defun initargs/2 ()
  (write '(1 2 3) :stream *null* :pretty t)
  nil)

;;; So do logical blocks, of a control string and of a function.

(defun initargs/3 ()
  (let ((*print-pretty* t))
    (format nil "~<~A ~A~:>" '(1 2))))

(defun initargs/4 ()
  (let ((*print-pretty* t))
    (with-output-to-string (s)
      (pprint-logical-block (s '(1 2) :prefix "<" :suffix ">")
        (princ (pprint-pop) s)))))

(defun initargs/5 ()
  (let ((*print-pretty* t))
    (princ-to-string '(1 (2 3)))))

(defun initargs/6 ()
  (handler-case (error "No ~A" 'tea)
    (error () nil)))

;;; What is boxed is an integer.

(declaim (notinline note-word))

(defun note-word (word)
  (declare (type (unsigned-byte 64) word))
  (evenp word))

(defvar *word* (ash 1 63))

(defun boxed-argument/1 ()
  (let ((word *word*))
    (declare (type (unsigned-byte 64) word) (optimize (safety 0)))
    (note-word word)))
