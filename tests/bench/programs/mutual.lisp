;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; mutual.lisp -- an adversary: deep mutual recursion.  A hundred and
;;;; twenty-eight functions call one another in ever other orders, as the
;;;; parts of a simplifier or an evaluator do, each along four arcs of its
;;;; own.  N is the number of allocations.
;;;;
;;;; A run walks a tree of N / 8 calls, four times; each call makes two
;;;; objects, one before its own calls and one after them, a leaf one.  The
;;;; two calls that one call makes are of different functions, so no two nodes
;;;; of the tree have the same call chain: there are N / 8 distinct ones, some
;;;; 100 frames long.  The next run has another tree, of the same shape but
;;;; with other functions, so that its chains are new once more.

(in-package #:bench)

(declaim (optimize (speed 3) (safety 1) (debug 0)))

(eval-when (:compile-toplevel :load-toplevel :execute)
  (defparameter *part-count* 128)

  (defun part-name (i)
    (intern (format nil "PART-~D" (mod i *part-count*)))))

(defmacro call-part (i choice &rest arguments)
  "Call one of the four functions that function I calls: that of number
CHOICE, a form."
  `(case ,choice
     ,@(loop for arc in '(1 11 37 84)
             for key in '(0 1 2 t)
             collect `(,key (,(part-name (+ i arc)) ,@arguments)))))

(declaim (inline next-state))
(defun next-state (state)
  (declare (type (unsigned-byte 31) state))
  (logand (+ (* state 1103515245) 12345) #x7FFFFFFF))

;;; Of CALLS calls the first is the function's own; a sixteenth of the others
;;; goes to one callee, the rest to another.  STATE chooses them.

(defmacro define-parts ()
  `(progn
     ,@(loop for i below *part-count*
             collect
             `(defun ,(part-name i) (calls state)
                (declare (fixnum calls)
                         (type (unsigned-byte 31) state))
                (if (= calls 1)
                    (length (the list (list state)))
                    (let* ((less (ash (1- calls) -4))
                           (sum (list 1))
                           (next (next-state state))
                           (choice (ldb (byte 2 16) next)))
                      (declare (fixnum less))
                      (incf (the fixnum (first sum))
                            (the fixnum
                                 (call-part ,i choice
                                            (- calls less 1) next)))
                      (when (plusp less)
                        (incf (the fixnum (first sum))
                              (the fixnum
                                   (call-part ,i (logxor choice 2) less
                                              (logxor next 1)))))
                      (setf sum (cons calls sum))
                      (the fixnum (second sum))))))))

(define-parts)

(defvar *tree* 0
  "The number of the last tree.")
(declaim (type fixnum *tree*))

(define-program mutual-recursion (n :size 8000000 :result (ceiling n 8))
  "N allocations at the ends of N / 8 distinct call chains."
  (let ((state (next-state (incf *tree*))))
    (repeat 4 (part-0 (ceiling n 8) state))))
