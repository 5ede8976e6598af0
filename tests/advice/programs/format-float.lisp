;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; FORMAT makes strings, streams and bignums for a float.

(defvar *floats* (list 1.5d0 -22.375d0 0.5d0))
(defvar *out* (make-string-output-stream))

(defmacro written (&body body)
  `(progn ,@body (get-output-stream-string *out*)))

;;; All digits.  PRINC makes a cons for each number, as FORMAT does for its
;;; argument.

(defun fault-1 ()
  (written
    (dolist (x *floats*)
      (format *out* (load-time-value (formatter "~F ")) x))))

(defun mended-1 ()
  (written
    (let ((*read-default-float-format* 'double-float))
      (dolist (x *floats*)
        (princ x *out*)
        (write-char #\Space *out*)))))

;;; A few digits: by C, into a string that is kept.

(defvar *buffer* (make-string 32 :element-type 'base-char))

(defmacro write-by-c (control x)
  `(write-string *buffer* *out*
                 :end (ffi:c-inline
                       (*buffer* ,x) (:object :double) :int
                       ,(format nil "snprintf((char *)#0->base_string.self, ~
                                     32, ~S, #1)" control)
                       :one-liner t)))

(defun fault-2 ()
  (written
    (dolist (x *floats*)
      (format *out* (load-time-value (formatter "~8,1F|~$|~G|")) x x x))))

(defun mended-2 ()
  (written
    (dolist (x *floats*)
      (write-by-c "%8.1f|" x)
      (write-by-c "%.2f|" x)
      (write-by-c "%g    |" x))))

(defvar *more-2* (- (* 3 3 16)))        ; the arguments of FORMAT

(defun fault-3 ()
  (written
    (dolist (x *floats*)
      (format *out* "~,4,2,,,,'eE" x))))

(defun mended-3 ()
  (written
    (dolist (x *floats*)
      (write-by-c "%.4e" x))))

;; FORMAT parses the string, too: see format-control.
(defvar *more-3* -1536)

;;; Floats without a directive of their own; integers; what TIME prints.

(defun alike-1 ()
  (written (format *out* "~A ~S" 1.5d0 -1f0)))

(defun alike-2 ()
  (written (format *out* "~D ~5,'0X" 15 255)))

(defun alike-3 ()
  (let ((*trace-output* (make-broadcast-stream)))
    (time (alike-2))))
