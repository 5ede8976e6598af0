;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; APPEND copies all its arguments but for the last one.

;;; At the end of a list, in a loop: the same elements are copied again and
;;; again.

(defun fault-1 ()
  (let ((squares nil))
    (dotimes (i 20 squares)
      (setf squares (append squares (list (* i i)))))))

(defun mended-1 ()
  (let ((squares nil))
    (dotimes (i 20 (nreverse squares))
      (push (* i i) squares))))

;;; Lists that are made for it.

(defun numbers (from to)
  (loop for i from from to to collect i))

(defun fault-2 ()
  (append (numbers 1 5) (numbers 11 15) (numbers 21 25)))

(defun mended-2 ()
  (nconc (numbers 1 5) (numbers 11 15) (numbers 21 25)))

;;; The leaves of a tree.

(defun leaves (tree)
  (cond ((null tree) nil)
        ((atom tree) (list tree))
        (t (append (leaves (car tree)) (leaves (cdr tree))))))

(defvar *tree* '((1 (2 3)) (4 ((5)) 6)))

(defun fault-3 ()
  (leaves *tree*))

(defun leaves-before (tree more)
  (cond ((null tree) more)
        ((atom tree) (cons tree more))
        (t (leaves-before (car tree) (leaves-before (cdr tree) more)))))

(defun mended-3 ()
  (leaves-before *tree* nil))

;;; NCONC; APPEND of nothing and a list, which is that list; backquote with the
;;; list at the end.

(defun alike-1 ()
  (let ((list (list 1 2)))
    (nconc list (list 3))))

(defun alike-2 ()
  (append nil *tree*))

(defun alike-3 ()
  `(1 2 ,@*tree*))
