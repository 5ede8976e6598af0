;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; The elements of lists and of general arrays are objects.

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

;;; Lists

(defvar *sums* (make-array 8 :element-type 'single-float))

(defun fault-2 ()
  (let ((sum 0f0) (sums nil))
    (declare (single-float sum) (optimize (safety 0)))
    (dotimes (i 8)
      (setf sum (+ sum 0.25f0))
      (push sum sums))
    (length sums)))

(defun mended-2 ()
  (let ((sum 0f0) (sums *sums*))
    (declare (single-float sum) (optimize (safety 0))
             (type (simple-array single-float (*)) sums))
    (dotimes (i 8)
      (setf sum (+ sum 0.25f0)
            (aref sums i) sum))
    (length sums)))

(defvar *more-2* (* -8 16))             ; there are no conses, either

;;; An array of floats of which the compiler does not know: the float is boxed
;;; on its way into the array.  The type is declared, but not where the
;;; variable is bound.

(defvar *track* (make-array 20 :element-type 'double-float))

(defun fault-3 ()
  (let ((track *track*))
    (let ((x 0d0))
      (declare (double-float x) (optimize (safety 0))
               (type (simple-array double-float (*)) track))
      (dotimes (i 20 (length track))
        (setf x (+ x 0.125d0)
              (aref track i) x)))))

(defun mended-3 ()
  (let ((track *track*) (x 0d0))
    (declare (double-float x) (optimize (safety 0))
             (type (simple-array double-float (*)) track))
    (dotimes (i 20 (length track))
      (setf x (+ x 0.125d0)
            (aref track i) x))))

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
