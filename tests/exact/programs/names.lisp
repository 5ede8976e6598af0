;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Each kind of function under its name: local functions, lambdas, closures,
;;;; methods, SETF functions, core functions that call back.

(in-package #:exact)

;;; FLET and LABELS.

(defun with-local (n)
  (flet ((pair (x) (cons x x)))
    (declare (notinline pair))
    (dotimes (i n)
      (keep (pair i))
      (keep (pair i)))))

(measuring ("flet") (with-local 100)
  (total 200 (* 200 +cons+))
  (self '(flet pair :in with-local) 200 (* 200 +cons+))
  (calls '(flet pair :in with-local) 200)
  (arc 'with-local '(flet pair :in with-local) 200))

(defun with-labels (n)
  (labels ((count-down (k)
             (if (zerop k) nil (cons k (count-down (1- k))))))
    (count-down n)))

(measuring ("labels, recursive") (with-labels 100)
  (total 100 (* 100 +cons+))
  (self '(labels count-down :in with-labels) 100 (* 100 +cons+))
  (calls '(labels count-down :in with-labels) 100)
  (arc 'with-labels '(labels count-down :in with-labels) 1))

;;; A closure that outlives its function: made there, called elsewhere.

(defun make-accumulator ()
  (let ((items nil))
    (lambda (x) (push x items))))

(defun feed (f n)
  (dotimes (i n)
    (funcall f i)))

(defun accumulate (n)
  (let ((f (make-accumulator)))
    (feed f n)))

(measuring ("closure") (accumulate 50)
  ;; the closure and a cell for ITEMS; then a cons for each item
  (total 52 (+ +closure+ +cons+ (* 50 +cons+)))
  (self 'make-accumulator 2 (+ +closure+ +cons+))
  (type-total "CLOSURE" 1 +closure+)
  (self '(lambda :in make-accumulator) 50 (* 50 +cons+))
  (calls '(lambda :in make-accumulator) 50)
  (arc 'feed '(lambda :in make-accumulator) 50 50 (* 50 +cons+))
  (no-arc 'make-accumulator '(lambda :in make-accumulator)))

;;; MAPCAR, called as a function, with a lambda.

(defun map-it (f list)
  (declare (notinline mapcar))
  (mapcar f list))

(defvar *hundred* (loop for i below 100 collect i))

(defun map-lists ()
  (map-it (lambda (x) (cons x x)) *hundred*))

(measuring ("mapcar with a lambda") (map-lists)
  ;; MAP-LISTS makes a function object for the lambda
  (total 201 (+ +compiled-function+ (* 200 +cons+)))
  (self 'map-lists 1 +compiled-function+)
  (self 'mapcar 100 (* 100 +cons+))
  (calls 'mapcar 1)
  (arc 'map-it 'mapcar 1 200 (* 200 +cons+))
  (self '(lambda :in map-lists) 100 (* 100 +cons+))
  (calls '(lambda :in map-lists) 100)
  (arc 'mapcar '(lambda :in map-lists) 100))

;;; SORT with a :KEY that allocates.  ECL merges lists: pairs first, two keys
;;; each, which makes 8.  Then each merge takes two keys, and one more for
;;; each element that it takes before one side is empty:
;;;   (1 3) and (4 8):          1, 3                    2 + 1
;;;   (5 9) and (2 6):          2, 5, 6                 2 + 2
;;;   (1 3 4 8) and (2 5 6 9):  1, 2, 3, 4, 5, 6, 8     2 + 6
;;; That is 23 calls of the key; and each of the 3 merges makes a cons.

(defun key-of (x)
  (keep (cons x nil))
  x)

(defun sort-it (list)
  (sort list #'< :key #'key-of))

(defvar *numbers* (list 3 1 4 8 5 9 2 6))

(measuring ("sort with a key") (sort-it *numbers*)
  (total 26 (* 26 +cons+))
  (self 'key-of 23 (* 23 +cons+))
  (calls 'key-of 23)
  (arc 'sort-it 'sort 1 26 (* 26 +cons+))
  (inclusive 'sort 26 (* 26 +cons+))
  (self "SI::LIST-MERGE-SORT" 3 (* 3 +cons+)))

;;; (SETF FOO).

(defvar *stored* nil)

(defun (setf stored) (value)
  (setf *stored* (cons value nil)))

(defun store (n)
  (dotimes (i n)
    (setf (stored) i)))

(measuring ("setf function") (store 30)
  (self '(setf stored) 30 (* 30 +cons+))
  (arc 'store '(setf stored) 30 30 (* 30 +cons+)))

;;; Methods, with an :AROUND method and CALL-NEXT-METHOD.

(defclass shape () ())
(defclass square (shape) ())

(defgeneric area (shape))

(defmethod area ((shape shape))
  (keep (cons 1 1))
  1)

(defmethod area ((shape square))
  (keep (cons 2 2))
  (call-next-method))

(defmethod area :around ((shape square))
  (keep (cons 3 3))
  (keep (cons 3 3))
  (call-next-method))

(defvar *square* (make-instance 'square))

(defun areas (n)
  (dotimes (i n)
    (area *square*)))

(areas 1)                               ; fills the caches of AREA

(measuring ("methods") (areas 100)
  ;; for CALL-NEXT-METHOD 24.5.10 makes a list of the arguments
  (total (by-release 400 500) (* (by-release 400 500) +cons+))
  (self '(method area (shape)) 100 (* 100 +cons+))
  (self '(method area (square)) 100 (* 100 +cons+))
  (self '(method area :around (square)) 200 (* 200 +cons+))
  (calls '(method area (shape)) 100)
  (calls '(method area (square)) 100)
  (calls '(method area :around (square)) 100)
  (inclusive '(method area :around (square)) (by-release 400 500)
             (* (by-release 400 500) +cons+))
  (inclusive '(method area (square)) 200 (* 200 +cons+))
  (calls 'areas 1))

(defmethod measure-of ((x integer)) (cons x 1))
(defmethod measure-of ((x string)) (make-list 3))

(defun measures (n)
  (dotimes (i n)
    (keep (measure-of i))
    (keep (measure-of "x"))))

(measures 1)

(measuring ("methods on built-in classes") (measures 100)
  (total 400 (* 400 +cons+))
  (self '(method measure-of (integer)) 100 (* 100 +cons+))
  (arc '(method measure-of (string)) 'make-list 100 300 (* 300 +cons+)))

;;; A function and its definition while profiling: each has its own objects.

(defun changing (x) (cons x x))

(defun call-changing (n)
  (declare (notinline changing))
  (dotimes (i n)
    (keep (changing i))))

(defun new-definition () (lambda (x) (list* x x x)))
(defvar *new-definition* (new-definition))

(defun change ()
  (call-changing 10)
  (setf (fdefinition 'changing) *new-definition*)
  (call-changing 20))

(measuring ("a function redefined while profiling" :residual 0) (change)
  (self 'changing 10 (* 10 +cons+))
  (calls 'changing 10)
  (arc '(lambda :in new-definition) 'list* 20 40 (* 40 +cons+))
  (calls 'call-changing 2)
  ;; the form itself is in a lambda at top level
  (arc "(LAMBDA :IN (LOAD \"names.lisp\"))" 'change 1))

;;; Two functions of one name in two packages.

(defpackage #:other (:use))

(defun other::one (x) (cons x nil))
(defun one (x) (cons x x))

(defun call-both (n)
  (dotimes (i n)
    (keep (one i))
    (keep (one i))
    (keep (other::one i))))

(measuring ("one name in two packages") (call-both 10)
  (self "EXACT::ONE" 20 (* 20 +cons+))
  (self "OTHER::ONE" 10 (* 10 +cons+)))

;;; A name that needs bars.

(defun |lower Case| (x) (cons x nil))

(measuring ("a name in bars") (keep (|lower Case| 1))
  (self '|lower Case| 1 +cons+)
  (self "EXACT::|lower Case|" 1 +cons+))
