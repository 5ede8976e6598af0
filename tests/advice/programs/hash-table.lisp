;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; A hash table takes 16520 bytes where :SIZE does not say otherwise.

;;; A table for each call: one stays.

(defvar *words* '("a" "b" "a" "c"))

(defun different (words)
  (let ((seen (make-hash-table :test #'equal)))
    (dolist (word words (hash-table-count seen))
      (setf (gethash word seen) t))))

(defun fault-1 ()
  (+ (different *words*) (different '("x")) (different nil)))

(defun different-by (seen words)
  (clrhash seen)
  (dolist (word words (hash-table-count seen))
    (setf (gethash word seen) t)))

;; One table is made here.
(defparameter *more-1* (+ 16520 16))

(defun mended-1 ()
  (let ((seen (make-hash-table :test #'equal)))
    (+ (different-by seen *words*) (different-by seen '("x"))
       (different-by seen nil))))

;;; One table, which grows.

(defun alike-1 ()
  (let ((table (make-hash-table :size 10)))
    (dotimes (i 50 (hash-table-count table))
      (setf (gethash i table) t))))
