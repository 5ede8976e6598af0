;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; steps.lisp -- saves step-1.data to step-5.data: what a program has
;;;; allocated until then, and what it has in use.  After step 3 the figures are
;;;; forgotten.

(require :mprof)

(defstruct thing one two)
(defvar *things* '())
(defun keep (n) (dotimes (i n) (push (make-thing :one i) *things*)))
(defun lose (n) (dotimes (i n) (make-array (1+ i) :element-type 'bit)))
(defun descend (n) (if (plusp n) (cons n (descend (1- n))) (list 1.5d0)))
(mapc #'compile '(keep lose descend))

(defun work (step)
  (keep (* 100 step))
  (lose (* 30 step))
  (descend step)
  (when (= step 2)
    (setf *things* (nthcdr 150 *things*))))

(mprof:start :live t)
(loop for step from 1 to 5
      do (work step)
         (mprof:save (format nil "step-~D.data" step) :collect t)
         (when (= step 3)
           (mprof:reset)))
