;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; A string output stream takes some hundred bytes, and a buffer.

;;; A stream for each line.

(defvar *lines* '("one" "two" "three"))

(defun fault-1 ()
  (let ((quoted nil))
    (dolist (line *lines* quoted)
      (push (with-output-to-string (s)
              (write-char #\" s)
              (write-string line s)
              (write-char #\" s))
            quoted))))

(defun mended-1 ()
  (let ((quoted nil)
        (s (make-string-output-stream)))
    (dolist (line *lines* quoted)
      (write-char #\" s)
      (write-string line s)
      (write-char #\" s)
      (push (get-output-stream-string s) quoted))))

;;; A stream for each call of a recursive function: what it writes goes to the
;;; stream of the caller in any case.

(defun tree-text (tree)
  (with-output-to-string (s)
    (if (consp tree)
        (dolist (x tree)
          (write-string (tree-text x) s))
        (write-char tree s))))

(defun fault-2 ()
  (tree-text '(#\a (#\b #\c) #\d)))

;; The strings of five calls go, too: one has two characters, four have one.
(defparameter *more-2* (- (+ 48 (* 4 44))))

(defun write-tree (tree s)
  (if (consp tree)
      (dolist (x tree)
        (write-tree x s))
      (write-char tree s)))

(defun mended-2 ()
  (with-output-to-string (s)
    (write-tree '(#\a (#\b #\c) #\d) s)))

;;; A function that gives back a string: its caller keeps the stream.

(defun hex (n)
  (let ((s (make-string-output-stream :element-type 'base-char)))
    (loop for shift from 12 downto 0 by 4
          do (write-char (char "0123456789abcdef" (ldb (byte 4 shift) n)) s))
    (get-output-stream-string s)))
(declaim (notinline hex))

(defun fault-3 ()
  (loop for n from 100 to 900 by 100 collect (hex n)))

(defun hex-by (s n)
  (loop for shift from 12 downto 0 by 4
        do (write-char (char "0123456789abcdef" (ldb (byte 4 shift) n)) s))
  (get-output-stream-string s))
(declaim (notinline hex-by))

(defun mended-3 ()
  (loop with s = (make-string-output-stream :element-type 'base-char)
        for n from 100 to 900 by 100 collect (hex-by s n)))

;;; One stream is as few as there may be; a stream that reads; a stream that
;;; other functions than these make.

(defun alike-1 ()
  (with-output-to-string (s)
    (dotimes (i 100)
      (write-char #\x s))))

(defun alike-2 ()
  (let ((sum 0))
    (dolist (text '("a" "b") sum)
      (with-input-from-string (s text)
        (incf sum (char-code (read-char s)))))))

(defun alike-3 ()
  (mapcar #'princ-to-string '(1 2 3)))
