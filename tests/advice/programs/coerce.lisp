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

;;; A string of some characters of another one.

(defun fault-3 ()
  (let ((letters nil))
    (loop for c across "a-b-c"
          do (when (alpha-char-p c)
               (push c letters)))
    (coerce (nreverse letters) 'string)))

;; The string is needed; the list goes, too.
(defparameter *more-3* (- (+ 40 (* 3 4)) (* 3 16)))

(defun mended-3 ()
  (remove-if-not #'alpha-char-p
                 (load-time-value (coerce "a-b-c"
                                          '(simple-array character (*))))))

;;; To a number or to a function; to the type that it has; MAP.

(defun alike-1 ()
  (list (coerce 1 'single-float) (functionp (coerce 'car 'function))))

(defun alike-2 ()
  (coerce "abc" 'string))

(defun alike-3 ()
  (map 'list #'char-code "abc"))
