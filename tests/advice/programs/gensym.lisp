;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; GENSYM prints the number of the symbol to a string stream, and makes a
;;;; string of it.  The symbol itself has a copy of that.

;;; Variables of code that is generated.

(defun fault-1 ()
  (setf *gensym-counter* 100)
  (let ((bindings nil))
    (dotimes (i 10)
      (push (list (gensym) i) bindings))
    (mapcar #'second bindings)))

;; Each name has three characters less.
(defparameter *more-1* (- (* 10 3)))

(defun mended-1 ()
  (let ((bindings nil))
    (dotimes (i 10)
      (push (list (make-symbol "G") i) bindings))
    (mapcar #'second bindings)))

;;; A prefix.

(defun fault-2 ()
  (setf *gensym-counter* 100)
  (every #'symbolp (list (gensym "STATE-") (gensym "INPUT-"))))

(defparameter *more-2* (- (* 2 3)))

(defun mended-2 ()
  (every #'symbolp (list (make-symbol "STATE-") (make-symbol "INPUT-"))))

;;; Marks of a program of its own: any new object will do.

(defun fault-3 ()
  (setf *gensym-counter* 10)
  (let ((end (gensym)))
    (loop for x in '(1 2 3 4)
          count (eq x end))))

;; The symbol and its name go, but for a cons.
(defparameter *more-3* (- 16 (+ advice-tests:*symbol-bytes* 44)))

(defun mended-3 ()
  (let ((end (list nil)))
    (loop for x in '(1 2 3 4)
          count (eq x end))))

;;; Symbols without a number; a copy of one; a string of a number.

(defun alike-1 ()
  (list (symbolp (make-symbol "A")) (symbolp (make-symbol "B"))))

(defun alike-2 ()
  (symbol-name (copy-symbol 'car)))

(defun alike-3 ()
  (princ-to-string 12))
