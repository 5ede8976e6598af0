;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; COERCE to another type of sequence makes a copy.

;;; To walk a string.

(defun fault-1 ()
  (let ((vowels 0))
    (dolist (c (coerce "advice" 'list) vowels)
      (when (find c "aeiou")
        (incf vowels)))))

(defun mended-1 ()
  (let ((vowels 0))
    (loop for c across "advice"
          do (when (find c "aeiou")
               (incf vowels)))
    vowels))

;;; A vector that is made as a list.

(defun fault-2 ()
  (coerce (loop for i below 10 collect (* i i)) 'vector))

;; LOOP conses eleven times; the vector is needed.
(defparameter *more-2* (- (+ 48 (* 10 8)) (* 11 16)))

(defun mended-2 ()
  (let ((squares (make-array 10)))
    (dotimes (i 10 squares)
      (setf (svref squares i) (* i i)))))

;;; A type that is known at run time alone.

(defun sum-as (type numbers)
  (reduce #'+ (coerce numbers type)))
(declaim (notinline sum-as))

(defun fault-3 ()
  (sum-as 'list #(1 2 3)))

(defun mended-3 ()
  (reduce #'+ #(1 2 3)))

;;; To a number or to a function; to the type that it has; MAP.

(defun alike-1 ()
  (list (coerce 1 'single-float) (functionp (coerce 'car 'function))))

(defun alike-2 ()
  (coerce "abc" 'string))

(defun alike-3 ()
  (map 'list #'char-code "abc"))
