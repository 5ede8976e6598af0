;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; The life of an instance: methods that fill it, accessors, structures'
;;;; predicates.

(in-package #:exact)

(defclass item ()
  ((a :initarg :a :accessor item-a)
   (b :initform nil :accessor item-b)))

(defmethod initialize-instance :after ((item item) &key)
  (setf (item-b item) (cons 1 2)))

(defmethod reinitialize-instance :before ((item item) &key)
  (keep (list 1 2 3)))

(defun make-items (n)
  (dotimes (i n)
    (keep (make-instance 'item :a i))))

(defvar *item* (make-instance 'item :a 1))

(make-items 2)                          ; finalizes the class, fills caches

(measuring ("methods of INITIALIZE-INSTANCE") (make-items 50)
  (calls 'make-items 1)
  (calls '(method initialize-instance :after (item)) 50)
  (self '(method initialize-instance :after (item)) 50 (* 50 +cons+))
  (class-total 'item 50 (* 50 (+ +instance+ (* 2 +word+))))
  (absent '(setf item-b)))

(defun use-accessors (n)
  (dotimes (i n)
    (setf (item-a *item*) (list (item-b *item*)))
    (keep (item-a *item*))))

(use-accessors 2)

(measuring ("accessors do not allocate") (use-accessors 50)
  (total 50 (* 50 +cons+))
  (self 'use-accessors 50 (* 50 +cons+))
  (absent 'item-a)
  (absent 'item-b))

(defun reinitialize (n)
  (dotimes (i n)
    (reinitialize-instance *item*)))

(reinitialize 2)

(measuring ("methods of REINITIALIZE-INSTANCE") (reinitialize 20)
  (calls '(method reinitialize-instance :before (item)) 20)
  (inclusive '(method reinitialize-instance :before (item)) 60
             (* 60 +cons+)))

(defstruct place x y)

(defun use-predicates (n)
  (let ((place (make-place :x 1 :y 2)) (yes '()))
    (dotimes (i n yes)
      (when (and (place-p place) (not (place-p i)) (place-x place))
        (push i yes)))))

(measuring ("predicates and readers of structures") (use-predicates 30)
  (self 'use-predicates 30 (* 30 +cons+))
  (class-total 'place 1 (+ +instance+ (* 2 +word+)))
  (absent 'place-p)
  (absent 'place-x))
