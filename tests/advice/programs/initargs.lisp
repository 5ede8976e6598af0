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

;;; Initforms do in place of default initargs.

(defclass shape ()
  ((sides :initarg :sides :reader sides)))

(defclass square (shape)
  ()
  (:default-initargs :sides 4))

(defclass square-by-initform (shape)
  ((sides :initform 4)))

(defun fault-2 ()
  (loop repeat 3
        sum (sides (make-instance 'square))))

(defun mended-2 ()
  (loop repeat 3
        sum (sides (make-instance 'square-by-initform))))

;;; An instance without initargs.

(defun alike-1 ()
  (sides (make-instance 'square-by-initform)))
