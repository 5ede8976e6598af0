;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; A function gets objects: a float of C is boxed for it.

;;; The type of the function, proclaimed, does not help; INLINE does.

(declaim (ftype (function (double-float double-float) boolean) close-p)
         (notinline close-p))
(defun close-p (x y)
  (declare (double-float x y) (optimize (safety 0)))
  (< x y))

(defun fault-1 ()
  (let ((x 1d0) (limit 5d0) (close 0))
    (declare (double-float x limit) (fixnum close) (optimize (safety 0)))
    (dotimes (i 8 close)
      (setf x (* x 1.5d0))
      (when (close-p x limit)
        (incf close)))))

(declaim (inline close-inline-p))
(defun close-inline-p (x y)
  (declare (double-float x y) (optimize (safety 0)))
  (< x y))

(defun mended-1 ()
  (let ((x 1d0) (limit 5d0) (close 0))
    (declare (double-float x limit) (fixnum close) (optimize (safety 0)))
    (dotimes (i 8 close)
      (setf x (* x 1.5d0))
      (when (close-inline-p x limit)
        (incf close)))))

;;; Objects that are passed on.

(defvar *prices* (list 1.5d0 2d0 8d0))
(defvar *price* 3d0)

(defun alike-1 ()
  (loop for price in *prices*
        count (close-p price *price*)))
