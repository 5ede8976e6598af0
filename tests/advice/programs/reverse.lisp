;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; REVERSE makes a copy, where NREVERSE makes none.

(defun fault-1 ()
  (let ((squares nil))
    (dotimes (i 10 (reverse squares))
      (push (* i i) squares))))

(defun mended-1 ()
  (let ((squares nil))
    (dotimes (i 10 (nreverse squares))
      (push (* i i) squares))))

;;; A string that is its own reverse.

(defun own-reverse-p (word)
  (string= word (reverse word)))

(defun fault-2 ()
  (count-if #'own-reverse-p
            '("anna" "otto" "karl")))

(defun palindromep (word)
  (loop for i below (floor (length word) 2)
        for j downfrom (1- (length word))
        always (char= (char word i) (char word j))))

(defun mended-2 ()
  (count-if #'palindromep '("anna" "otto" "karl")))

;;; A vector from its end.

(defvar *digits* (vector 1 2 3 4))

(defun fault-3 ()
  (let ((sum 0))
    (loop for digit across (reverse *digits*)
          do (setf sum (+ (* 10 sum) digit)))
    sum))

(defun mended-3 ()
  (let ((sum 0))
    (loop for i downfrom (1- (length *digits*)) to 0
          do (setf sum (+ (* 10 sum) (svref *digits* i))))
    sum))

;;; NREVERSE; REVAPPEND; a list from its end.

(defun alike-1 ()
  (nreverse (list 1 2 3)))

(defun alike-2 ()
  (revappend '(1 2 3) nil))

(defun alike-3 ()
  (reduce #'cons '(1 2 3) :from-end t :initial-value nil))
