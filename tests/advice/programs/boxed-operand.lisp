;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; A function of the runtime computes, and gets objects: a float of C is
;;;; boxed for it.  The float that it makes is another one.

(defvar *limit* 3.5d0)

;;; The other operand is an object of no declared type.

(defun fault-1 ()
  (let ((x 1d0) (small 0))
    (declare (double-float x) (optimize (safety 0)))
    (dotimes (i 10 small)
      (setf x (* x 1.5d0))
      (when (< x *limit*)
        (incf small)))))

(defun mended-1 ()
  (let ((x 1d0) (small 0) (limit *limit*))
    (declare (double-float x limit) (optimize (safety 0)))
    (dotimes (i 10 small)
      (setf x (* x 1.5d0))
      (when (< x limit)
        (incf small)))))

;;; All types are declared, but SAFETY is not 0.

(defun fault-2 ()
  (let ((x 1f0) (rate 1.25f0))
    (declare (single-float x rate) (optimize (safety 1)))
    (dotimes (i 7)
      (setf x (* x rate)))
    (> x 2f0)))

(defun mended-2 ()
  (let ((x 1f0) (rate 1.25f0))
    (declare (single-float x rate) (optimize (safety 0)))
    (dotimes (i 7)
      (setf x (* x rate)))
    (> x 2f0)))

;; The products are not made, either.
(defvar *more-2* (* -7 8))

;;; No type helps FLOOR of a float.  C has its own.

(defvar *times*
  (make-array 4 :element-type 'double-float
                :initial-contents '(0.5d0 1.5d0 2.25d0 8d0)))

(defun fault-3 ()
  (let ((times *times*) (sum 0))
    (declare (type (simple-array double-float (*)) times) (fixnum sum)
             (optimize (safety 0)))
    (dotimes (i 4 sum)
      (let ((x (aref times i)))
        (declare (double-float x))
        (incf sum (the fixnum (floor x)))))))

(defun mended-3 ()
  (let ((times *times*) (sum 0))
    (declare (type (simple-array double-float (*)) times) (fixnum sum)
             (optimize (safety 0)))
    (dotimes (i 4 sum)
      (let ((x (aref times i)))
        (declare (double-float x))
        (incf sum (the fixnum (ffi:c-inline (x) (:double) :fixnum
                                            "(cl_fixnum)floor(#0)"
                                            :one-liner t)))))))

;; The remainders are not made, either; that of 8, which is 0, never is.
(defvar *more-3* (* -3 16))

;;; All operands are objects; all are of C; fixnums.

(defvar *payments* (list 1.5d0 2.25d0 8d0))

(defun alike-1 ()
  (let ((sum *limit*))
    (dolist (payment *payments* sum)
      (setf sum (+ sum payment)))))

(defun alike-2 ()
  (let ((x 1d0) (y 2d0))
    (declare (double-float x y) (optimize (safety 0)))
    (dotimes (i 10)
      (setf x (* x 1.5d0)
            y (+ x y)))
    (> y x)))

(defun alike-3 ()
  (let ((n 1))
    (declare (fixnum n))
    (dotimes (i 10 n)
      (setf n (+ n i)))))
