;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; forms.lisp -- byte-compiled functions, that call each other, themselves,
;;;; and what is compiled; and a stack that is left by a jump.

(defun f-row (n)
  (let ((l nil))
    (dotimes (i n l)
      (setf l (cons i l)))))
(defun f-rows (n)
  (dotimes (i n n)
    (f-row 100)))
(defun f-deep (n)
  (if (= n 0) (list 1) (cons n (f-deep (1- n)))))
(defun f-left (n)
  (catch 'out
    (dotimes (i n)
      (f-row 10)
      (when (= i 4)
        (throw 'out (list i))))))
(defun f-again (n)
  (dotimes (i n n)
    (f-left 10)))
(defun (setf f-place) (value list)
  (setf (car list) (list value)))
(defun f-mapped (n)
  (mapcar (lambda (x) (list x n)) '(1 2 3)))
(defun all ()
  (f-rows 50)
  (f-deep 40)
  (f-again 20)
  (setf (f-place (list 1)) 2)
  (dotimes (i 10) (f-mapped i)))
