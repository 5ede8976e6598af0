;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Slots that are set by REINITIALIZE-INSTANCE.

(defclass point ()
  ((x :initarg :x :accessor x)
   (y :initarg :y :accessor y)))

(defclass circle (point)
  ((radius :initarg :radius)))

(defvar *point* (make-instance 'point :x 0 :y 0))
(defvar *circle* (make-instance 'circle :x 0 :y 0 :radius 1))

(defun fault-1 ()
  (dotimes (i 5 (x *point*))
    (reinitialize-instance *point* :x i)))

(defun mended-1 ()
  (dotimes (i 5 (x *point*))
    (setf (x *point*) i)))

;;; Of a class with more slots.

(defun fault-2 ()
  (reinitialize-instance *circle* :x 1 :y 2 :radius 3)
  (slot-value *circle* 'radius))

(defun mended-2 ()
  (setf (x *circle*) 1
        (y *circle*) 2
        (slot-value *circle* 'radius) 3))

;;; A list of initargs.

(defun update (object &rest initargs)
  (apply #'reinitialize-instance object initargs)
  (y object))

(defun fault-3 ()
  (update *point* :x 3 :y 4))

(defun update-slots (object x y)
  (setf (x object) x
        (y object) y))

(defun mended-3 ()
  (update-slots *point* 3 4))

(defvar *more-3* (- (* 4 16)))          ; the list of initargs

;;; Slots that are set; instances that are made; a class that is changed.

(defun alike-1 ()
  (with-slots (x y) *point*
    (setf x 1
          y x)))

(defun alike-2 ()
  (x (make-instance 'point :x 3)))

(defun alike-3 ()
  (x (change-class (make-instance 'point :x 3) 'circle :radius 4)))
