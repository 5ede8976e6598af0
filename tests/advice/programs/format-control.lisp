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

;;; A function that passes control strings on: the callers have them.

(defun note (control &rest arguments)
  (apply #'format *out* control arguments))
(declaim (notinline note))

(defun fault-2 ()
  (dolist (name '("one" "two" "three"))
    (note "~a has ~d letters~%" name (length name))
    (note "~:[~;long: ~]~(~s~) ~{~a~^, ~}~%" (> (length name) 3) name
          '(1 2 3)))
  (get-output-stream-string *out*))

(defun mended-2 ()
  (dolist (name '("one" "two" "three"))
    (note (load-time-value (formatter "~a has ~d letters~%")) name
          (length name))
    (note (load-time-value (formatter "~:[~;long: ~]~(~s~) ~{~a~^, ~}~%"))
          (> (length name) 3) name '(1 2 3)))
  (get-output-stream-string *out*))

;;; FORMAT NIL parses it, too; directives with others in them are parsed again.
;;; The function makes a list of its arguments for the last ~[.

(defun print-key (stream key colonp atsignp)
  (declare (ignore colonp atsignp))
  (princ key stream))

(defvar *more-3* (* 10 16))

(defun fault-3 ()
  (let ((keys nil))
    (dotimes (i 10 keys)
      (push (format nil "key-~4,'0d" i) keys)
      (push (format nil "~10<~a~;~a~> ~~~
                         ~@[(~d) ~]~:{~a~@{ ~a~}~} ~/format-control::print-key/"
                    'a 'b i '((1 2 3) (4 5)) 'key)
            keys)
      (push (format nil "~[none~;one~:;~:*~d~]" i) keys))))

(defun mended-3 ()
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

;;; Functions that print without a control string; a variable that has a
;;; function; what parses another language.

(defun alike-1 ()
  (dotimes (i 20)
    (princ i *out*)
    (write-string ": " *out*)
    (prin1 'x *out*)
    (terpri *out*))
  (get-output-stream-string *out*))

(defvar *control* (formatter "~a, ~a~%"))

(defun alike-2 ()
  (dotimes (i 20)
    (format *out* *control* i 'x))
  (get-output-stream-string *out*))

(defun alike-3 ()
  (let ((sum 0))
    (dolist (text '("(1 2)" "(3 4)") sum)
      (incf sum (reduce #'+ (read-from-string text))))))
