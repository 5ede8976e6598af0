;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; EVERY and its like cons lists of what they iterate over.

;;; A list, and a function with a name.

(defvar *numbers* '(2 4 6 8))

(defun fault-1 ()
  (loop repeat 20
        count (every #'evenp *numbers*)))

(defun mended-1 ()
  (loop repeat 20
        count (loop for x in *numbers*
                    always (evenp x))))

;;; A string, and a function that captures nothing.

(defun blank-p (text)
  (notany (lambda (c) (alphanumericp c)) text))

(defun fault-2 ()
  (count-if #'blank-p '("a" " " "  b" "---")))

(defun blankp (text)
  (not (find-if (lambda (c) (alphanumericp c)) text)))

(defun mended-2 ()
  (count-if #'blankp '("a" " " "  b" "---")))

;;; Two sequences; the second function gives up early.

(defun differ-p (a b)
  (some #'/= a b))

(defun fault-3 ()
  (list (differ-p '(1 2 3) #(1 2 4))
        (differ-p '(1 2) #(2 2))))

(defun differp (a b)
  (loop for x in a
        for y across b
        thereis (/= x y)))

(defun mended-3 ()
  (list (differp '(1 2 3) #(1 2 4))
        (differp '(1 2) #(2 2))))

;;; Functions on sequences that make nothing; that make what is wanted; conses
;;; by the function that is called.

(defun alike-1 ()
  (list (find-if #'evenp *numbers*)
        (position-if #'oddp *numbers*)
        (count-if #'plusp *numbers*)))

(defun alike-2 ()
  (remove-if-not #'evenp (mapcar #'1+ *numbers*)))

(defvar *seen* nil)

(declaim (notinline note))

(defun note (x)
  (push x *seen*)
  t)

(defun alike-3 ()
  (loop for x in *numbers*
        always (note x)))
