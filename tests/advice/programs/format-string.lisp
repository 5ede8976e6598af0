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

;;; FORMAT to a stream.

(defun alike-1 ()
  (with-output-to-string (s)
    (dotimes (i 10)
      (format s "~d~%" i))))
