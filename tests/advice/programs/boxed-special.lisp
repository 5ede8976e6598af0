;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; The value of a special variable is an object.

;;; Its type, proclaimed, does not help.  An array in the variable does.

(declaim (type double-float *energy*))
(defvar *energy* 0d0)

(declaim (type (simple-array double-float (1)) *energy-cell*))
(defvar *energy-cell* (make-array 1 :element-type 'double-float))

(defun fault-1 ()
  (let ((e 64d0) (steps 0))
    (declare (double-float e) (fixnum steps) (optimize (safety 0)))
    (loop (when (< e 1d0)
            (return steps))
          (incf steps)
          (setf e (* e 0.5d0)
                *energy* e))))

(defun mended-1 ()
  (let ((e 64d0) (steps 0))
    (declare (double-float e) (fixnum steps) (optimize (safety 0)))
    (loop (when (< e 1d0)
            (return steps))
          (incf steps)
          (setf e (* e 0.5d0)
                (aref *energy-cell* 0) e))))

;;; A variable that is bound, for a function that is called

(defvar *limit* 1d0)
(defvar *limit-cell* (make-array 1 :element-type 'double-float))

(declaim (notinline small-p small-in-cell-p))
(defun small-p (x)
  (declare (double-float x) (optimize (safety 0)))
  (let ((limit *limit*))
    (declare (double-float limit))
    (< x limit)))

(defvar *x* 3d0)

(defun fault-2 ()
  (let ((limit 1d0) (small 0))
    (declare (double-float limit) (optimize (safety 0)))
    (dotimes (i 6 small)
      (setf limit (+ limit 0.5d0))
      (let ((*limit* limit))
        (when (small-p *x*)
          (incf small))))))

(defun small-in-cell-p (x)
  (declare (double-float x) (optimize (safety 0)))
  (let ((limit (aref (the (simple-array double-float (1)) *limit-cell*) 0)))
    (declare (double-float limit))
    (< x limit)))

(defun mended-2 ()
  (let ((limit 1d0) (small 0))
    (declare (double-float limit) (optimize (safety 0)))
    (dotimes (i 6 small)
      (setf limit (+ limit 0.5d0)
            (aref (the (simple-array double-float (1)) *limit-cell*) 0) limit)
      (when (small-in-cell-p *x*)
        (incf small)))))

;;; A symbol macro leaves the functions as they are.

(defvar *gain* 1f0)

(defun fault-3 ()
  (let ((gain 1f0))
    (declare (single-float gain) (optimize (safety 0)))
    (dotimes (i 9)
      (setf gain (* gain 1.25f0)
            *gain* gain))
    (> gain 1f0)))

(defvar *gain-cell* (make-array 1 :element-type 'single-float))
(define-symbol-macro the-gain
    (aref (the (simple-array single-float (1)) *gain-cell*) 0))

(defun mended-3 ()
  (let ((gain 1f0))
    (declare (single-float gain) (optimize (safety 0)))
    (dotimes (i 9)
      (setf gain (* gain 1.25f0)
            the-gain gain))
    (> gain 1f0)))

;;; Floats that are objects already; fixnums; a variable that is not special.

(defvar *prices* (list 1d0 2d0 4d0))

(defun alike-1 ()
  (dolist (price *prices* *limit*)
    (setf *limit* price)))

(defvar *count* 0)

(defun alike-2 ()
  (let ((n 0))
    (declare (fixnum n) (optimize (safety 0)))
    (dotimes (i 10 *count*)
      (setf n (+ n i)
            *count* n))))

(defun alike-3 ()
  (let ((gain 1f0))
    (declare (single-float gain) (optimize (safety 0)))
    (dotimes (i 9)
      (setf gain (* gain 1.25f0)))
    (> gain 1f0)))
