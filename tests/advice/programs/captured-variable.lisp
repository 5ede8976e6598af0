;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Variables that closures capture.  With each goes the closure, of 48 bytes,
;;;; which the advice does not count.

(defvar *numbers* (list 3 14 15 92 65 35))

;;; It is not set at all.

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

(defvar *more-1* (- (* 5 48)))
(defvar *text-1* "makes conses for variables that closures capture")

;;; It is bound for each number, and captured for one of them.

(defun fault-2 ()
  (let ((found nil))
    (dolist (number *numbers* (funcall found))
      (let ((twice (* 2 number)))
        (when (> twice 180)
          (setf found (lambda () twice)))))))

(defun mended-2 ()
  (let ((found nil))
    (dolist (number *numbers* (funcall found))
      (let ((twice (* 2 number)))
        (when (> twice 180)
          (setf found (let ((captured twice))
                        (lambda () captured))))))))

(defvar *more-2* 16)                    ; CAPTURED

;;; Two variables, which the closure sets.

(defun fault-3 ()
  (let ((sum 0) (count 0))
    (mapc (lambda (n)
            (incf sum n)
            (incf count))
          *numbers*)
    (floor sum count)))

(defun mended-3 ()
  (let ((sum 0) (count 0))
    (dolist (n *numbers*)
      (incf sum n)
      (incf count))
    (floor sum count)))

(defvar *more-3* -48)

;;; Variables of local functions that are only called, of functions that capture
;;; nothing, and conses of one's own.

(defun alike-1 ()
  (let ((sum 0))
    (labels ((add (n)
               (incf sum n)
               (when (> n 0)
                 (add (1- n)))))
      (add 10)
      sum)))

(defun alike-2 ()
  (remove-if (lambda (n) (let ((m n)) (evenp m))) *numbers*))

(defun alike-3 ()
  (let ((cells '()))
    (dolist (n *numbers* cells)
      (push n cells))))
