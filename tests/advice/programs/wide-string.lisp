;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; A string of characters takes 4 bytes for each, one of base characters 1,
;;;; and one at the end.

;;; A line of a table.

(defun fault-1 ()
  (let ((line (make-string 40 :initial-element #\-)))
    (setf (char line 0) #\+
          (char line 39) #\+)
    line))

(defun mended-1 ()
  (let ((line (make-string 40 :initial-element #\- :element-type 'base-char)))
    (setf (char line 0) #\+
          (char line 39) #\+)
    line))

;;; A buffer, and a part of it, which is of the same type.

(defun fault-2 ()
  (let ((buffer (make-string 100)))
    (replace buffer "key=value")
    (subseq buffer 0 3)))

;; The part gets smaller, too: from 3 times 4 to 4 bytes.
(defparameter *more-2* (- (- (* 3 4) 4)))

(defun mended-2 ()
  (let ((buffer (make-string 100 :element-type 'base-char)))
    (replace buffer "key=value")
    (subseq buffer 0 3)))

;;; A base string.

(defun alike-1 ()
  (make-string 10 :element-type 'base-char))
