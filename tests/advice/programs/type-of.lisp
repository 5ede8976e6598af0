;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; TYPE-OF makes a list of what is no name.

(defvar *things* (list 3 "tea" #(1 2) 'milk 2.5d0 #\a))

(defun fault-1 ()
  (loop for thing in *things*
        count (eq (type-of thing) 'symbol)))

(defun mended-1 ()
  (count-if #'symbolp *things*))

;;; A dispatch by the name of the type.

(defun size (thing)
  (let ((type (type-of thing)))
    (cond ((eq type 'double-float) 8)
          ((and (consp type) (eq (first type) 'simple-vector)) 16)
          (t 4))))

(defun fault-2 ()
  (loop for thing in *things*
        sum (size thing)))

(defun size-by-typecase (thing)
  (typecase thing
    (double-float 8)
    (simple-vector 16)
    (t 4)))

(defun mended-2 ()
  (loop for thing in *things*
        sum (size-by-typecase thing)))

;;; Things of the same kind.

(defun fault-3 ()
  (equal (type-of 3) (type-of 4)))

(defun mended-3 ()
  (not (eq (class-of 3) (class-of 4))))

;;; Names of types; types of structures; lists.

(defun alike-1 ()
  (list (type-of 'milk) (type-of 2.5d0)))

(defstruct point x y)

(defun alike-2 ()
  (type-of (make-point :x 1)))

(defun alike-3 ()
  (array-dimensions #(1 2)))
