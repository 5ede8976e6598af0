;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Calls: every function that the source calls out of line is in the chain,
;;;; whatever the C compiler would like to do with it.  A frame of the
;;;; interpreter is a frame of the function that it runs, wherever it stands
;;;; between compiled ones.  What is typed at the REPL is what EVAL is given
;;;; here.  random/ has functions that call each other in any way, also at their
;;;; ends, with any OPTIMIZE declaration, handlers and jumps.
;;;;
;;;; (B N) counts the conses for N variables that the interpreter binds
;;;; (harness.lisp).

(in-package #:exact)

(defun leaf (x) (cons x x))

;;; What GCC would inline: called once; small; with an early way out (a .part
;;; of it would be split off); with an argument that is the same in each call
;;; (a .constprop clone) or not used (an .isra one).  What is identical, it could
;;; fold into one.

(defun called-once (x)
  (let ((sum 0))
    (declare (fixnum sum))
    (dotimes (i 20)
      (when (oddp i) (incf sum i)))
    (list x sum)))

(defun early-out (x)
  (if (null x)
      nil
      (let ((a (list x)))
        (keep (list a a x))
        a)))

(defun same-argument (x flag)
  (if flag (list x) (list x x x)))

(defun unused-argument (x y)
  (declare (ignore y))
  (list x))

(defun twin-a (x) (list x x x))
(defun twin-b (x) (list x x x))

(defun would-be-inlined (n)
  (dotimes (i n)
    (keep (called-once i))
    (keep (early-out nil))
    (keep (early-out i))
    (keep (same-argument i nil))
    (keep (unused-argument i n))
    (keep (twin-a i))
    (keep (twin-b i))
    (keep (twin-b i))))

(measuring ("what GCC would inline, split or fold") (would-be-inlined 50)
  (chains `((would-be-inlined called-once list) 100 ,(* 100 +cons+))
          `((would-be-inlined early-out) 50 ,(* 50 +cons+))
          `((would-be-inlined early-out list) 150 ,(* 150 +cons+))
          `((would-be-inlined same-argument list) 150 ,(* 150 +cons+))
          `((would-be-inlined unused-argument) 50 ,(* 50 +cons+))
          `((would-be-inlined twin-a list) 150 ,(* 150 +cons+))
          `((would-be-inlined twin-b list) 300 ,(* 300 +cons+)))
  (calls 'called-once 50)
  (calls 'early-out 50)
  (calls 'twin-a 50)
  (calls 'twin-b 100))

;;; Optional, keyword and rest arguments: the list of the rest is made in the
;;; function that asks for it; what a default needs too.

(defun optional-arguments (x &optional (y (list x))) (cons x y))
(defun key-arguments (x &key (y (list x x))) (cons x y))
(defun rest-arguments (&rest list) list)
(defun takes-many (f n)
  (dotimes (i n)
    (funcall f i i i)))

(defun argument-lists (n)
  (dotimes (i n)
    (keep (optional-arguments i))
    (keep (optional-arguments i i))
    (keep (key-arguments i))
    (keep (key-arguments i :y i))
    (keep (rest-arguments i i i i)))
  (takes-many #'rest-arguments n)
  (takes-many 'rest-arguments n))

(measuring ("optional, keyword and rest arguments") (argument-lists 20)
  (chains `((argument-lists optional-arguments) 60 ,(* 60 +cons+))
          `((argument-lists key-arguments) 40 ,(* 40 +cons+))
          `((argument-lists key-arguments list) 40 ,(* 40 +cons+))
          `((argument-lists rest-arguments) 80 ,(* 80 +cons+))
          `((argument-lists takes-many rest-arguments) 120 ,(* 120 +cons+)))
  (calls 'optional-arguments 40)
  (calls 'rest-arguments 60))

;;; What the user declares inline belongs to the function that it is put into.

(declaim (inline declared-inline))
(defun declared-inline (x) (list x x))
(defun use-inline (n)
  (dotimes (i n)
    (keep (declared-inline i)))
  (locally (declare (notinline declared-inline))
    (keep (declared-inline n))))

(measuring ("declared inline") (use-inline 10)
  (chains `((use-inline list) 20 ,(* 20 +cons+))
          `((use-inline declared-inline list) 2 ,(* 2 +cons+))))

(defun backends (n)
  (ext:with-backend
    :c/c++ (dotimes (i n) (keep (leaf i)))
    :bytecodes (keep (list n n n))))

(measuring ("with-backend") (backends 7)
  (chains `((backends leaf) 7 ,(* 7 +cons+))))

;;; COMPILE: a lambda, which has no name.

(defvar *compiled-lambda*
  (let ((*compile-verbose* nil))
    (compile nil '(lambda (n)
                   (dotimes (i n)
                     (keep (leaf i))
                     (keep (list i i)))))))

(measuring ("compile") (funcall *compiled-lambda* 3)
  (chains `(((lambda) leaf) 3 ,(* 3 +cons+))
          `(((lambda) list) 6 ,(* 6 +cons+))))

;;; Byte-compiled code.

(defun of-conses (n)
  "The objects and bytes of N conses."
  (list n (* n +cons+)))

(defun of-leaves (n)
  "The same of N functions that make a cons and bind a variable."
  (of-conses (* n (+ 1 (b 1)))))

(eval '(defun typed-leaf (x) (cons x x)))

;;; Arguments: the interpreter binds A, B, R and C, and makes the list for R;
;;; for its keywords it makes none.

(eval '(defun typed-arguments (a &optional (b (list a)) &rest r &key (c (list b)))
        (list a b c r)))

(eval '(defun give-arguments ()
        (typed-arguments 1)
        (typed-arguments 1 2 :c 3)))

(measuring ("optional, rest and keyword arguments") (give-arguments)
  (chains `((give-arguments typed-arguments)
            ,@(of-conses (+ 12 (b 8)))))
  (calls 'typed-arguments 2))

;;; SETF functions and macros.

(eval '(defun (setf typed-place) (value x) (cons value x)))
(eval '(defmacro typed-macro (x) (list 'quote (list x))))
(eval '(defun use-place ()
        (funcall #'(setf typed-place) 1 2)
        (macroexpand-1 '(typed-macro 2))))

(measuring ("a setf function and a macro") (use-place)
  ;; the macro binds X, the form, its rest and the environment
  (chains `((use-place (setf typed-place)) ,@(of-conses (+ 1 (b 2))))
          `((use-place macroexpand-1 (macro-function typed-macro))
            ,@(of-conses (+ 3 (b 4))))))

;;; Functions that got their names otherwise keep those that they were made
;;; with.

(setf (symbol-function 'named-later) (eval '(lambda (x) (cons x x))))
(setf (fdefinition 'named-again) #'typed-leaf)

(defun call-named ()
  (declare (notinline named-later named-again))
  (named-later 1)
  (named-again 1))

(measuring ("functions that were named later") (call-named)
  (chains `((call-named (lambda)) ,@(of-leaves 1))
          `((call-named typed-leaf) ,@(of-leaves 1))))

;;; EVAL at depth: forms have a name of their own, and so have lambdas in
;;; them.

(defvar *nested-form*
  '(funcall (lambda (y) (eval '(typed-leaf 3)) (cons y y)) 2))

(defun run-eval ()
  (eval *nested-form*))

(measuring ("eval at depth") (run-eval)
  (arc 'run-eval 'eval 1)
  (apply #'self "(LAMBDA)" (of-leaves 1))
  (arc "(TOP-LEVEL-FORM)" "(LAMBDA)" 1)
  (arc "(LAMBDA)" 'eval 1)
  (apply #'arc "(TOP-LEVEL-FORM)" 'typed-leaf 1 (of-leaves 1))
  (no-arc "(LAMBDA)" 'typed-leaf))

;;; TRACE puts a function of the same name around it.

(setf *dump-only* "EXACT::TRACED")

(eval '(defun traced-typed (n) (cons n n)))
(defun traced-compiled (n) (cons n n))

(defvar *nowhere* (make-broadcast-stream))

(defun call-traced ()
  (declare (notinline traced-typed traced-compiled))
  (let ((*trace-output* *nowhere*))
    (traced-typed 1)
    (traced-compiled 1)))

(trace traced-typed traced-compiled)
(call-traced)                           ; fills the printer's caches

(measuring ("traced functions" :residual nil) (call-traced)
  (arc 'call-traced 'traced-typed 1)
  (arc 'call-traced 'traced-compiled 1)
  (calls 'traced-typed 2)
  (calls 'traced-compiled 2)
  (apply #'arc 'apply 'traced-typed 1 (of-leaves 1))
  (conses-of 'apply 'traced-compiled 1 1))
