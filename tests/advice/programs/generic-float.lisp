;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Arithmetic that ECL leaves to functions of its runtime, which make a
;;;; float for each result.  In what is mended each operation is by itself,
;;;; for ECL 24.5.10 boxes what is between nested ones.

(defvar *payments* (list 1.5d0 2.25d0 8d0 0.125d0 3.75d0))

(defvar *balance* 100d0)
(defvar *rate* 1.01d0)

(defun fault-1 ()
  (let ((balance *balance*) (rate *rate*))
    (dolist (payment *payments* balance)
      (setf balance (+ (* balance rate) payment)))))

(defun mended-1 ()
  (let ((balance *balance*) (rate *rate*))
    (declare (double-float balance rate) (optimize (safety 0)))
    (dolist (element *payments* balance)
      (let ((payment element))
        (declare (double-float payment))
        (setf balance (* balance rate)
              balance (+ balance payment))))))

(defvar *more-1* 16)                    ; the balance that is given back

;;; REDUCE adds by the same functions.

(defvar *limit* 3d0)

(defun fault-2 ()
  (> (/ (reduce #'+ *payments*) (length *payments*)) *limit*))

(defun mended-2 ()
  (let ((sum 0d0) (count 0) (limit *limit*))
    (declare (double-float sum limit) (fixnum count) (optimize (safety 0)))
    (dolist (element *payments*)
      (let ((payment element))
        (declare (double-float payment))
        (setf sum (+ sum payment))
        (incf count)))
    (setf sum (/ sum count))
    (> sum limit)))

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
  (let ((a *x*) (b 0f0) (c 0f0) (steps 0))
    (declare (single-float a b c) (fixnum steps) (optimize (safety 0)))
    (setf b (- a))
    (loop (when (or (> a 100f0) (> steps 20))
            (return steps))
          (setf a (* a a)
                c (+ b 1f0)
                a (+ a c)
                c (/ a 2f0)
                b (- b c))
          (incf steps))))

;;; To compare floats makes none; nor do fixnums; nor C numbers.

(defun alike-1 ()
  (count-if (lambda (x) (and (< 1 x 3) (plusp x)))
            *payments*))

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
