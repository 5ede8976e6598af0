;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; types.lisp -- a function for each kind of object, that makes it N times
;;;; and keeps the last.  None ends in a call, and none is inlined: both would
;;;; take its frame away.

(defvar *sink* nil)
(defstruct point x y)
(defvar *pt* (make-point :x 1 :y 2))
(defclass widget () ((a :initarg :a) (b :initform 2)))
(defvar *tests* '())

(defmacro define-test (name (variable) &body body)
  `(progn
     (declaim (notinline ,name))
     (defun ,name (,variable)
       (setf *sink* (progn ,@body))
       t)
     (push ',name *tests*)))

(defmacro times (n form)
  `(dotimes (i ,n *sink*)
     (setf *sink* ,form)))

(define-test f-conses (n)
  (let ((l nil)) (dotimes (i n l) (push i l))))

(define-test f-list (n)
  (let ((l nil)) (dotimes (i n l) (setf l (list i i i)))))

(define-test f-floats (n)
  (let ((x 0d0))
    (times n (setf x (+ x (sqrt (float i 1d0)))))))

(define-test f-singles (n)
  (let ((x 0f0))
    (times n (setf x (+ x 1f0)))))

(define-test f-strings (n)
  (times n (make-string 20)))

(define-test f-base-strings (n)
  (times n (make-string 20 :element-type 'base-char)))

(define-test f-vectors (n)
  (times n (make-array 10)))

(define-test f-df-vectors (n)
  (times n (make-array 10 :element-type 'double-float)))

(define-test f-bits (n)
  (times n (make-array 100 :element-type 'bit)))

(define-test f-matrices (n)
  (times n (make-array '(3 4))))

(define-test f-adjustable (n)
  (times n (make-array 10 :adjustable t :fill-pointer 0)))

(define-test f-structs (n)
  (times n (make-point :x i :y i)))

(define-test f-instances (n)
  (times n (make-instance 'widget :a i)))

(define-test f-hash (n)
  (times n (make-hash-table :size 50)))

(define-test f-grow (n)
  (let ((h (make-hash-table :size 10)))
    (times n (setf (gethash i h) i))))

(define-test f-closures (n)
  (times n (let ((i i)) (lambda () i))))

(define-test f-bignums (n)
  (let ((x 1)) (dotimes (i n x) (setf x (* x 3)))))

(define-test f-ratios (n)
  (times n (/ 1 (+ 2 i))))

(define-test f-symbols (n)
  (times n (make-symbol "FOO")))

(define-test f-format (n)
  (times n (format nil "~a and ~s" i :foo)))

(define-test f-large (n)
  (times n (make-array 5000)))

(define-test f-mapcar (n)
  (times n (mapcar #'1+ '(1 2 3))))

(define-test f-complex (n)
  (times n (complex i 2)))

(define-test f-push-extend (n)
  (let ((v (make-array 4 :adjustable t :fill-pointer 0)))
    (times n (vector-push-extend i v))))

(define-test f-streams (n)
  (times n (make-string-output-stream)))

(define-test f-concat (n)
  (times n (concatenate 'string "abc" "def")))

(define-test f-copy (n)
  (times n (copy-point *pt*)))

(defun all ()
  (dolist (test *tests*)
    (funcall test 100)))
