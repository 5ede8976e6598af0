;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; A function gives back an object: a float of C is boxed for it.

(declaim (optimize (safety 0)))

(defvar *vector*
  (make-array 3 :element-type 'double-float :initial-contents '(2d0 3d0 6d0)))

(deftype floats ()
  '(simple-array double-float (*)))

;;; The type of the value, proclaimed, does not help; INLINE does.

(declaim (ftype (function (floats) double-float) square-norm)
         (notinline square-norm))
(defun square-norm (v)
  (declare (type floats v))
  (let ((sum 0d0) (x 0d0))
    (declare (double-float sum x))
    (dotimes (i (length v) sum)
      (setf x (aref v i)
            x (* x x)
            sum (+ sum x)))))

(defun fault-1 ()
  (let ((norm 0d0) (long 0))
    (declare (double-float norm))
    (dotimes (i 7 long)
      (setf norm (square-norm *vector*))
      (when (> norm 48d0)
        (incf long)))))

(declaim (inline square-norm-inline))
(defun square-norm-inline (v)
  (declare (type floats v))
  (let ((sum 0d0) (x 0d0))
    (declare (double-float sum x))
    (dotimes (i (length v) sum)
      (setf x (aref v i)
            x (* x x)
            sum (+ sum x)))))

(defun mended-1 ()
  (let ((norm 0d0) (long 0))
    (declare (double-float norm))
    (dotimes (i 7 long)
      (setf norm (square-norm-inline *vector*))
      (when (> norm 48d0)
        (incf long)))))

;;; A method cannot be inline.  It can put its result into an array.

(defclass circle () ())

(defgeneric area (shape sizes))
(defmethod area ((shape circle) sizes)
  (declare (type floats sizes))
  (let ((r 0d0) (area 0d0))
    (declare (double-float r area))
    (setf r (aref sizes 0)
          area (* r r)
          area (* area 3.14d0))
    area))

(defgeneric put-area (shape sizes result))
(defmethod put-area ((shape circle) sizes result)
  (declare (type floats sizes result))
  (let ((r 0d0) (area 0d0))
    (declare (double-float r area))
    (setf r (aref sizes 0)
          area (* r r)
          area (* area 3.14d0)
          (aref result 0) area)
    nil))

(defvar *circle* (make-instance 'circle))
(defvar *result* (make-array 1 :element-type 'double-float))

(defun fault-2 ()
  (let ((area 0d0) (large 0))
    (declare (double-float area))
    (dotimes (i 4 large)
      (setf area (area *circle* *vector*))
      (when (> area 12d0)
        (incf large)))))

(defun mended-2 ()
  (let ((area 0d0) (large 0) (result *result*))
    (declare (double-float area) (type floats result))
    (dotimes (i 4 large)
      (put-area *circle* *vector* result)
      (setf area (aref result 0))
      (when (> area 12d0)
        (incf large)))))

;;; Of several values each one is boxed.  A macro has none.

(declaim (notinline extremes))
(defun extremes (v)
  (declare (type floats v))
  (let ((least 0d0) (most 0d0))
    (declare (double-float least most))
    (setf least (aref v 0)
          most (aref v 2))
    (values least most)))

(defun fault-3 ()
  (let ((wide 0))
    (dotimes (i 3 wide)
      (multiple-value-bind (least most) (extremes *vector*)
        (when (< least most)
          (incf wide))))))

(defmacro with-extremes ((least most v) &body body)
  `(let ((,least 0d0) (,most 0d0))
     (declare (double-float ,least ,most))
     (setf ,least (aref ,v 0)
           ,most (aref ,v 2))
     ,@body))

(defun mended-3 ()
  (let ((wide 0) (v *vector*))
    (declare (type floats v))
    (dotimes (i 3 wide)
      (with-extremes (least most v)
        (when (< least most)
          (incf wide))))))

;;; A float that is an object already; an array; a fixnum.

(defvar *prices* (list 3d0 1d0 2d0))

(declaim (notinline middle filled half))
(defun middle (list)
  (nth (floor (length list) 2) list))

(defun alike-1 ()
  (loop repeat 5 count (middle *prices*)))

(defun filled (v)
  (declare (type floats v))
  (dotimes (i (length v) v)
    (setf (aref v i) 1d0)))

(defun alike-2 ()
  (length (filled *result*)))

(defun half (n)
  (declare (fixnum n))
  (ash n -1))

(defun alike-3 ()
  (loop for i below 10 sum (half i)))
