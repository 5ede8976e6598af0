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

;;; Initforms do for what is the same each time.

(defclass counter ()
  ((count :initarg :count :initform 0 :accessor counter-count)
   (step :initarg :step :initform 1 :reader counter-step)))

;;; A method that the instances pass does not hide the fault.

(defmethod initialize-instance :around ((counter counter) &key)
  (call-next-method))

(defun fault-2 ()
  (let ((counter (make-instance 'counter :count 0 :step 1)))
    (incf (counter-count counter) (counter-step counter))))

(defun mended-2 ()
  (let ((counter (make-instance 'counter)))
    (incf (counter-count counter) (counter-step counter))))

(defvar *more-2*
  (if (string< (lisp-implementation-version) "24")
      0
      (* -4 16)))                       ; CALL-NEXT-METHOD in ECL 24.5.10

;;; In place of default initargs, too.

(defclass shape ()
  ((sides :initarg :sides :reader sides)))

(defclass square (shape)
  ()
  (:default-initargs :sides 4))

(defclass square-by-initform (shape)
  ((sides :initform 4)))

(defun fault-3 ()
  (loop repeat 3
        sum (sides (make-instance 'square))))

(defun mended-3 ()
  (loop repeat 3
        sum (sides (make-instance 'square-by-initform))))

;;; Instances without initargs; structures; a list that an initform makes.

(defun alike-1 ()
  (counter-count (make-instance 'counter)))

(defstruct pair x y)

(defun alike-2 ()
  (make-pair :x 1 :y (make-pair :x 2)))

(defclass bag ()
  ((items :initform (list 1 2 3) :reader items)))

(defun alike-3 ()
  (items (make-instance 'bag)))
