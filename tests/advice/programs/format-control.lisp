;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; FORMAT parses its control string at run time, unless it is a function.

(defvar *out* (make-string-output-stream))

;;; A line of a table for each number.

(defun fault-1 ()
  (dotimes (i 20)
    (format *out* "~d: ~a~%" i (* i i)))
  (get-output-stream-string *out*))

(defun mended-1 ()
  (dotimes (i 20)
    (format *out* (load-time-value (formatter "~d: ~a~%")) i (* i i)))
  (get-output-stream-string *out*))

;;; FORMAT NIL parses it, too; directives with others in them are parsed again.
;;; The function makes a list of its arguments for the last ~[.

(defun print-key (stream key colonp atsignp)
  (declare (ignore colonp atsignp))
  (princ key stream))

(defvar *more-2* (* 10 16))

(defun fault-2 ()
  (let ((keys nil))
    (dotimes (i 10 keys)
      (push (format nil "key-~4,'0d" i) keys)
      (push (format nil "~10<~a~;~a~> ~~~
                         ~@[(~d) ~]~:{~a~@{ ~a~}~} ~/format-control::print-key/"
                    'a 'b i '((1 2 3) (4 5)) 'key)
            keys)
      (push (format nil "~[none~;one~:;~:*~d~]" i) keys))))

(defun mended-2 ()
  (let ((keys nil))
    (dotimes (i 10 keys)
      (push (format nil (load-time-value (formatter "key-~4,'0d")) i)
            keys)
      (push (format nil (load-time-value
                         (formatter "~10<~a~;~a~> ~~~
                         ~@[(~d) ~]~:{~a~@{ ~a~}~} ~/format-control::print-key/"))
                    'a 'b i '((1 2 3) (4 5)) 'key)
            keys)
      (push (format nil (load-time-value (formatter "~[none~;one~:;~:*~d~]"))
                    i)
            keys))))

;;; A variable that has a function.

(defvar *control* (formatter "~a, ~a~%"))

(defun alike-1 ()
  (dotimes (i 20)
    (format *out* *control* i 'x))
  (get-output-stream-string *out*))
