;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; names.lisp -- functions of all kinds that allocate.

(defvar *sink* nil)

;;; What ECL itself calls when it begins, before it is a Lisp function.

(defun core ()
  (dotimes (i 100)
    (setf *sink* (funcall 'list i))
    (setf *sink* (make-array 10 :adjustable t))
    (setf *sink* (copy-list '(1 2 3 4)))))

;;; Methods, those of CLOS too.

(defclass shape () ((name :initarg :name :initform nil)))
(defclass square (shape) ((side :initarg :side :accessor side)))
(defgeneric area (shape unit))
(defgeneric (setf area) (new shape))
(defmethod area ((s shape) unit) (setf *sink* (list s unit)) 0)
(defmethod area ((s square) (unit integer))
  (setf *sink* (list s unit unit unit))
  (call-next-method))
(defmethod area ((s square) (unit (eql :inch)))
  (setf *sink* (list s unit unit unit unit))
  (call-next-method))
(defmethod area :around ((s square) unit)
  (setf *sink* (cons s unit))
  (call-next-method))
(defmethod (setf area) (new (s square))
  (setf *sink* (list new new s))
  new)
(defmethod initialize-instance :after ((s shape) &key)
  (setf *sink* (list s s s s s s)))

(defun methods ()
  (dotimes (i 100)
    (let ((s (make-instance 'square :side i)))
      (area s 1)
      (area s :inch)
      (setf (area s) i)
      (setf (side s) 1.5))))

;; How CLOS finds methods the first time is of no interest.
(methods)

(defun all ()
  (core)
  (methods)
  t)
