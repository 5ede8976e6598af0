;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Byte-compiled functions, as typed at the REPL, call compiled ones and are
;;;; called by them; all show by name.  Each variable that the interpreter
;;;; binds takes conses, (B 1) of them.

(in-package #:exact)

(defun compiled-leaf (x)
  (cons x x))

(eval '(defun typed-middle (x)
        (cons (compiled-leaf x) nil)))

(defun compiled-top (n)
  (declare (notinline typed-middle))
  (dotimes (i n)
    (keep (typed-middle i))))

(eval '(defun typed-top (n)
        (compiled-top n)))

(measuring ("typed and compiled functions in turns") (typed-top 100)
  (total (+ 200 (b 101)) (* (+ 200 (b 101)) +cons+))
  (self 'typed-top (b 1) (* (b 1) +cons+))
  (calls 'typed-top 1)
  (conses-of 'typed-top 'compiled-top 1 (+ 200 (b 100)))
  (conses-of 'compiled-top 'typed-middle 100 (+ 200 (b 100)))
  (self 'typed-middle (+ 100 (b 100)) (* (+ 100 (b 100)) +cons+))
  (calls 'typed-middle 100)
  (arc 'typed-middle 'compiled-leaf 100 100 (* 100 +cons+))
  (self 'compiled-leaf 100 (* 100 +cons+))
  (no-arc 'compiled-top 'compiled-leaf))

;;; Recursion through both.

(defun compiled-step (n)
  (declare (notinline typed-step))
  (if (zerop n) nil (cons n (typed-step (1- n)))))

(eval '(defun typed-step (n)
        (if (zerop n) nil (cons n (compiled-step (1- n))))))

(measuring ("recursion through typed and compiled functions")
    (compiled-step 200)
  (self 'compiled-step 100 (* 100 +cons+))
  (self 'typed-step (+ 100 (b 100)) (* (+ 100 (b 100)) +cons+))
  (calls 'compiled-step 100)
  (calls 'typed-step 100)
  (arc 'typed-step 'compiled-step 99)
  (arc 'compiled-step 'typed-step 100))

;;; Local functions and lambdas that are typed.

(eval '(defun typed-locals (list)
        (flet ((pair (x) (cons x x)))
          (mapcar #'pair list))))

(eval '(defun typed-lambda (list)
        (mapcar (lambda (x) (list x)) list)))

(defvar *three-numbers* (list 1 2 3))

(measuring ("typed local functions") (typed-locals *three-numbers*)
  ;; LIST takes conses, and in 21.2.1 the function PAIR one, and its closure
  ;; is an object
  (self '(flet pair :in typed-locals) (+ 3 (b 3)) (* (+ 3 (b 3)) +cons+))
  (calls '(flet pair :in typed-locals) 3)
  (arc 'mapcar '(flet pair :in typed-locals) 3)
  (self 'mapcar 3 (* 3 +cons+)))

(measuring ("typed lambda") (typed-lambda *three-numbers*)
  (self '(lambda :in typed-lambda) (+ 3 (b 3)) (* (+ 3 (b 3)) +cons+))
  (arc 'mapcar '(lambda :in typed-lambda) 3))

;;; Jumps out of interpreted frames.

(eval '(defun typed-thrower (x)
        (keep (list x))
        (throw 'out (compiled-leaf x))))

(defun catch-typed (n)
  (declare (notinline typed-thrower))
  (dotimes (i n)
    (keep (catch 'out (typed-thrower i)))
    (keep (compiled-leaf i))))

(measuring ("throws out of typed functions") (catch-typed 500)
  (self 'typed-thrower (+ 500 (b 500)) (* (+ 500 (b 500)) +cons+))
  (calls 'typed-thrower 500)
  (arc 'typed-thrower 'compiled-leaf 500)
  (arc 'catch-typed 'compiled-leaf 500 500 (* 500 +cons+))
  (calls 'catch-typed 1)
  (total (+ 1500 (b 500)) (* (+ 1500 (b 500)) +cons+)))

;;; Methods that are typed.

(eval '(defgeneric typed-area (x)))
(eval '(defmethod typed-area ((x integer)) (cons x x)))

(defun typed-areas (n)
  (declare (notinline typed-area))
  (dotimes (i n)
    (keep (typed-area i))))

(typed-areas 1)

(measuring ("typed methods") (typed-areas 10)
  ;; interpreted methods are called through closures of CLOS
  (self '(method typed-area (integer)) (+ 10 (b 10)) (* (+ 10 (b 10)) +cons+))
  (calls '(method typed-area (integer)) 10)
  (inclusive 'typed-areas (+ 10 (b 10)) (* (+ 10 (b 10)) +cons+))
  (total (+ 10 (b 10)) (* (+ 10 (b 10)) +cons+)))

;;; Allocation functions that are coded out of line, in both compilers.

(defun inline-pair (x) (cons x x))
(defun lexical-pair (x)
  (mprof:out-of-line (cons) (cons x x)))
(mprof:out-of-line cons list)
(defun file-wide-pair (x) (cons x (list x)))
(eval '(defun typed-inline (x) (cons x x)))
(eval '(defun typed-lexical (x) (mprof:out-of-line () (cons x x))))

(defun all-pairs (n)
  (declare (notinline typed-inline typed-lexical))
  (dotimes (i n)
    (keep (inline-pair i))
    (keep (lexical-pair i))
    (keep (file-wide-pair i))
    (keep (typed-inline i))
    (keep (typed-lexical i))))

(measuring ("out of line") (all-pairs 10)
  (self 'inline-pair 10 (* 10 +cons+))
  (no-arc 'inline-pair 'cons)
  (self 'lexical-pair 0 0)
  (arc 'lexical-pair 'cons 10 10 (* 10 +cons+))
  (self 'file-wide-pair 0 0)
  (arc 'file-wide-pair 'cons 10 10 (* 10 +cons+))
  (arc 'file-wide-pair 'list 10 10 (* 10 +cons+))
  (self 'typed-inline (+ 10 (b 10)) (* (+ 10 (b 10)) +cons+))
  (no-arc 'typed-inline 'cons)
  (self 'typed-lexical (b 10) (* (b 10) +cons+))
  (arc 'typed-lexical 'cons 10 10 (* 10 +cons+)))
