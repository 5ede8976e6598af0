;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Functions that are evaluated, and so interpreted, and the same compiled.

(defun interpreted (lambda)
  (eval lambda))

;;; Arguments: one or two conses each.

(defvar *area* '(lambda (a b) (* a b)))
(defvar *interpreted-area* (eval *area*))
(defvar *compiled-area* (compile nil *area*))

(defun fault-1 ()
  (loop for a from 1 to 10
        sum (the fixnum (funcall *interpreted-area* a 3))))

(defun mended-1 ()
  (loop for a from 1 to 10
        sum (the fixnum (funcall *compiled-area* a 3))))

;;; What other method combinations than STANDARD make is interpreted, too, and
;;; cannot be compiled.

(defclass node ()
  ((children :initarg :children :initform '() :reader children)))

(defclass weighted-node (node)
  ((weight :initform 10 :reader weight)))

(defgeneric size (node)
  (:method-combination +)
  (:method + ((node node))
    (reduce #'+ (children node) :key #'size :initial-value 1))
  (:method + ((node weighted-node))
    (weight node)))

(defvar *tree*
  (make-instance
   'weighted-node
   :children (list (make-instance 'node) (make-instance 'weighted-node))))

(defun fault-2 ()
  (size *tree*))

(defgeneric size-by-next-method (node)
  (:method ((node node))
    (reduce #'+ (children node) :key #'size-by-next-method :initial-value 1))
  (:method ((node weighted-node))
    (+ (weight node) (call-next-method))))

(defun mended-2 ()
  (size-by-next-method *tree*))

(defvar *more-2*
  (if (string< (lisp-implementation-version) "24")
      0
      (* 2 16)))                        ; CALL-NEXT-METHOD in ECL 24.5.10

;;; A function that COMPILE made.

(defvar *pairs* (compile nil '(lambda (list) (loop for x in list
                                                   collect (cons x x)))))

(defun alike-1 ()
  (funcall *pairs* '(1 2 3)))
