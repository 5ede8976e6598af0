;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; A variable that a function has in common with the one around it, or whose
;;;; type is not declared, has objects.

(declaim (optimize (safety 0)))

(defvar *payments* (list 1.5d0 2.25d0 8d0 0.125d0 3.75d0))

;;; A closure changes it, whatever its type.  DOLIST makes no closure.

(defun fault-1 ()
  (let ((sum 0d0))
    (declare (double-float sum))
    (mapc (lambda (payment)
            (declare (double-float payment))
            (setf sum (+ sum payment)))
          *payments*)
    (round sum)))

(defun mended-1 ()
  (let ((sum 0d0))
    (declare (double-float sum))
    (dolist (element *payments*)
      (let ((payment element))
        (declare (double-float payment))
        (setf sum (+ sum payment))))
    (round sum)))

;; The sum is boxed for ROUND.  There are no closure, and no cons that it has
;; SUM in.
(defvar *more-1* (- 16 48 16))

;;; It begins with NIL, and so is no float.

(defvar *samples*
  (make-array 8 :element-type 'single-float :initial-element 2.5f0))

(defun fault-2 ()
  (let ((samples *samples*) (last nil))
    (declare (type (simple-array single-float (*)) samples))
    (dotimes (i 8)
      (let ((x (aref samples i)))
        (declare (single-float x))
        (when (> x 2f0)
          (setf last x))))
    (not (null last))))

(defun mended-2 ()
  (let ((samples *samples*) (found nil) (last 0f0))
    (declare (type (simple-array single-float (*)) samples)
             (single-float last))
    (dotimes (i 8)
      (let ((x (aref samples i)))
        (declare (single-float x))
        (when (> x 2f0)
          (setf found t
                last x))))
    (and found (> last 0f0))))

;;; Variables with objects that were there; of fixnums.

(defun alike-1 ()
  (let ((last nil))
    (dolist (payment *payments* last)
      (setf last payment))))

(defun alike-2 ()
  (let ((count 0))
    (declare (fixnum count))
    (mapc (lambda (payment)
            (when payment
              (incf count)))
          *payments*)
    count))
