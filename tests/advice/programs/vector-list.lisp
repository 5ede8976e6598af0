;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; VECTOR gets its elements as a list.

(defun fault-1 ()
  (loop for x from 1 to 10
        collect (vector x (* x x))))

(defun mended-1 ()
  (loop for x from 1 to 10
        collect (let ((v (make-array 2)))
                  (setf (svref v 0) x
                        (svref v 1) (* x x))
                  v)))

;;; A product of vectors.

(defun cross (a b)
  (flet ((minor (i j)
           (- (* (svref a i) (svref b j)) (* (svref a j) (svref b i)))))
    (vector (minor 1 2) (minor 2 0) (minor 0 1))))

(defun fault-2 ()
  (cross #(1 2 3) #(4 5 6)))

(defun cross-by-setf (a b)
  (flet ((minor (i j)
           (- (* (svref a i) (svref b j)) (* (svref a j) (svref b i)))))
    (let ((v (make-array 3)))
      (setf (svref v 0) (minor 1 2)
            (svref v 1) (minor 2 0)
            (svref v 2) (minor 0 1))
      v)))

(defun mended-2 ()
  (cross-by-setf #(1 2 3) #(4 5 6)))

;;; A copy of a list.

(defvar *list* (list 1 2 3 4))

(defun fault-3 ()
  (apply #'vector *list*))

(defun mended-3 ()
  (let ((v (make-array (length *list*))))
    (loop for x in *list*
          for i from 0
          do (setf (svref v i) x))
    v))

;;; Vectors that are made otherwise.

(defun alike-1 ()
  (make-array 3 :initial-element 0))

(defun alike-2 ()
  (copy-seq #(1 2 3)))

(defun alike-3 ()
  (coerce *list* 'vector))
