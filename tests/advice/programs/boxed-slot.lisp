;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; The slots of structures and of instances have objects.

;;; The type of a slot does not help.  An array in the slot does, whose type is
;;; said where it is used: ECL does not look at that of the slot.

(defstruct account
  (balance 0d0 :type double-float))

(defstruct cell-account
  (cell (make-array 1 :element-type 'double-float)
   :type (simple-array double-float (1))))

(defmacro account-cell (account)
  `(aref (the (simple-array double-float (1)) (cell-account-cell ,account)) 0))

(defvar *account* (make-account))
(defvar *cell-account* (make-cell-account))

(defun fault-1 ()
  (let ((account *account*) (rate 1.05d0) (balance 100d0))
    (declare (double-float rate balance) (optimize (safety 0)))
    (dotimes (year 12)
      (setf balance (* balance rate)
            (account-balance account) balance))
    (round (account-balance account))))

(defun mended-1 ()
  (let ((account *cell-account*) (rate 1.05d0) (balance 100d0))
    (declare (double-float rate balance) (optimize (safety 0)))
    (dotimes (year 12)
      (setf balance (* balance rate)
            (account-cell account) balance))
    (round (account-cell account))))

;;; The balance is boxed for ROUND; there it had been an object.
(defvar *more-1* 16)

;;; So it is with SLOT-VALUE.

(defclass sensor ()
  ((level :initform 0f0 :type single-float)))

(defclass cell-sensor ()
  ((level :initform (make-array 1 :element-type 'single-float))))

(defvar *sensor* (make-instance 'sensor))
(defvar *cell-sensor* (make-instance 'cell-sensor))

(defun fault-2 ()
  (let ((sensor *sensor*) (x 0f0))
    (declare (single-float x) (optimize (safety 0)))
    (dotimes (i 6)
      (setf x (+ x 0.5f0)
            (slot-value sensor 'level) x))
    (< x 4f0)))

(defun mended-2 ()
  (let ((level (slot-value *cell-sensor* 'level)) (x 0f0))
    (declare (type (simple-array single-float (1)) level) (single-float x)
             (optimize (safety 0)))
    (dotimes (i 6)
      (setf x (+ x 0.5f0)
            (aref level 0) x))
    (< x 4f0)))

;;; An array in place of the structure.

(defstruct particle
  (place 0d0 :type double-float)
  (speed 1d0 :type double-float))

(defvar *particle* (make-particle))
(defvar *place-and-speed* (make-array 2 :element-type 'double-float))

(defun fault-3 ()
  (let ((particle *particle*) (place 0d0) (speed 8d0))
    (declare (double-float place speed) (optimize (safety 0)))
    (dotimes (step 5)
      (setf speed (* speed 0.5d0)
            place (+ place speed)
            (particle-speed particle) speed
            (particle-place particle) place))
    (> place speed)))

(defmacro particle-at (particle)
  `(aref (the (simple-array double-float (2)) ,particle) 0))
(defmacro particle-per-step (particle)
  `(aref (the (simple-array double-float (2)) ,particle) 1))

(defun mended-3 ()
  (let ((particle *place-and-speed*) (place 0d0) (speed 8d0))
    (declare (double-float place speed) (optimize (safety 0)))
    (dotimes (step 5)
      (setf speed (* speed 0.5d0)
            place (+ place speed)
            (particle-per-step particle) speed
            (particle-at particle) place))
    (> place speed)))

;;; Floats that are objects already; fixnums; an array that is put there.

(defvar *prices* (list 1d0 2d0 4d0))

(defun alike-1 ()
  (dolist (price *prices*)
    (setf (account-balance *account*) price))
  (account-balance *account*))

(defstruct tally (count 0 :type fixnum))

(defun alike-2 ()
  (let ((tally (make-tally)) (n 0))
    (declare (fixnum n) (optimize (safety 0)))
    (dotimes (i 10 (tally-count tally))
      (setf n (+ n i)
            (tally-count tally) n))))

(defun alike-3 ()
  (setf (cell-account-cell *cell-account*)
        (make-array 1 :element-type 'double-float :initial-element 1d0)))
