;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Forms that are evaluated at run time.

(defvar *operators* '(+ - * max))

;;; A form is built and evaluated; the list is gone, too.

(defun fault-1 ()
  (loop for operator in *operators*
        collect (eval (list operator 7 3))))

(defun mended-1 ()
  (loop for operator in *operators*
        collect (funcall operator 7 3)))

(defvar *more-1* (- (* 4 48)))          ; the four forms

;;; The value of a variable.

(defvar *width* 3)
(defvar *height* 4)

(defun fault-2 ()
  (loop for name in '(*width* *height*)
        sum (the fixnum (eval name))))

(defun mended-2 ()
  (loop for name in '(*width* *height*)
        sum (the fixnum (symbol-value name))))

;;; A rule from outside, that is compiled once.

(defvar *rule* '(member n '(2 3 5 7 11)))
(defvar *n*)

(defun fault-3 ()
  (loop for n from 1 to 12
        when (progn (setf *n* n)
                    (eval (load-time-value (subst '*n* 'n *rule*))))
          collect n))

(defvar *compiled-rule* (compile nil (list 'lambda '(n) *rule*)))

(defun mended-3 ()
  (loop for n from 1 to 12
        when (funcall *compiled-rule* n)
          collect n))

;;; Functions that are called by name; variables; macros that are expanded.

(defun alike-1 ()
  (loop for operator in *operators*
        collect (apply operator '(1 2 3))))

(defun alike-2 ()
  (progv '(*width*) '(5)
    (list (symbol-value '*width*) (boundp '*height*))))

(defun alike-3 ()
  (macroexpand-1 '(when 1 2)))
