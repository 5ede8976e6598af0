;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; A character becomes a string of one character.

(defvar *text* "b2-4x")

;;; To compare it, whatever its code is.

(defun fault-1 ()
  (loop for c across (the string *text*)
        count (or (string= c "b") (string-equal (code-char 955) c))))

(defun mended-1 ()
  (loop for c across (the string *text*)
        count (or (char= c #\b) (char-equal (code-char 955) c))))

;;; To read a digit.

(defun fault-2 ()
  (loop for c across (the string *text*)
        sum (or (parse-integer (string c) :junk-allowed t) 0)))

(defun mended-2 ()
  (loop for c across (the string *text*)
        sum (or (digit-char-p c) 0)))

;;; As a string, which a table has.

(defun fault-3 ()
  (let ((last nil))
    (dolist (c '(#\+ #\- #\+) last)
      (setf last (string c)))))

(defvar *strings*
  (let ((strings (make-array 128)))
    (dotimes (code 128 strings)
      (setf (svref strings code) (string (code-char code))))))

(defun mended-3 ()
  (let ((last nil))
    (dolist (c '(#\+ #\- #\+) last)
      (setf last (svref *strings* (char-code c))))))

;;; STRING of strings and symbols; short strings by other functions.

(defun alike-1 ()
  (list (string "a") (string 'a) (string= 'a "A")))

(defun alike-2 ()
  (list (make-string 1 :initial-element #\a) (subseq *text* 0 1)))

(defun alike-3 ()
  (list (string-upcase #\a) (princ-to-string #\a)))
