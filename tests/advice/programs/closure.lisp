;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Functions that capture variables.  With each goes what holds the captured
;;;; variables: a cons each, which the advice does not count.

(defvar *numbers* (list 3 14 15 92 65 35))

(declaim (notinline above))
(defun above (limit)
  (find-if (lambda (n) (> n limit)) *numbers*))

(defun fault-1 ()
  (loop for limit from 10 to 50 by 10
        collect (above limit)))

(declaim (notinline above-by-loop))
(defun above-by-loop (limit)
  (loop for n in *numbers*
        when (> n limit)
          return n))

(defun mended-1 ()
  (loop for limit from 10 to 50 by 10
        collect (above-by-loop limit)))

(defvar *more-1* (- (* 5 16)))          ; LIMIT

;;; A local function that is only called.

(defun alike-1 ()
  (let ((sum 0))
    (labels ((add (n)
               (incf sum n)
               (when (> n 0)
                 (add (1- n)))))
      (add 10)
      sum)))
