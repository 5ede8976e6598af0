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

;;; A base string.

(defun alike-1 ()
  (make-string 10 :element-type 'base-char))
