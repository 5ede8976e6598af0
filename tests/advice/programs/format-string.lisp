;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; FORMAT NIL writes to a string stream that it makes.

;;; One stream for the whole program.

(defvar *keys* (make-string-output-stream))

(defun fault-1 ()
  (let ((keys nil))
    (dotimes (i 10 keys)
      (push (format nil "key-~d" i) keys))))

(defun mended-1 ()
  (let ((keys nil))
    (dotimes (i 10 keys)
      (format *keys* "key-~d" i)
      (push (get-output-stream-string *keys*) keys))))

;;; A stream for all calls of a function, made in the caller.

(defun label (x y)
  (format nil "~a/~a" x y))
(declaim (notinline label))

(defun fault-2 ()
  (loop for x below 5 collect (label x (* x x))))

(defun label-by (s x y)
  (format s "~a/~a" x y)
  (get-output-stream-string s))
(declaim (notinline label-by))

;; The stream that is kept is made here, with a buffer of 128 characters.
(defparameter *more-2* (+ advice-tests:*stream-bytes* 40 (* 4 128)))

(defun mended-2 ()
  (loop with s = (make-string-output-stream)
        for x below 5 collect (label-by s x (* x x))))

;;; FORMAT to a stream.

(defun alike-1 ()
  (with-output-to-string (s)
    (dotimes (i 10)
      (format s "~d~%" i))))
