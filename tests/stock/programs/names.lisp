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

;;; Functions that leave their frame to what they call last: an allocator, a
;;; function of ECL, one of the program.  Those that are not inlined are called
;;; by their symbol, by others in their place in the code.

(defstruct point x y)
(defstruct (pair (:constructor pair-of (first second))) first second)
(declaim (notinline pair-of by-symbol))

(defun listed (x) (list x x))
(defun vector-for (n) (make-array (* 2 n)))
(defun through (x) (listed x))
(defun by-symbol (x) (list* x x x))
(defun chosen (x)
  (setf *sink* (if (oddp x) (pair-of x 1) (by-symbol x)))
  t)

(defun tails ()
  (dotimes (i 100)
    (setf *sink* (listed i))
    (setf *sink* (vector-for i))
    (setf *sink* (through i))
    (setf *sink* (make-point :x i :y i))
    (setf *sink* (pair-of i i))
    (setf *sink* (by-symbol i))
    (chosen i)))

;;; Local functions: closures, also within closures and in methods; those that
;;; are called where they are alone, by each other and by themselves.

(defun counter (n)
  (lambda (x)
    (setf *sink* (list n x))
    (lambda (y) (setf *sink* (list n x y)) t)))

(defmethod counter-of ((s shape))
  (lambda (x) (setf *sink* (list s x x)) t))

(defun doubled (list)
  (mapcar (lambda (x) (cons x x)) list))

(declaim (notinline nested))
(defun nested (n)
  (labels ((down (n)
             (setf *sink* (list n))
             (if (> n 0) (across (1- n)) 0))
           (across (n)
             (setf *sink* (list n n))
             (if (> n 0) (1+ (down (1- n))) 0)))
    (declare (notinline down across))
    (down n)
    (across n)
    t))

(defun locals ()
  (let ((counter (counter 1))
        (of-shape (counter-of *shape*)))
    (dotimes (i 100)
      (funcall (funcall counter i) i)
      (funcall of-shape i)
      (setf *sink* (doubled '(1 2 3)))
      (nested 6))))

;;; What expands a type.

(deftype numbers-up-to (n) (list 'integer 0 n))
(defun expanded (x)
  (dotimes (i 100)
    (setf *sink* (typep x (list 'numbers-up-to i)))))

;; How CLOS finds methods the first time is of no interest.
(defvar *shape* (make-instance 'shape))
(methods)
(counter-of *shape*)
(expanded 1)

(defun all ()
  (core)
  (methods)
  (tails)
  (locals)
  (expanded 1)
  t)
