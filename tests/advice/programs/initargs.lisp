;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Initargs are consed as a list by each generic function that gets them.

(defclass point ()
  ((x :initarg :x :reader x)
   (y :initarg :y :reader y)))

(defun fault-1 ()
  (loop for n from 1 to 10
        sum (let ((point (make-instance 'point :x n :y n)))
              (+ (x point) (y point)))))

(defun mended-1 ()
  (loop for n from 1 to 10
        sum (let ((point (make-instance 'point)))
              (setf (slot-value point 'x) n
                    (slot-value point 'y) n)
              (+ (x point) (y point)))))

;;; An instance without initargs.

(defun alike-1 ()
  (slot-boundp (make-instance 'point) 'x))
