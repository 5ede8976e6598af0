;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; SUBSEQ, and so the trimming of strings, makes a copy of a part.

;;; A number in a text.

(defvar *lines* '("x=12" "y=345" "z=6"))

(defun fault-1 ()
  (loop for line in *lines*
        sum (parse-integer (subseq line 2))))

(defun mended-1 ()
  (loop for line in *lines*
        sum (parse-integer line :start 2)))

;;; Comparison of the beginning of a text.

(defun fault-2 ()
  (count-if (lambda (line) (string= (subseq line 0 2) "y=")) *lines*))

(defun mended-2 ()
  (count-if (lambda (line) (string= "y=" line :end2 2)) *lines*))

;;; Blanks that are trimmed before a test.

(defun fault-3 ()
  (count-if (lambda (line)
              (plusp (length (string-trim " " line))))
            '("  a " "" "   " " b")))

(defun mended-3 ()
  (count-if (lambda (line)
              (find #\Space line :test #'char/=))
            '("  a " "" "   " " b")))

;;; Bounds; the rest of a list; a copy of all.

(defun alike-1 ()
  (position #\= "abc=def" :start 2))

(defun alike-2 ()
  (nthcdr 2 '(1 2 3 4)))

(defun alike-3 ()
  (copy-seq "abc"))
