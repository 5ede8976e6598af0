;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; loops.lisp -- adversaries: programs that do nothing but allocate, in the
;;;; ways that cost a profiler most.  N is the number of allocations, or
;;;; nearly so.

(in-package #:bench)

(declaim (optimize (speed 3) (safety 1) (debug 0)))

;;; One call site, one type, nothing else: at the outermost level, and below
;;; many frames.

(defun cons-loop-of (n)
  (declare (fixnum n))
  (let ((last nil))
    (dotimes (i n last)
      (setf last (cons i nil)))))

(defun below-frames (depth n)
  "The same loop below DEPTH frames of this function."
  (declare (fixnum depth n))
  (if (zerop depth)
      (cons-loop-of n)
      (let ((last (below-frames (1- depth) n)))
        (unless (consp last)
          (error "the loop gave no cons"))
        last)))

(define-program cons-loop (n :size 10000000 :result (list (1- n)))
  "N conses in a loop."
  (cons-loop-of n))

(define-program loop-depth-100000 (n :size 10000000 :result (list (1- n)))
  "The same below 100,000 frames."
  (below-frames 100000 n))

;;; One allocation for each call

(defun make-one (x)
  (cons x nil))

(define-program one-per-call (n :size 8000000 :result (list (1- n)))
  "One allocation for each call, the call through the function's symbol."
  (let ((last nil))
    (declare (notinline make-one))
    (dotimes (i n last)
      (setf last (make-one i)))))

(define-program boxed-floats (n :size 5000000 :result (float n 1d0))
  "Add up double floats: each addition makes one, in a function of the runtime
that is called anew."
  (let ((sum 0d0) (one 1d0))
    (declare (notinline +))
    (dotimes (i n sum)
      (setf sum (+ sum one)))))

(define-program mapcar-lambda (n :size 8000000
                               :result (list 10 (1- (floor n 20))))
  "MAPCAR with a lambda over short lists."
  (let ((items (list 1 2 3 4 5 6 7 8 9 10)) (last nil))
    (dotimes (i (floor n 20) (list (length last) (cdr (first last))))
      (setf last (mapcar (lambda (x) (cons x i)) items)))))

(defstruct point x y)

(define-program structures (n :size 3000000 :result (1- n))
  "Structures of two slots, each through its constructor."
  (let ((last nil))
    (dotimes (i n (point-x last))
      (setf last (make-point :x i :y nil)))))
