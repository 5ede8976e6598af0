;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Copies that nobody changes.

;;; A list that is only read.

(defvar *list* '(3 1 4 1 5))

(defun fault-1 ()
  (let ((sum 0))
    (dolist (x (copy-list *list*) sum)
      (incf sum x))))

(defun mended-1 ()
  (let ((sum 0))
    (dolist (x *list* sum)
      (incf sum x))))

;;; A board for each move: one is enough, which REPLACE fills again.

(defvar *board* (vector 0 1 2 3 4 5 6 7))

(defun fault-2 ()
  (let ((sum 0))
    (dotimes (i 8 sum)
      (let ((board (copy-seq *board*)))
        (rotatef (svref board 0) (svref board i))
        (incf sum (svref board 0))))))

(defvar *moved* (copy-seq *board*))

(defun mended-2 ()
  (let ((sum 0)
        (board *moved*))
    (dotimes (i 8 sum)
      (replace board *board*)
      (rotatef (svref board 0) (svref board i))
      (incf sum (svref board 0)))))

;;; A tree that is compared.

(defvar *form* '(let ((x 1)) (progn (print x) (list y))))

(defun fault-3 ()
  (let ((form (copy-tree *form*)))
    (equal form *form*)))

(defun mended-3 ()
  (let ((form *form*))
    (equal form *form*)))

;;; A list of the same elements that is made otherwise; SORT, which takes the
;;; list that it gets; a part of a sequence.

(defun alike-1 ()
  (loop for x in *list* collect x))

(defun alike-2 ()
  (sort (list 3 1 2) #'<))

(defun alike-3 ()
  (subseq *list* 1 3))
