;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; exits.lisp -- adversaries: frames that are left by a jump and not by
;;;; their return, frames of C in between, and threads.

(in-package #:bench)

(declaim (optimize (speed 3) (safety 1) (debug 0)))

;;; Throws.  Each leaves a frame that has allocated.

(defun cons-and-throw (i)
  (throw 'out (cons i nil)))

(define-program catch-throw (n :size 4000000 :result (list (1- n)))
  "N times a catch, a call, a cons and a throw."
  (let ((last nil))
    (declare (notinline cons-and-throw))
    (dotimes (i n last)
      (setf last (catch 'out (cons-and-throw i))))))

(defun throw-from-below (depth list)
  (declare (fixnum depth))
  (if (zerop depth)
      (throw 'out list)
      (let ((deeper (throw-from-below (1- depth) (cons depth list))))
        (error "this came back: ~S" deeper))))

(define-program throw-depth-20 (n :size 300000 :result 20)
  "The same from 20 frames below, each of which conses."
  (length (the list (repeat n (catch 'out (throw-from-below 20 '()))))))

(define-condition expected-error (error)
  ((serial :initarg :serial :reader serial)))

(define-program handled-errors (n :size 70000 :result (list (1- n)))
  "N times an error that is handled: a condition, handlers, an exit."
  (let ((last nil))
    (dotimes (i n last)
      (setf last (handler-case (error 'expected-error :serial i)
                   (expected-error (condition)
                     (list (serial condition))))))))

;;; Callbacks: Lisp calls C, and C calls Lisp.

(ffi:defcallback cons-callback :long ((x :long))
  (length (the list (list x x))))

(define-program callbacks (n :size 2500000 :result (* 2 n))
  "A C function calls a Lisp function that conses, N times."
  (si:call-cfun (si:find-foreign-symbol "bench_sum_of_calls" (library "region")
                                        :pointer-void 0)
                :long '(:pointer-void :long)
                (list (ffi:callback 'cons-callback) n)))

(defun pointed-number (pointer)
  (si:foreign-data-ref-elt (si:foreign-data-recast pointer 8 :void) 0 :long))

(ffi:defcallback compare-callback :int ((a :pointer-void) (b :pointer-void))
  (let ((x (pointed-number a))
        (y (pointed-number b)))
    (declare (fixnum x y))
    (cond ((< x y) -1) ((> x y) 1) (t 0))))

(define-program qsort (n :size 90000 :result '(t t))
  "The C library sorts N numbers by a Lisp function, for which each pointer is
made an object."
  (let ((numbers (si:allocate-foreign-data :void (* 8 n))) (state 1))
    (declare (fixnum state))
    (dotimes (i n)
      (setf state (mod (* state 16807) 2147483647))
      (si:foreign-data-set-elt numbers (* 8 i) :long state))
    (si:call-cfun (si:find-foreign-symbol "qsort" :default :pointer-void 0)
                  :void '(:pointer-void :unsigned-long :unsigned-long
                          :pointer-void)
                  (list numbers n 8 (ffi:callback 'compare-callback)))
    (flet ((number-at (i)
             (si:foreign-data-ref-elt numbers (* 8 i) :long)))
      (list (loop for i from 1 below n
                  always (<= (number-at (1- i)) (number-at i)))
            (plusp (number-at 0))))))

;;; Threads: each conses in a loop of its own.

(defun cons-loop-here (n)
  (declare (fixnum n))
  (let ((last nil))
    (dotimes (i n last)
      (setf last (cons i nil)))))

(defun loops-in-threads (threads n)
  "Have each of so many THREADS make N conses; their last conses."
  (let ((results (make-list threads)))
    (mapc #'mp:process-join
          (loop for place on results
                collect (let ((place place))
                          (mp:process-run-function
                           "loop" (lambda ()
                                    (setf (first place)
                                          (cons-loop-here n)))))))
    results))

(define-program threads-8 (n :size 2000000
                           :result (make-list 8 :initial-element
                                              (list (1- n))))
  "N conses in each of eight threads."
  (loops-in-threads 8 n))
