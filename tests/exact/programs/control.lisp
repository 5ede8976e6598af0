;;;; variants: compiled bytecode
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Restarts, special bindings, and values that go through known frames; random/
;;;; has handlers, errors and jumps between functions.  See depth.lisp for deep stacks.
;;;;
;;;; Interpreted, (V N) counts the conses for N variables.

(in-package #:exact)

(defun conses (name n)
  (self name n (* n +cons+)))

;;; SIGNAL makes nothing itself when it is given a condition.

(define-condition notice (condition) ())

(defvar *notice* (make-condition 'notice))

;;; A handler that leaves by a restart: what follows is RESTARTED's own.

(defun choose (n)
  (declare (ignore n))
  (keep (cells 2))
  (invoke-restart 'take-it 5))

(defun offer (i)
  (restart-case (progn (keep (cells 1))
                       (signal *notice*)
                       (keep (cells 100)))
    (take-it (value) (taken value i))))

(defun taken (value i)
  (cons value i))

(defun restarted (n)
  (handler-bind ((notice #'choose))
    (dotimes (i n)
      (keep (offer i))
      (keep (cells 4)))))

(restarted 1)

(measuring ("restart-case and invoke-restart") (restarted 20)
  (calls 'choose 20)
  (arc 'signal 'choose 20)
  (conses 'choose (* 20 (+ 2 (v 1))))
  (calls 'offer 20)
  ;; interpreted, a clause is a function of its own
  (conses-of (by-variant 'offer '(lambda :in offer)) 'taken 20
             (* 20 (+ 1 (v 2))))
  (conses 'taken (* 20 (+ 1 (v 2))))
  (no-arc 'choose 'taken)
  (no-arc 'signal 'taken)
  (calls 'restarted 1))

;;; PROGV, and special bindings undone by a throw.

(defvar *depth* 0)

(defun deeper (n)
  (progv '(*depth*) (cells 1)
    (setf *depth* n)
    (keep (cells 1))
    (if (zerop n)
        (throw 'enough (taken n n))
        (deeper (1- n)))
    (keep (cells 100))))

(defun bind-and-check (n)
  (dotimes (i n)
    (keep (catch 'enough (deeper 4)))
    (if (zerop *depth*)
        (keep (cells 2))
        (error "*DEPTH* is still bound."))))

(measuring ("progv") (bind-and-check 30)
  (calls 'deeper 150)
  (conses 'deeper (* 150 (+ 2 (v 1))))
  ;; the interpreter keeps the tag of CATCH as it does a variable
  (conses 'bind-and-check (+ 60 (v 3) (* 30 (v 1))))
  (conses-of 'deeper 'taken 30 (* 30 (+ 1 (v 2))))
  (arc 'deeper 'deeper 120)
  (no-arc 'bind-and-check 'taken))

;;; DYNAMIC-EXTENT: ECL allocates all the same, but may reuse the memory.

(defun use-list (list)
  (length list))

(defun short-lived (n)
  (let ((list (cons n (cons n nil))))
    (declare (dynamic-extent list))
    (use-list list)))

(measuring ("dynamic extent") (dotimes (i 10) (short-lived i))
  (inclusive 'short-lived (* 10 (+ 2 (v 3))) (* 10 (+ 2 (v 3)) +cons+)))

;;; Values through frames that walks have met: all come back.

(defun many-values (n)
  (keep (cells 1))
  (values n (+ n 1) (+ n 2) (+ n 3) (+ n 4) (+ n 5) (+ n 6) (+ n 7) (+ n 8)
          (+ n 9) (+ n 10) (+ n 11)))

(defun no-values ()
  (keep (cells 1))
  (values))

(defun through-protect (n)
  (unwind-protect (many-values n)
    (keep (cells 2))
    (many-values 0)))

(defun long-product (x y)
  (keep (cells 1))
  (* x y))

(defun sum-of-values (n)
  (let ((sum 0))
    (dotimes (i n sum)
      (incf sum (apply #'+ (multiple-value-list (through-protect i))))
      (when (multiple-value-list (no-values))
        (return nil))
      (unless (= (long-product 1.5l0 3l0) 4.5l0)
        (return nil))
      (unless (= (long-product 1.5d0 3d0) 4.5d0)
        (return nil)))))

;; twelve values from I, 0 to 9: 12 * 45 + 10 * 66
(defvar *sum* nil)

(measuring ("values through known frames") (setf *sum* (sum-of-values 10))
  (check "all values came back" 1200 *sum*)
  (conses 'many-values (* 20 (+ 1 (v 1))))
  (calls 'many-values 20)
  (conses 'no-values 10)
  (conses 'through-protect (* 10 (+ 2 (v 1))))
  (calls 'long-product 20)
  (conses-of 'through-protect 'many-values 20 (* 20 (+ 1 (v 1))))
  ;; the function * multiplies 1 by the first number, then by the second
  ;; 24.5.10 makes both arguments each time, and the number to compare with,
  ;; if it compiles
  (let ((n (by-variant (by-release 10 40) 20)))
    (type-total 'long-float n (* n +long-float+))
    (type-total 'double-float n (* n +double-float+))))
