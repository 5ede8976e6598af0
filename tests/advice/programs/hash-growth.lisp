;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; A hash table that is full is made anew, larger.  It takes 16 bytes for
;;;; each entry that there is room for; the room that is given instead is to be
;;;; subtracted.

;;; A table of numbers.

(defun filled (table n)
  (dotimes (i n (hash-table-count table))
    (setf (gethash i table) t)))

(defun fault-1 ()
  (filled (make-hash-table) 2000))

(defparameter *more-1* (* 16 (- 4000 1024)))

(defun mended-1 ()
  (filled (make-hash-table :size 4000) 2000))

;;; Words, in an EQUAL table.

(defvar *words* '("tomorrow" "and" "tomorrow" "and" "tomorrow" "creeps" "in"
                  "this" "petty" "pace" "from" "day" "to" "day" "to" "the"
                  "last" "syllable" "of" "recorded" "time"))

(defun count-words (counts)
  (dolist (word *words* (hash-table-count counts))
    (incf (gethash word counts 0))))

(defun fault-2 ()
  (count-words (make-hash-table :test #'equal :size 16)))

(defparameter *more-2* (* 16 (- 30 16)))

(defun mended-2 ()
  (count-words (make-hash-table :test #'equal :size 30)))

;;; One table for all calls, which has grown already.

(defun fault-3 ()
  (filled (make-hash-table :size 10) 50))

;; The first table, with room for 16, and its threshold are not made, either.
(defparameter *more-3* (- (+ 136 (* 16 16) 16)))

(defvar *table* (make-hash-table :size 10))

(defun mended-3 ()
  (clrhash *table*)
  (filled *table* 50))

;;; A table that has room; one that is read; new symbols in a package, which
;;; has tables of its own.

(defun alike-1 ()
  (filled (make-hash-table :size 100) 10))

(defun alike-2 ()
  (loop for i below 100 count (gethash i *table*)))

(defun alike-3 ()
  (let ((package (make-package (symbol-name (gensym "P-")) :use nil)))
    (dotimes (i 2000)
      (intern (princ-to-string i) package))
    (delete-package package)))
