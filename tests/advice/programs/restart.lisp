;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; A restart is made each time, also if nothing goes wrong.  With it go
;;;; functions and conses, which the advice does not count.

(defvar *numbers* (list 2 4 6 8))

(declaim (notinline half))

(defun half (n)
  (if (evenp n) (ash n -1) (error "~D is odd" n)))

;;; Only ERROR needs it: a condition takes more than it.

(defun fault-1 ()
  (let ((sum 0))
    (dolist (n *numbers* sum)
      (restart-case (incf sum (half n))
        (skip ())))))

(declaim (notinline half-or-skip))

(defun half-or-skip (n)
  (if (evenp n)
      (ash n -1)
      (restart-case (error "~D is odd" n)
        (skip () 0))))

(defun mended-1 ()
  (let ((sum 0))
    (dolist (n *numbers* sum)
      (incf sum (half-or-skip n)))))

;; A closure and four conses for each.
(defvar *more-1* (* -4 (+ 48 (* 4 16))))

;;; Once outside the loop.

(defun fault-2 ()
  (let ((sum 0))
    (dolist (n *numbers* sum)
      (with-simple-restart (abort "Stop at ~D." n)
        (incf sum (half n))))))

(defun mended-2 ()
  (let ((sum 0) (last nil))
    (with-simple-restart (abort "Stop at ~D." last)
      (dolist (n *numbers* sum)
        (setf last n)
        (incf sum (half n))))))

;; The one that is left; two closures and five conses for each of the rest.
(defvar *more-2* (- 120 (* 3 (+ (* 2 48) (* 5 16)))))

;;; Several restarts.

(defun fault-3 ()
  (let ((sum 0))
    (dolist (n *numbers* sum)
      (restart-bind ((use-value #'identity) (store-value #'identity))
        (incf sum (half n))))))

(defun mended-3 ()
  (let ((sum 0))
    (dolist (n *numbers* sum)
      (incf sum (half n)))))

(defvar *more-3* (- (* 4 3 16)))        ; conses

;;; One restart; handlers; restarts of what signals.

(defun alike-1 ()
  (with-simple-restart (abort "Stop.")
    (mapcar #'half *numbers*)))

(defun alike-2 ()
  (dolist (n *numbers*)
    (handler-case (half n)
      (error () nil))))

(defun alike-3 ()
  (dotimes (i 2)
    (handler-bind ((error #'continue))
      (cerror "Go on." "No ~D" i))))
