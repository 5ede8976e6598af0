;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Arithmetic that ECL leaves to functions of its runtime, which make a float
;;;; for each result.

(defvar *lengths* (list 1.5d0 2.25d0 8d0 0.125d0 3.75d0))

(defun fault-1 ()
  (let ((sum 0))
    (dolist (x *lengths* sum)
      (setf sum (+ sum (* x x))))))

(defun mended-1 ()
  (let ((sum 0d0))
    (declare (double-float sum) (optimize (safety 0)))
    (dolist (x *lengths* sum)
      (declare (double-float x))
      (incf sum (* x x)))))

(defvar *more-1* 16)                    ; the sum that is given back

;;; REDUCE adds by the same functions.

(defun fault-2 ()
  (> (/ (reduce #'+ *lengths*) (length *lengths*)) 3))

(defun mended-2 ()
  (let ((sum 0d0) (count 0))
    (declare (double-float sum) (fixnum count) (optimize (safety 0)))
    (dolist (x *lengths*)
      (declare (double-float x))
      (incf sum x)
      (incf count))
    (> (/ sum count) 3d0)))

;;; Single floats: each step of an iteration makes five.

(defvar *x* 0.5f0)

(defun fault-3 ()
  (let ((a *x*) (b (- *x*)) (steps 0))
    (loop (when (or (> a 100) (> steps 20))
            (return steps))
          (setf a (+ (* a a) (1+ b))
                b (- b (/ a 2)))
          (incf steps))))

(defun mended-3 ()
  (let ((a *x*) (b 0f0) (steps 0))
    (declare (single-float a b) (fixnum steps) (optimize (safety 0)))
    (setf b (- a))
    (loop (when (or (> a 100f0) (> steps 20))
            (return steps))
          (setf a (+ (* a a) (1+ b))
                b (- b (/ a 2f0)))
          (incf steps))))

;;; To compare floats makes none; nor do fixnums; nor C numbers.

(defun alike-1 ()
  (count-if (lambda (x) (and (< 1 x 3) (plusp x)))
            *lengths*))

(defun alike-2 ()
  (let ((sum 0))
    (dotimes (i 100 sum)
      (setf sum (- (+ sum (* i i)) (1+ i))))))

(defun alike-3 ()
  (let ((powers (make-array 10 :element-type 'double-float))
        (x 1d0))
    (declare (double-float x) (optimize (safety 0)))
    (dotimes (i 10 powers)
      (setf x (* x 1.5d0)
            (aref powers i) x))))
