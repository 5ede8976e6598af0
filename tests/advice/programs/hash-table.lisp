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

;;; A table in each object, whose options the caller gives: APPLY makes it.

(defun properties (n &optional options)
  (let ((table (apply #'make-hash-table options)))
    (setf (gethash :number table) n)
    table))

(defun fault-2 ()
  (let ((sum 0))
    (dotimes (i 4 sum)
      (incf sum (gethash :number (properties i))))))


;; A list of two conses each takes the place of all four.
(defparameter *more-2* (* 4 2 16))

(defun mended-2 ()
  (let ((sum 0))
    (dotimes (i 4 sum)
      (incf sum (getf (list :number i) :number)))))

;;; A table that is used for a moment, of all objects that were seen.

(defun visited (node seen)
  (cond ((gethash node seen) 0)
        (t (setf (gethash node seen) t)
           (1+ (loop for next in (rest node) sum (visited next seen))))))

(defvar *tree* '(a (b (c)) (d)))

(defun visits (tree)
  (visited tree (make-hash-table :test #'eq)))

(defun fault-3 ()
  (+ (visits *tree*) (visits (third *tree*))))

(defvar *seen* (make-hash-table :test #'eq))

(defun mended-3 ()
  (+ (visited *tree* (clrhash *seen*))
     (visited (third *tree*) (clrhash *seen*))))

;;; One table; CLRHASH; a table that grows.

(defun alike-1 ()
  (different *words*))

(defun alike-2 ()
  (hash-table-count (clrhash *seen*)))

(defun alike-3 ()
  (let ((table (make-hash-table :size 10)))
    (dotimes (i 50 (hash-table-count table))
      (setf (gethash i table) t))))
