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
    (declare (type (simple-array single-float (*)) samples)
            )
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

;;; A local function that calls itself changes it.  An array stays.

(defvar *tree* '((1d0 (2d0)) 3d0 ((4d0 (5d0)))))

(defun fault-3 ()
  (let ((sum 0d0))
    (declare (double-float sum))
    (labels ((visit (tree)
               (if (listp tree)
                   (dolist (branch tree)
                     (visit branch))
                   (let ((leaf tree))
                     (declare (double-float leaf))
                     (setf sum (+ sum leaf))
                     nil))))
      (visit *tree*))
    (round sum)))

(defvar *sum* (make-array 1 :element-type 'double-float))

(defun mended-3 ()
  (let ((sum *sum*))
    (declare (type (simple-array double-float (1)) sum))
    (setf (aref sum 0) 0d0)
    (labels ((visit (tree)
               (if (listp tree)
                   (dolist (branch tree)
                     (visit branch))
                   (let ((leaf tree) (old 0d0))
                     (declare (double-float leaf old))
                     (setf old (aref sum 0)
                           old (+ old leaf)
                           (aref sum 0) old)
                     nil))))
      (visit *tree*))
    (round (aref sum 0))))

(defvar *more-3* 16)                    ; the sum is boxed for ROUND

;;; Variables with objects that were there; of fixnums; of C.

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

(defun alike-3 ()
  (let ((x 1d0) (steps 0))
    (declare (double-float x) (fixnum steps))
    (loop (when (> x 100d0)
            (return steps))
          (incf steps)
          (setf x (* x 2d0)))))
