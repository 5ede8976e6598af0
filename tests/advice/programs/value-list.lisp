;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Lists of values.

(defun fault-1 ()
  (loop for n from 10 to 20
        collect (nth-value 1 (floor n 7))))

(defun mended-1 ()
  (loop for n from 10 to 20
        collect (multiple-value-bind (quotient rest) (floor n 7)
                  (declare (ignore quotient))
                  rest)))

;;; A list that is taken apart.

(declaim (notinline bounds))
(defun bounds (list)
  (values (reduce #'min list) (reduce #'max list)))

(defun fault-2 ()
  (destructuring-bind (low high)
      (multiple-value-list (bounds '(3 1 4 1 5)))
    (- high low)))

(defun mended-2 ()
  (multiple-value-bind (low high) (bounds '(3 1 4 1 5))
    (- high low)))

;;; Values of several calls.

(defun fault-3 ()
  (reduce #'+ (multiple-value-call #'list (floor 17 5) (bounds '(2 9)))))

(defun mended-3 ()
  (multiple-value-call #'+ (floor 17 5) (bounds '(2 9))))

;;; Values that are bound; a list that LIST makes; one that APPLY copies.

(defun alike-1 ()
  (let (quotient rest)
    (multiple-value-setq (quotient rest) (floor 17 5))
    (+ quotient rest)))

(defun alike-2 ()
  (list (floor 17 5) 3))

(defun alike-3 ()
  (apply #'list '(1 2 3)))
