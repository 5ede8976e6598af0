;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; READ-LINE makes a string of each line.

(defvar *file* (format nil "~A/read-line.txt" (ext:getenv "ADVICE_WORK")))

(with-open-file (s *file* :direction :output :if-exists :supersede)
  (dotimes (i 10)
    (format s "line ~d~%" i)))

;;; To count lines.

(defun fault-1 ()
  (with-open-file (s *file*)
    (loop while (read-line s nil)
          count t)))

(defun mended-1 ()
  (with-open-file (s *file*)
    (loop for c = (read-char s nil)
          while c
          count (char= c #\Newline))))

;;; To look for something: a buffer of the size of the file is filled at once.

(defun fault-2 ()
  (with-open-file (s *file*)
    (loop for line = (read-line s nil)
          while line
          count (search "7" line))))

(defvar *buffer* (make-string 100))

(defun mended-2 ()
  (with-open-file (s *file*)
    (let ((end (read-sequence *buffer* s)))
      (count #\7 *buffer* :end end))))

;;; Numbers at the end of lines.

(defun fault-3 ()
  (with-open-file (s *file*)
    (loop for line = (read-line s nil)
          while line
          sum (parse-integer line :start 5))))

(defun mended-3 ()
  (with-open-file (s *file*)
    (let ((end (read-sequence *buffer* s)))
      (loop for start = 0 then (1+ newline)
            for newline = (position #\Newline *buffer* :start start :end end)
            while newline
            sum (parse-integer *buffer* :start (+ start 5) :end newline)))))

;;; READ; READ-SEQUENCE; READ-CHAR.

(defun alike-1 ()
  (with-open-file (s *file*)
    (list (read s) (read s))))

(defun alike-2 ()
  (with-open-file (s *file*)
    (read-sequence *buffer* s)))

(defun alike-3 ()
  (with-open-file (s *file*)
    (loop for c = (read-char s) until (char= c #\Newline) count t)))
