;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Floats of known type that become objects.

;;; Elements of a general vector are objects.

(defun fault-1 ()
  (let ((powers (make-array 10))
        (x 1d0))
    (declare (double-float x) (optimize (safety 0)))
    (dotimes (i 10 powers)
      (setf x (* x 1.5d0)
            (svref powers i) x))))

(defun mended-1 ()
  (let ((powers (make-array 10 :element-type 'double-float))
        (x 1d0))
    (declare (double-float x) (optimize (safety 0)))
    (dotimes (i 10 powers)
      (setf x (* x 1.5d0)
            (aref powers i) x))))

;;; So are arguments and values of functions.

(declaim (notinline next-guess))
(defun next-guess (x a)
  (declare (double-float x a) (optimize (safety 0)))
  (/ (+ x (/ a x)) 2d0))

(defun fault-2 ()
  (let ((x 10d0) (a 2d0))
    (declare (double-float x a) (optimize (safety 0)))
    (dotimes (i 8)
      (setf x (next-guess x a)))
    (< 1.4d0 x 1.5d0)))

(declaim (inline next-guess-inline))
(defun next-guess-inline (x a)
  (declare (double-float x a) (optimize (safety 0)))
  (let ((guess 0d0))                    ; ECL 24.5.10 boxes within nested forms
    (declare (double-float guess))
    (setf guess (/ a x)
          guess (+ x guess))
    (/ guess 2d0)))

(defun mended-2 ()
  (let ((x 10d0) (a 2d0))
    (declare (double-float x a) (optimize (safety 0)))
    (dotimes (i 8)
      (setf x (next-guess-inline x a)))
    (< 1.4d0 x 1.5d0)))

;;; The slots of a structure hold objects, also typed ones.  An array in the
;;; slot does not.

(defstruct account
  (balance 0d0 :type double-float))

(defstruct balances
  (values (make-array 1 :element-type 'double-float)
   :type (simple-array double-float (1))))

(defvar *account* (make-account))
(defvar *balances* (make-balances))

(defun fault-3 ()
  (let ((account *account*) (rate 1.05d0) (balance 100d0))
    (declare (double-float rate balance) (optimize (safety 0)))
    (dotimes (year 12)
      (setf balance (* balance rate)
            (account-balance account) balance))
    (plusp (account-balance account))))

(defun mended-3 ()
  (let ((balances (balances-values *balances*)) (rate 1.05d0) (balance 100d0))
    (declare (double-float rate balance) (optimize (safety 0))
             (type (simple-array double-float (1)) balances))
    (dotimes (year 12)
      (setf balance (* balance rate)
            (aref balances 0) balance))
    (plusp balance)))

;;; Floats that exist already; floats that stay in arrays; fixnums.

(defvar *samples* (list 1d0 2d0 4d0))

(defun alike-1 ()
  (let ((copy (make-array 3)))
    (loop for x in *samples*
          for i from 0
          do (setf (svref copy i) x))
    copy))

(defun alike-2 ()
  (let ((from (make-array 4 :element-type 'single-float))
        (to (make-array 4 :element-type 'single-float))
        (x 0f0) (factor 3f0))
    (declare (single-float x factor) (optimize (safety 0)))
    (dotimes (i 4 to)
      (setf x (aref from i)
            x (* x factor)
            (aref to i) x))))

(defun alike-3 ()
  (let ((squares (make-array 10)) (square 0))
    (declare (fixnum square))
    (dotimes (i 10 squares)
      (setf square (* i i)
            (svref squares i) square))))
