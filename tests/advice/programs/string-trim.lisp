;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; STRING-TRIM copies its argument even if there is nothing to trim.

(defvar *lines* '("" "  " "# note" "a=1" "  b=22 "))

;;; A test.

(defun fault-1 ()
  (count-if (lambda (line) (string= (string-trim " " line) "")) *lines*))

(defun mended-1 ()
  (count-if (lambda (line) (not (find #\Space line :test #'char/=))) *lines*))

;;; A part that is read where it is.

(defun fault-2 ()
  (parse-integer (string-left-trim "b= " (fifth *lines*))))

(defun mended-2 ()
  (let ((line (fifth *lines*)))
    (parse-integer line :start (1+ (position #\= line)))))

;;; SUBSEQ.

(defun alike-1 ()
  (subseq (fifth *lines*) 2))
