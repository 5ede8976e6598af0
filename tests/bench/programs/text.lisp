;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; text.lisp -- FORMAT, and regular expressions by CL-PPCRE (run.sh loads that
;;;; first).

(in-package #:bench)

(declaim (optimize (speed 3) (safety 1) (debug 0)))

(defvar *words* '("allocation" "context" "frame" "marker" "tree"))

(define-program formatting (n :size 4000
                            :result "   42  FOO \"x\" 3.142 a, b, c  2A (1 2)")
  "FORMAT with the usual directives N times."
  (repeat n
    (format nil "~5D  ~A ~S ~,3F ~{~A~^, ~}  ~X ~S" 42 'foo "x" 3.14159d0
            '("a" "b" "c") 42 '(1 2))))

;;; CL-PPCRE.  The package is there only when it is loaded.

(defmacro ppcre (name &rest arguments)
  `(funcall (load-time-value (fdefinition
                              (find-symbol ,(string name) "CL-PPCRE")))
            ,@arguments))

(defun log-text (lines)
  (with-output-to-string (stream)
    (dotimes (i lines)
      (format stream "2021-03-~2,'0D host~D daemon[~D]: user=~A bytes=~D~%"
              (1+ (mod i 28)) (mod i 7) (* 17 i) (nth (mod i 5) *words*)
              (* i i)))))

(defun search-log (text)
  "How many lines are of the third host, what they transferred, how long TEXT is
with dates the other way round, and how many words it has."
  (let ((lines 0) (bytes 0)
        (line (ppcre create-scanner
                     "host3 \\w+\\[(\\d+)\\]: user=([a-z]+) bytes=(\\d+)")))
    (dolist (match (ppcre all-matches-as-strings line text))
      (incf lines)
      (incf bytes (parse-integer match :start (1+ (position #\= match
                                                            :from-end t)))))
    (list lines bytes
          (length (ppcre regex-replace-all "(\\d+)-(\\d+)-(\\d+)" text
                         "\\3.\\2.\\1"))
          (length (ppcre split "\\s+" text)))))

(define-program cl-ppcre (n :size 8
                          :result (list 29 (loop for i from 3 below 200 by 7
                                                 sum (* i i))
                                        (length (log-text 200)) 1000))
  "Compile three expressions and search, replace and split a log of 200 lines, N
times."
  (let ((text (log-text 200)))
    (repeat n (search-log text))))
