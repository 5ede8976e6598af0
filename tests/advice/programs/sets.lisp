;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; UNION and its like make new lists.

;;; Whether two lists have anything in common.

(defvar *a* '(1 2 3 4 5))
(defvar *b* '(4 5 6))

(defun fault-1 ()
  (if (intersection *a* *b*) 'some 'none))

(defun mended-1 ()
  (if (dolist (x *a*)
        (when (member x *b*)
          (return t)))
      'some
      'none))

;;; Whether a list has all of another one.

(defun fault-2 ()
  (null (set-difference '(4 6 7) *b*)))

(defun mended-2 ()
  (subsetp '(4 6 7) *b*))

;;; A list that grows by what is new.

(defun fault-3 ()
  (let ((seen nil))
    (dolist (x '(a b a c b) (length seen))
      (setf seen (union seen (list x))))))

;; A cons for each that is new; the lists of one element go, too.
(defparameter *more-3* (- (* 3 16) (* 5 16)))

(defun mended-3 ()
  (let ((seen nil))
    (dolist (x '(a b a c b) (length seen))
      (pushnew x seen))))

;;; The functions that take the lists that they get; tests; ADJOIN.

(defun alike-1 ()
  (sort (nunion (list 1 2) (list 2 3)) #'<))

(defun alike-2 ()
  (subsetp *b* *a*))

(defun alike-3 ()
  (adjoin 7 *a*))
