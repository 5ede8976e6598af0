;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; programs.lisp -- what `make bench' times.  Each program is a function of
;;;; the number of allocations (or nearly so), compiled by the ECL that runs
;;;; it.

(defpackage #:mprof-bench
  (:use #:common-lisp))

(in-package #:mprof-bench)

(declaim (optimize (speed 3) (safety 1) (debug 0)))

(defun cons-loop (n)
  "The bare minimum: one call site, one type, nothing else."
  (declare (fixnum n))
  (let ((last nil))
    (dotimes (i n last)
      (setf last (cons i nil)))))

(defun below-frames (depth n)
  "The same loop below DEPTH frames of this function."
  (declare (fixnum depth n))
  (if (zerop depth)
      (cons-loop n)
      (let ((last (below-frames (1- depth) n)))
        (unless (consp last)
          (error "the loop gave no cons"))
        last)))

(defun make-one (x)
  (cons x nil))

(defun call-loop (n)
  "One allocation per call, the call through the function's symbol."
  (declare (fixnum n) (notinline make-one))
  (let ((last nil))
    (dotimes (i n last)
      (setf last (make-one i)))))

(defun make-another (x)
  (cons x nil))

(defun direct-call-loop (n)
  "One allocation per call within one file.  An unpatched ECL lets the C
compiler inline such a call, so this compares a call with none."
  (declare (fixnum n))
  (let ((last nil))
    (dotimes (i n last)
      (setf last (make-another i)))))

(defun float-sum (n)
  "Boxed double floats: each addition makes one."
  (declare (fixnum n))
  (let ((sum 0d0) (one 1d0))
    (declare (notinline +))
    (dotimes (i n sum)
      (setf sum (+ sum one)))))

(defun list-building (n)
  "MAPCAR with a lambda over short lists."
  (declare (fixnum n))
  (let ((items (list 1 2 3 4 5 6 7 8 9 10)) (last nil))
    (dotimes (i (floor n 20) last)
      (setf last (mapcar (lambda (x) (cons x i)) items)))))

(defstruct point x y)

(defun structures (n)
  (declare (fixnum n))
  (let ((last nil))
    (dotimes (i n last)
      (setf last (make-point :x i :y last))
      (setf (point-y last) nil))))

(defparameter *programs*
  '((:cons-loop cons-loop 10000000)
    (:cons-loop-below-10000-frames (below-frames 10000) 10000000)
    (:one-allocation-per-call call-loop 10000000)
    (:one-per-direct-call direct-call-loop 10000000)
    (:boxed-floats float-sum 10000000)
    (:mapcar-lambda list-building 10000000)
    (:structures structures 5000000)))

(defun run-one (function n)
  (if (consp function)
      (apply (first function) (append (rest function) (list n)))
      (funcall function n)))

(defun seconds (function n)
  (let ((start (get-internal-real-time)))
    (run-one function n)
    (/ (- (get-internal-real-time) start)
       (float internal-time-units-per-second 1d0))))

(defun print-names ()
  (loop for (name) in *programs*
        do (format t "~&program ~(~A~)~%" name)))

(defun run (label name)
  "Run the program called NAME and print one line: LABEL, NAME, allocations, best
of three times."
  (ext:set-limit 'ext:c-stack (* 64 1024 1024))
  (destructuring-bind (function n) (rest (assoc name *programs*))
    (si:gc t)
    (format t "~&~A ~(~A~) ~D ~,6F~%" label name n
            (loop repeat 3 minimize (seconds function n)))
    (finish-output)))
