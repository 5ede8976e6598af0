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

;;; To compare floats makes none.

(defun alike-1 ()
  (count-if (lambda (x) (and (< 1 x 3) (plusp x)))
            *payments*))
