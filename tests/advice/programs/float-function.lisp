;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; SQRT, EXP, FLOOR and the like, called as functions of the runtime.

(defvar *areas* (list 2d0 9d0 0.25d0 30.5d0))

(defvar *limit* 3.5d0)

(defun fault-1 ()
  (let ((small 0))
    (dolist (area *areas* small)
      (when (< (sqrt area) *limit*)
        (incf small)))))

(defun mended-1 ()
  (let ((small 0) (length 0d0) (limit *limit*))
    (declare (double-float length limit) (optimize (safety 0)))
    (dolist (element *areas* small)
      (let ((area element))
        (declare (double-float area))
        (setf length (sqrt (the (double-float 0d0) area)))
        (when (< length limit)
          (incf small))))))

;;; Declarations do not help EXP and ABS.

(defun fault-2 ()
  (let ((hits 0) (x 0.5d0))
    (dotimes (i 10 hits)
      (when (> (exp x) (abs i))
        (incf hits)))))

(defun mended-2 ()
  (let ((hits 0) (x 0.5d0))
    (declare (double-float x))
    (dotimes (i 10 hits)
      (when (> (ffi:c-inline (x) (:double) :double "exp(#0)" :one-liner t)
               (abs i))
        (incf hits)))))

;;; FLOOR gives back the remainder, too: a float.

(defun fault-3 ()
  (let ((bins (make-array 32 :initial-element 0)))
    (dolist (area *areas* bins)
      (incf (svref bins (floor area))))))

(defun mended-3 ()
  (let ((bins (make-array 32 :initial-element 0)))
    (dolist (area *areas* bins)
      (incf (svref bins (ffi:c-inline (area) (:double) :fixnum
                                      "(cl_fixnum)floor(#0)"
                                      :one-liner t))))))

;;; The same functions of integers; those that give back an argument; what is
;;; called in C.

(defun alike-1 ()
  (let ((n 17))
    (list (abs (- n)) (floor n 5) (expt n 3) (mod n 4) (signum n)
          (isqrt n))))

(defun alike-2 ()
  (loop for x in *areas*
        count (eql x (max x (min x 10d0)))))

(defun alike-3 ()
  (let ((small 0) (x 0d0))
    (declare (double-float x) (optimize (safety 0)))
    (dotimes (i 10 small)
      (when (> (sin x) (* (cos x) (tan x)))
        (incf small))
      (incf x 0.25d0))))
