;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; PRINC-TO-STRING and its like make a string stream each.

;;; The string goes to a stream.  It is copied no more, either.

(defun fault-1 ()
  (with-output-to-string (out)
    (dotimes (i 10)
      (write-string (princ-to-string i) out)
      (write-char #\Space out))))

;; Here no stream stays, nor the ten strings of one character each.
(defparameter *more-1* (- (+ advice-tests:*stream-bytes* 40 (* 4 128)
                            (* 10 44))))

(defun mended-1 ()
  (with-output-to-string (out)
    (dotimes (i 10)
      (princ i out)
      (write-char #\Space out))))

;;; The string is kept.

(defun fault-2 ()
  (let ((table (make-hash-table :test #'equal :size 10)))
    (dolist (key '(alpha beta gamma))
      (setf (gethash (prin1-to-string key) table) key))
    (loop for key being the hash-keys of table collect key)))

(defun mended-2 ()
  (let ((table (make-hash-table :test #'equal :size 10))
        (s (make-string-output-stream)))
    (dolist (key '(alpha beta gamma))
      (prin1 key s)
      (setf (gethash (get-output-stream-string s) table) key))
    (loop for key being the hash-keys of table collect key)))

;;; In another base.

(defun fault-3 ()
  (loop for n in '(10 255 4096)
        collect (write-to-string n :base 16 :radix nil)))

;; WRITE-TO-STRING conses a list of four arguments each time.
(defparameter *more-3* (- (* 3 4 16)))

(defun mended-3 ()
  (loop with s = (make-string-output-stream)
        for n in '(10 255 4096)
        collect (progn (write n :stream s :base 16 :radix nil)
                       (get-output-stream-string s))))

;;; PRINC to a stream; STRING of a symbol, which is its name; one string.

(defun alike-1 ()
  (with-output-to-string (out)
    (dotimes (i 10)
      (princ i out))))

(defun alike-2 ()
  (mapcar #'string '(alpha beta)))

(defun alike-3 ()
  (princ-to-string 42))
