;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; READ-FROM-STRING makes a stream.

(ffi:clines "#include <stdlib.h>")

;;; Numbers.  The reader conses once an object.

(defun fault-1 ()
  (let ((*read-default-float-format* 'double-float))
    (loop for text in '("12" "345" "-6")
          sum (read-from-string text) into sum
          finally (return (+ sum (read-from-string "-6.25e-1"))))))

(defun mended-1 ()
  (loop for text in '("12" "345" "-6")
        sum (parse-integer text) into sum
        finally (return (+ sum (ffi:c-inline ("-6.25e-1") (:cstring) :double
                                             "strtod(#0, NULL)"
                                             :one-liner t)))))

(defvar *more-1* (+ 40 9 16))           ; a copy of the text; the float

;;; A constant.

(defun fault-2 ()
  (assoc :b (read-from-string "((:a . 1) (:b . 2))")))

(defun mended-2 ()
  (assoc :b '((:a . 1) (:b . 2))))

;;; Many objects in one text.

(defvar *text* "10 20 30 40")

(defun fault-3 ()
  (loop with start = 0 and object
        while (< start (length *text*))
        do (multiple-value-setq (object start)
             (read-from-string *text* nil nil :start start))
        sum object))

;; One stream, and a cons for each object.
(defparameter *more-3* (+ advice-tests:*stream-bytes* (* 4 16)))

(defun mended-3 ()
  (with-input-from-string (s *text*)
    (loop for object = (read s nil)
          while object
          sum object)))

;;; READ from a stream; PARSE-INTEGER; INTERN of a string.

(defun alike-1 ()
  (with-input-from-string (s "(1 2 3)")
    (read s)))

(defun alike-2 ()
  (parse-integer " 42 " :junk-allowed t))

(defun alike-3 ()
  (intern "CAR" :common-lisp))
