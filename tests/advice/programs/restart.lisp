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

;;; Several restarts.

(defun fault-2 ()
  (let ((sum 0))
    (dolist (n *numbers* sum)
      (restart-bind ((use-value #'identity) (store-value #'identity))
        (incf sum (half n))))))

(defun mended-2 ()
  (let ((sum 0))
    (dolist (n *numbers* sum)
      (incf sum (half n)))))

(defvar *more-2* (- (* 4 3 16)))        ; conses

;;; One restart.

(defun alike-1 ()
  (with-simple-restart (abort "Stop.")
    (mapcar #'half *numbers*)))
