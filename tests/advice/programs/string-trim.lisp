;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; STRING-TRIM copies its argument even if there is nothing to trim.

(defvar *lines* '("" "  " "# note" "a=1" "  b=22 "))

;;; A test.

(defun fault-1 ()
  (count-if (lambda (line) (string= (string-trim " " line) "")) *lines*))

(defun mended-1 ()
  (count-if (lambda (line) (not (find #\Space line :test #'char/=))) *lines*))

;;; SUBSEQ.

(defun alike-1 ()
  (subseq (fifth *lines*) 2))
