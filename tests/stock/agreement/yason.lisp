;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; yason.lisp -- JSON: hash tables, lists and floats to text and back.

(defvar *sink*)

(defun table (n)
  (let ((table (make-hash-table :test #'equal)))
    (dotimes (i 20 table)
      (setf (gethash (format nil "key ~D" i) table)
            (case (mod i 5)
              (0 (* n i))
              (1 (/ (float i 1d0) 8))
              (2 (loop for k below i collect k))
              (3 (format nil "text \"~D\" of~%~C" n (code-char 233)))
              (t (vector i nil t)))))))

(defun text (tables)
  (with-output-to-string (stream)
    (yason:encode tables stream)))

(defun all ()
  (let ((text (text (loop for n below 100 collect (table n)))))
    (dotimes (i 5)
      (setf *sink* (yason:parse text))
      (setf *sink* (yason:parse text :object-as :alist
                                     :json-arrays-as-vectors t))))
  t)
