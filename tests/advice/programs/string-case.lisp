;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; STRING-UPCASE and its like make a copy.

;;; To compare.

(defun fault-1 ()
  (count-if (lambda (word) (string= (string-downcase word) "yes"))
            '("Yes" "NO" "yes")))

(defun mended-1 ()
  (count-if (lambda (word) (string-equal word "yes"))
            '("Yes" "NO" "yes")))

;;; The key of a table.

(defvar *exact* (make-hash-table :test #'equal))
(defvar *either* (make-hash-table :test #'equalp))
(setf (gethash "HOST" *exact*) 1
      (gethash "Host" *either*) 1)

(defun fault-2 ()
  (loop for name in '("host" "Host" "port")
        count (gethash (string-upcase name) *exact*)))

(defun mended-2 ()
  (loop for name in '("host" "Host" "port")
        count (gethash name *either*)))

;;; A string of its own.

(defun fault-3 ()
  (let ((name (make-string 4 :initial-element #\a)))
    (setf (char name 1) #\b)
    (string-capitalize name)))

(defun mended-3 ()
  (let ((name (make-string 4 :initial-element #\a)))
    (setf (char name 1) #\b)
    (nstring-capitalize name)))

;;; Characters; NSTRING-UPCASE; a copy that is a part.

(defun alike-1 ()
  (loop for c across "abc" count (char= (char-upcase c) #\B)))

(defun alike-2 ()
  (nstring-upcase (make-string 3 :initial-element #\a)))

(defun alike-3 ()
  (subseq "Hello" 1))
