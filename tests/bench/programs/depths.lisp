;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; depths.lisp -- adversaries: stacks that grow and shrink while they
;;;; allocate, at depths 10 to 100,000.  N is the number of allocations, and
;;;; the same at each depth, so that what the depth itself costs shows.

(in-package #:bench)

(declaim (optimize (speed 3) (safety 1) (debug 0)))

;;; On the way down: each frame allocates, then calls the next.

(defun allocate-down (depth)
  (declare (fixnum depth))
  (if (zerop depth)
      0
      (let ((cell (list depth)))
        (+ (the fixnum (allocate-down (1- depth)))
           (the fixnum (length cell))))))

;;; On the way up: all frames are there before the first allocation.

(defun allocate-up (depth)
  (declare (fixnum depth))
  (if (zerop depth)
      '()
      (cons depth (allocate-up (1- depth)))))

(defmacro define-depths (&rest depths)
  "Programs DOWN-depth and UP-depth for DEPTHS."
  `(progn
     ,@(loop for depth in depths
             for down = (intern (format nil "DOWN-~D" depth))
             for up = (intern (format nil "UP-~D" depth))
             collect `(define-program ,down (n :size 5000000
                                             :result ,depth)
                        "N allocations, each before a call."
                        (repeat (ceiling n ,depth) (allocate-down ,depth)))
             collect `(define-program ,up (n :size 5000000
                                           :result ,depth)
                        "N allocations, each after a call."
                        (length (the list (repeat (ceiling n ,depth)
                                            (allocate-up ,depth))))))))

(define-depths 10 100 1000 10000 100000)

;;; A walk up and down the stack: from where it is, it goes to a random depth,
;;; allocates there, and goes on.

(defvar *walk-state*)
(defvar *walk-steps*)
(defvar *walk-target*)
(declaim (type fixnum *walk-state* *walk-steps* *walk-target*))

(defconstant +walk-depth+ 64)

(defun next-target ()
  (setf *walk-state* (logand (+ (* *walk-state* 1103515245) 12345) #x7FFFFFFF)
        *walk-target* (mod (ash *walk-state* -12) +walk-depth+)))

(defun walk-at (depth)
  "Be at DEPTH for as long as the target is not less; the sum of what was
allocated, as the lengths of lists."
  (declare (fixnum depth))
  (let ((sum 0))
    (declare (fixnum sum))
    (loop
      (when (or (zerop *walk-steps*) (< *walk-target* depth))
        (return sum))
      (incf sum (the fixnum
                     (if (= *walk-target* depth)
                         (let ((cells (list depth sum)))
                           (decf *walk-steps*)
                           (next-target)
                           (length cells))
                         (walk-at (1+ depth))))))))

(define-program random-walk (n :size 1000000 :result (* 2 (ceiling n 2)))
  "Some N allocations at random depths up to 64."
  (let ((*walk-state* 42) (*walk-steps* (ceiling n 2)) (*walk-target* 0))
    (walk-at 0)))
