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

;;; Global functions that call each other, and make a list.

(defvar *collatz*
  '(progn
    (defun next (n)
      (if (evenp n) (/ n 2) (1+ (* 3 n))))
    (defun collatz (n)
      (let ((list '()))
        (loop (push n list)
              (when (= n 1)
                (return (nreverse list)))
              (setf n (next n)))))))

(eval (subst 'interpreted-next 'next
             (subst 'interpreted-collatz 'collatz *collatz*)))

(defun fault-3 ()
  (funcall 'interpreted-collatz 6))

(eval *collatz*)
(compile 'next)
(compile 'collatz)

(defun mended-3 ()
  (funcall 'collatz 6))

(defvar *more-3* (* 9 16))              ; the list

;;; Functions from a file; one that COMPILE made; an interpreted one without
;;; variables.

(defun alike-1 ()
  (let ((list '()))
    (dotimes (i 10 list)
      (push i list))))

(defvar *pairs* (compile nil '(lambda (list) (loop for x in list
                                                   collect (cons x x)))))

(defun alike-2 ()
  (funcall *pairs* '(1 2 3)))

(defvar *constant* (eval '(lambda () 3)))

(defun alike-3 ()
  (loop repeat 10
        sum (the fixnum (funcall *constant*))))
