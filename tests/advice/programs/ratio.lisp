;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Fractions on the way to integers and floats.

(defvar *marks* (list 3 1 2 2 5 1 4))

(defun fault-1 ()
  (floor (/ (loop for n in *marks* sum n)
            (length *marks*))))

(defun mended-1 ()
  (values (floor (loop for n in *marks* sum n)
                 (length *marks*))))

;;; ROUND makes ratios of integers, too.

(defun fault-2 ()
  (loop for n in *marks*
        collect (round (* 100 n) 18)))

(defun mended-2 ()
  (loop for n in *marks*
        collect (multiple-value-bind (percent rest) (floor (* 100 n) 18)
                  (if (or (> rest 9) (and (= rest 9) (oddp percent)))
                      (1+ percent)
                      percent))))

;;; Two thirds of each, added up.

(defun fault-3 ()
  (let ((sum 0))
    (dolist (n *marks*)
      (setf sum (+ sum (* 2/3 n))))
    (truncate sum)))

(defun mended-3 ()
  (let ((thirds 0))
    (dolist (n *marks*)
      (incf thirds (* 2 n)))
    (values (truncate thirds 3))))

;;; Quotients that are integers; quotients of floats; a fraction that is
;;; compared.

(defun alike-1 ()
  (loop for n in *marks*
        collect (/ (* 6 n) 3)))

(defun alike-2 ()
  (loop for n in *marks*
        collect (/ n 2d0)))

(defvar *limit* 7/3)

(defun alike-3 ()
  (count-if (lambda (n) (> n *limit*)) *marks*))
