;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; objects.lisp -- instances, methods, structures, hash tables, trees.

(in-package #:bench)

(declaim (optimize (speed 3) (safety 1) (debug 0)))

;;; CLOS

(defclass shape ()
  ((name :initarg :name :initform "shape" :reader shape-name)
   (uses :initform 0 :accessor shape-uses)))

(defclass box (shape)
  ((width :initarg :width :accessor box-width)
   (height :initarg :height :accessor box-height)))

(defclass disc (shape)
  ((radius :initarg :radius :accessor disc-radius)))

(defgeneric area (shape))

(defmethod area ((shape box))
  (* (box-width shape) (box-height shape)))

(defmethod area ((shape disc))
  (* 3 (expt (disc-radius shape) 2)))

(defmethod area :before ((shape shape))
  (incf (shape-uses shape)))

(defgeneric scaled (shape factor))

(defmethod scaled :around ((shape shape) factor)
  (if (eql factor 1) shape (call-next-method)))

(defmethod scaled ((shape disc) factor)
  (make-instance 'disc :name (shape-name shape)
                       :radius (* factor (disc-radius shape))))

(defmethod scaled ((shape box) factor)
  (make-instance 'box :name (shape-name shape)
                      :width (* factor (box-width shape))
                      :height (* factor (box-height shape))))

(define-program clos-instances (n :size 24000 :result (* 15 n))
  "Make and add up N boxes and N discs."
  (let ((sum 0))
    (dotimes (i n sum)
      (incf sum (area (make-instance 'box :width 3 :height 4)))
      (incf sum (area (make-instance 'disc :name i :radius 1))))))

(define-program clos-methods (n :size 200000 :result (list (* 4 n) (* 2 n)))
  "Methods before, around and next, on instances that exist; the next methods'
arguments are lists."
  (let ((box (make-instance 'box :width 1 :height 1))
        (disc (make-instance 'disc :radius 1)) (sum 0))
    (dotimes (i n (list sum (+ (shape-uses box) (shape-uses disc))))
      (incf sum (area (scaled box 1)))
      (incf sum (area (scaled disc 1))))))

;;; Hash tables

(define-program hash-numbers (n :size 36 :result 20000)
  "Fill and read a growing table of 20,000 numbers N times."
  (repeat n
    (let ((table (make-hash-table)) (found 0))
      (dotimes (i 20000)
        (setf (gethash (* i 7) table) (cons i i)))
      (dotimes (i 20000 found)
        (when (eql (car (gethash (* i 7) table)) i)
          (incf found))))))

(define-program hash-strings (n :size 180 :result '(1000 4000))
  "Count 4,000 words, 1,000 of them different, each a fresh string, N times."
  (repeat n
    (let ((table (make-hash-table :test #'equal)) (sum 0))
      (dotimes (i 4000)
        (let ((word (make-string 6 :initial-element #\a)) (code (mod i 1000)))
          (dotimes (j 3)
            (multiple-value-bind (quotient digit) (floor code 10)
              (setf (char word j) (code-char (+ 97 digit))
                    code quotient)))
          (incf (the fixnum (gethash word table 0)))))
      (maphash (lambda (word count)
                 (declare (ignore word))
                 (incf sum count))
               table)
      (list (hash-table-count table) sum))))

;;; Structures and trees

(defstruct widget colour serial)

(defun make-red-widget (serial)
  (make-widget :colour :red :serial serial))

(defun make-blue-widget (serial)
  (make-widget :colour :blue :serial serial))

(defun consume-widget (widget)
  (if (eq (widget-colour widget) :red) 1 0))

(define-program producer-consumer (n :size 16 :result 50000)
  "The paper's example: make and use 100,000 widgets, by turns red and blue, N
times."
  (repeat n
    (let ((red 0))
      (declare (fixnum red))
      (dotimes (serial 100000 red)
        (incf red (the fixnum
                       (consume-widget (if (evenp serial)
                                           (make-red-widget serial)
                                           (make-blue-widget serial)))))))))

(defstruct (tree (:constructor make-tree (&optional left right))
                 (:copier nil))
  left right)

(defun tree-of-depth (depth)
  (declare (fixnum depth))
  (if (zerop depth)
      (make-tree)
      (make-tree (tree-of-depth (1- depth)) (tree-of-depth (1- depth)))))

(defun populate (tree depth)
  "Hang a tree of DEPTH below TREE, from the top down."
  (declare (fixnum depth))
  (when (plusp depth)
    (setf (tree-left tree) (make-tree)
          (tree-right tree) (make-tree))
    (populate (tree-left tree) (1- depth))
    (populate (tree-right tree) (1- depth))))

(defun tree-size (tree)
  (if (null tree)
      0
      (+ 1 (the fixnum (tree-size (tree-left tree)))
         (the fixnum (tree-size (tree-right tree))))))

(define-program binary-trees (n :size 6 :result '(32767 65534 194494))
  "The classic test of collectors: one tree that lives long, while short-lived
ones are made from the top down and from the bottom up, N times."
  (let ((long-lived (tree-of-depth 14)) (kept 0) (made 0))
    (repeat n
      (setf kept 0 made 0)
      (loop for depth from 4 to 14 by 5
            for trees = (ash 1 (- 14 depth))
            do (dotimes (i trees)
                 (let ((top-down (make-tree)))
                   (populate top-down depth)
                   (incf made (tree-size top-down))
                   (incf made (tree-size (tree-of-depth depth))))))
      (let ((tree (make-tree)))
        (populate tree 14)
        (incf kept (+ (tree-size tree) (tree-size (tree-of-depth 14))))
        (list (tree-size long-lived) kept made)))))
