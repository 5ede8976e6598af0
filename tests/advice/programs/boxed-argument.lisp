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

;;; What goes into a hash table is an argument.  The table can have an array.

(defvar *levels* (make-hash-table))
(defvar *level-arrays* (make-hash-table))

(setf (gethash 'tank *level-arrays*)
      (make-array 1 :element-type 'double-float))

(defun fault-2 ()
  (let ((levels *levels*) (level 2d0))
    (declare (double-float level) (optimize (safety 0)))
    (dotimes (i 5 (gethash 'tank levels))
      (setf level (* level 0.5d0)
            (gethash 'tank levels) level))))

(defun mended-2 ()
  (let ((levels *level-arrays*) (level 2d0))
    (declare (double-float level) (optimize (safety 0)))
    (dotimes (i 5 (aref (gethash 'tank levels) 0))
      (setf level (* level 0.5d0)
            (aref (the (simple-array double-float (1)) (gethash 'tank levels))
                  0)
            level))))

(defvar *more-2* 16)                    ; what is read from the array

;;; Objects that are passed on; fixnums.

(defvar *prices* (list 1.5d0 2d0 8d0))
(defvar *price* 3d0)

(defun alike-1 ()
  (loop for price in *prices*
        count (close-p price *price*)))

(declaim (notinline larger-p))
(defun larger-p (a b)
  (declare (fixnum a b))
  (> a b))

(defun alike-2 ()
  (let ((n 0))
    (declare (fixnum n) (optimize (safety 0)))
    (loop repeat 10
          do (incf n 3)
          count (larger-p n 12))))
