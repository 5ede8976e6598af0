;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; REMOVE and SUBSTITUTE copy the sequence.

;;; To count.

(defun fault-1 ()
  (length (remove-if-not #'evenp '(1 2 3 4 5 6))))

(defun mended-1 ()
  (count-if #'evenp '(1 2 3 4 5 6)))

;;; A list that is made for it.

(defun numbers (n)
  (loop for i below n collect (mod i 4)))

(defun fault-2 ()
  (remove-duplicates (remove 2 (numbers 10))))

;; DELETE and DELETE-DUPLICATES cons once each.
(defparameter *more-2* (* 2 16))

(defun mended-2 ()
  (delete-duplicates (delete 2 (numbers 10))))

;;; A string of its own.

(defun fault-3 ()
  (let ((name (make-string 8 :initial-element #\Space)))
    (replace name "a b")
    (substitute #\_ #\Space name)))

(defun mended-3 ()
  (let ((name (make-string 8 :initial-element #\Space)))
    (replace name "a b")
    (nsubstitute #\_ #\Space name)))

;;; DELETE; FIND; a loop that collects.

(defun alike-1 ()
  (delete 3 (numbers 8)))

(defun alike-2 ()
  (find-if #'evenp '(1 2 3)))

(defun alike-3 ()
  (loop for x in '(1 2 3 4)
        when (evenp x) collect x))
