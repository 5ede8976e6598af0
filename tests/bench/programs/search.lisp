;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; search.lisp -- puzzle, triangle and traverse of Gabriel's benchmarks,
;;;; written anew: searches in vectors and structures.  Only the first half of
;;;; traverse allocates; the others show that what does not, does not pay.

(in-package #:bench)

(declaim (optimize (speed 3) (safety 1) (debug 0)))

;;; puzzle: Baskett's, 18 blocks of four classes into a box of 5 by 5 by 5,
;;; which is inside one of 8 by 8 by 8.

(defconstant +edge+ 8)
(defconstant +cells+ 512)

(defun cell (i j k)
  (+ i (* +edge+ (+ j (* +edge+ k)))))

(defstruct block-kind class cells)

(defun kind (class di dj dk)
  "A block from (0,0,0) to (DI,DJ,DK), as the numbers of its cells."
  (make-block-kind
   :class class
   :cells (coerce (loop for i to di
                        nconc (loop for j to dj
                                    nconc (loop for k to dk
                                                collect (cell i j k))))
                  'simple-vector)))

(defvar *kinds*
  (coerce (loop for (class di dj dk)
                  in '((0 3 1 0) (0 1 0 3) (0 0 3 1) (0 1 3 0) (0 3 0 1)
                       (0 0 1 3) (1 2 0 0) (1 0 2 0) (1 0 0 2) (2 1 1 0)
                       (2 1 0 1) (2 0 1 1) (3 1 1 1))
                collect (kind class di dj dk))
          'simple-vector))

(defvar *box* (make-array +cells+))
(defvar *left* (make-array 4)
  "How many blocks of each class are left.")
(defvar *trials* 0)

(declaim (type simple-vector *kinds* *box* *left*) (type fixnum *trials*))

(defun fits-p (kind at)
  (declare (fixnum at))
  (let ((cells (block-kind-cells kind)) (box *box*))
    (declare (simple-vector cells box))
    (dotimes (i (length cells) t)
      (when (svref box (+ at (the fixnum (svref cells i))))
        (return nil)))))

(defun fill-cells (kind at value)
  (declare (fixnum at))
  (let ((cells (block-kind-cells kind)) (box *box*))
    (declare (simple-vector cells box))
    (dotimes (i (length cells))
      (setf (svref box (+ at (the fixnum (svref cells i)))) value)))
  (decf (the fixnum (svref *left* (block-kind-class kind))) (if value 1 -1)))

(defun solve-from (at)
  "Fill the first free cell from AT on, and so on; true when all is full."
  (declare (fixnum at))
  (incf *trials*)
  (let ((free (position nil *box* :start at)))
    (or (null free)
        (dotimes (i (length *kinds*) nil)
          (let ((kind (svref *kinds* i)))
            (when (and (plusp (the fixnum
                                   (svref *left* (block-kind-class kind))))
                       (fits-p kind free))
              (fill-cells kind free t)
              (when (solve-from free)
                (return t))
              (fill-cells kind free nil)))))))

(defun solve-puzzle ()
  (fill *box* t)
  (loop for i from 1 to 5
        do (loop for j from 1 to 5
                 do (loop for k from 1 to 5
                          do (setf (svref *box* (cell i j k)) nil))))
  (replace *left* #(13 3 1 1))
  (setf *trials* 0)
  (fill-cells (svref *kinds* 0) (cell 1 1 1) t)
  (list (solve-from (cell 1 1 1)) *trials*))

(define-program puzzle (n :size 90 :result '(t 2005))
  "Solve it N times."
  (repeat n (solve-puzzle)))

;;; triangle: fifteen holes in a triangle, fourteen pegs.  A peg that jumps
;;; over another takes it off; in how many ways is one left?  Holes:
;;;
;;;          0
;;;         1 2
;;;        3 4 5
;;;       6 7 8 9
;;;     ...

(defvar *jumps*
  (let ((number (make-hash-table :test #'equal)) (jumps '()) (n -1))
    (dotimes (row 5)
      (dotimes (column (1+ row))
        (setf (gethash (list row column) number) (incf n))))
    (dotimes (row 5 (coerce (nreverse jumps) 'simple-vector))
      (dotimes (column (1+ row))
        (loop for (down right) in '((1 0) (-1 0) (0 1) (0 -1) (1 1) (-1 -1))
              for over = (gethash (list (+ row down) (+ column right)) number)
              for to = (gethash (list (+ row down down)
                                      (+ column right right))
                                number)
              when to
                do (push (list (gethash (list row column) number) over to)
                         jumps)))))
  "All jumps as lists (FROM OVER TO).")

(declaim (type simple-vector *jumps*))

(defun ways (pegs count)
  "From PEGS, bits of a word, to one peg."
  (declare (fixnum pegs count))
  (if (= count 1)
      1
      (let ((sum 0))
        (declare (fixnum sum))
        (dotimes (i (length *jumps*) sum)
          (destructuring-bind (from over to) (svref *jumps* i)
            (declare (fixnum from over to))
            (when (and (logbitp from pegs) (logbitp over pegs)
                       (not (logbitp to pegs)))
              (incf sum (the fixnum
                             (ways (logxor pegs (ash 1 from) (ash 1 over)
                                           (ash 1 to))
                                   (1- count))))))))))

(define-program triangle (n :size 1 :result 1550)
  "Count the ways, 1550, from all pegs but the one in the middle, N times."
  (repeat n (ways #b111111111101111 14)))

;;; traverse: a graph of a hundred nodes, marked again and again.

(defstruct node
  (parents '()) (sons '()) (serial 0) (mark nil)
  (entry1 nil) (entry2 nil) (entry3 nil))

(defvar *generator* 0)

(defun random-below (n)
  (setf *generator* (logand (+ (* *generator* 1103515245) 12345) #x7FFFFFFF))
  (mod (ash *generator* -12) n))

(defun graph (count arcs)
  "A fresh graph of COUNT nodes in a ring, with ARCS more arcs from anywhere to
anywhere; a vector."
  (setf *generator* 21)
  (let ((nodes (make-array count)))
    (dotimes (i count)
      (setf (svref nodes i) (make-node :serial i)))
    (flet ((connect (from to)
             (push to (node-sons from))
             (push from (node-parents to))))
      (dotimes (i count)
        (connect (svref nodes i) (svref nodes (mod (1+ i) count))))
      (dotimes (i arcs nodes)
        (connect (svref nodes (random-below count))
                 (svref nodes (random-below count)))))))

(define-program traverse-init (n :size 2500 :result 300)
  "Make a graph N times; it has 300 arcs."
  (reduce #'+ (the vector (repeat n (graph 100 200)))
          :key (lambda (node) (length (node-sons node)))))

(defun mark-from (node mark)
  "Give all nodes that can be reached MARK; how many there were without it."
  (if (eq (node-mark node) mark)
      0
      (let ((count 1))
        (declare (fixnum count))
        (setf (node-mark node) mark
              (node-entry1 node) (not (node-entry1 node)))
        (dolist (son (node-sons node) count)
          (incf count (the fixnum (mark-from son mark)))))))

(define-program traverse-run (n :size 20000 :result 100)
  "Reach all nodes of one graph N times."
  (let ((nodes (graph 100 200)) (count 0))
    (dotimes (i n count)
      (setf count (mark-from (svref nodes (mod i 100)) i)))))
