;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; What ECL keeps for itself on its way to a result is an object: in 21.2.1
;;;; the value of a form that binds a special variable, in 24.5.10 what is
;;;; between nested operations.  So each fault has both.  A typed variable, set
;;;; where the result is, has none.

(defvar *scale* 2)
(defvar *calls* 0)

(declaim (notinline note))
(defun note ()
  (incf *calls* *scale*))

(defun fault-1 ()
  (let ((x 1d0) (y 0d0) (large 0))
    (declare (double-float x y) (optimize (safety 0)))
    (dotimes (i 6 large)
      (setf y (let ((*scale* i))
                (note)
                (* (+ x 1d0) 2d0))
            x y)
      (when (> y 10d0)
        (incf large)))))

(defun mended-1 ()
  (let ((x 1d0) (y 0d0) (large 0))
    (declare (double-float x y) (optimize (safety 0)))
    (dotimes (i 6 large)
      (let ((*scale* i))
        (note)
        (setf y (+ x 1d0)
              y (* y 2d0)))
      (setf x y)
      (when (> y 10d0)
        (incf large)))))

;;; Several operands

(defun fault-2 ()
  (let ((a 3f0) (b 0.5f0) (area 0f0))
    (declare (single-float a b area) (optimize (safety 0)))
    (dotimes (i 9)
      (setf area (let ((*scale* 1))
                   (note)
                   (* (+ a b) (- a b)))))
    (> area 8f0)))

(defun mended-2 ()
  (let ((a 3f0) (b 0.5f0) (area 0f0))
    (declare (single-float a b area) (optimize (safety 0)))
    (dotimes (i 9)
      (let ((*scale* 1) (sum 0f0) (difference 0f0))
        (declare (single-float sum difference))
        (note)
        (setf sum (+ a b)
              difference (- a b)
              area (* sum difference))))
    (> area 8f0)))

;;; An element of a typed array

(defvar *rates*
  (make-array 5 :element-type 'double-float :initial-element 1.25d0))

(defun fault-3 ()
  (let ((rates *rates*) (rate 0d0) (high 0))
    (declare (type (simple-array double-float (*)) rates) (double-float rate)
             (optimize (safety 0)))
    (dotimes (i 5 high)
      (setf rate (let ((*scale* 3) (*calls* 0))
                   (note)
                   (* 2d0 (aref rates i))))
      (when (> rate 1d0)
        (incf high)))))

(defun mended-3 ()
  (let ((rates *rates*) (rate 0d0) (high 0))
    (declare (type (simple-array double-float (*)) rates) (double-float rate)
             (optimize (safety 0)))
    (dotimes (i 5 high)
      (let ((*scale* 3) (*calls* 0))
        (note)
        (setf rate (aref rates i)
              rate (* 2d0 rate)))
      (when (> rate 1d0)
        (incf high)))))

;;; A typed variable that is bound where no special one is; fixnums; objects.

(defun alike-1 ()
  (let ((x 1d0))
    (declare (double-float x) (optimize (safety 0)))
    (dotimes (i 6)
      (let ((y (* x 2d0)))
        (declare (double-float y))
        (setf x y)))
    (> x 60d0)))

(defun alike-2 ()
  (let ((n 0))
    (declare (fixnum n) (optimize (safety 0)))
    (dotimes (i 6 n)
      (setf n (let ((*scale* i))
                (note)
                (* i 2))))))

(defvar *prices* (list 1d0 2d0 4d0))

(defun alike-3 ()
  (let ((last nil))
    (dolist (price *prices* last)
      (setf last (let ((*scale* 1))
                   (note)
                   price)))))
