;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; What is written to a string stream outgrows the buffer, which begins with
;;;; 128 characters and grows by half.

;;; A string with a fill pointer, large enough.

(defun fault-1 ()
  (with-output-to-string (s)
    (dotimes (i 1000)
      (write-char #\a s))))

;; The string takes the place of the copy; the first buffer goes, too.
(defparameter *more-1* (- (+ 40 (* 4 128))))

(defun mended-1 ()
  (let ((text (make-array 1000 :element-type 'character :fill-pointer 0)))
    (with-output-to-string (s text)
      (dotimes (i 1000)
        (write-char #\a s)))
    text))

;;; A short text.

(defun alike-1 ()
  (with-output-to-string (s)
    (dotimes (i 100)
      (write-char #\a s))))
