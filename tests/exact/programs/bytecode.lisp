;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Byte-compiled code: a frame of the interpreter is a frame of the function
;;;; that it runs, wherever it stands between compiled ones.  What is typed at
;;;; the REPL is what EVAL is given here.  (B N) counts the conses for N
;;;; variables that the interpreter binds (harness.lisp).

(in-package #:exact)

(defun of-conses (n)
  "The objects and bytes of N conses."
  (list n (* n +cons+)))

(defun of-leaves (n)
  "The same of N functions that make a cons and bind a variable."
  (of-conses (* n (+ 1 (b 1)))))

(defun compiled-leaf (x)
  (cons x x))

(defun call-with (f x)
  (keep (funcall f x)))

(defun apply-to (f list)
  (declare (notinline apply))
  (keep (apply f list)))

(defvar *three* (list 1 2 3))

;;; Calls from the interpreter, and back into it; each call of TYPED-LEAF
;;; binds X and makes a cons.

(eval '(defun typed-leaf (x) (cons x x)))

(eval '(defun typed-caller ()
        (typed-leaf 1)
        (funcall 'typed-leaf 2)
        (funcall #'typed-leaf 2)
        (apply 'typed-leaf *one*)
        (compiled-leaf 1)
        (call-with 'typed-leaf 1)
        (call-with #'typed-leaf 1)
        (call-with #'compiled-leaf 1)
        (apply-to 'typed-leaf *one*)))

(defvar *one* (list 1))

(measuring ("calls in all ways") (typed-caller)
  (chains `((typed-caller typed-leaf) ,@(of-leaves 3))
          `((typed-caller apply typed-leaf) ,@(of-leaves 1))
          `((typed-caller compiled-leaf) 1 ,+cons+)
          `((typed-caller call-with typed-leaf) ,@(of-leaves 2))
          `((typed-caller call-with compiled-leaf) 1 ,+cons+)
          `((typed-caller apply-to apply typed-leaf) ,@(of-leaves 1)))
  (calls 'typed-leaf 7)
  (calls 'typed-caller 1))

;;; Functions that call back.

(eval '(defun typed-mappers ()
        (mapcar (lambda (x) (cons x x)) *three*)
        (mapc #'typed-leaf *three*)
        (mapc 'compiled-leaf *three*)
        (reduce (lambda (a b) (list a b) 1) *three*)))

(measuring ("lambdas for mapcar and reduce") (typed-mappers)
  ;; two calls for REDUCE, each binds A and B
  (chains `((typed-mappers mapcar) 3 ,(* 3 +cons+))
          `((typed-mappers mapcar (lambda :in typed-mappers))
            ,@(of-leaves 3))
          `((typed-mappers mapc typed-leaf) ,@(of-leaves 3))
          `((typed-mappers mapc compiled-leaf) 3 ,(* 3 +cons+))
          `((typed-mappers reduce (lambda :in typed-mappers))
            ,@(of-conses (+ 4 (b 4)))))
  (calls '(lambda :in typed-mappers) 5))

;;; SORT with a :KEY that allocates.  ECL merges lists: pairs first, two keys
;;; each, which makes 8.  Then each merge takes two keys, and one more for
;;; each element that it takes before one side is empty:
;;;   (1 3) and (4 8):          1, 3                    2 + 1
;;;   (5 9) and (2 6):          2, 5, 6                 2 + 2
;;;   (1 3 4 8) and (2 5 6 9):  1, 2, 3, 4, 5, 6, 8     2 + 6
;;; That is 23 calls of the key; and each of the 3 merges makes a cons.  Each
;;; key makes a cons and binds X.

(defvar *numbers* (list 3 1 4 8 5 9 2 6))

(eval '(defun typed-sort ()
        (sort *numbers* '< :key (lambda (x) (keep (cons x nil)) x))))

(measuring ("sort with a key") (typed-sort)
  (apply #'total (of-conses (+ 23 (b 23) 3)))
  (apply #'self '(lambda :in typed-sort) (of-leaves 23))
  (calls '(lambda :in typed-sort) 23)
  (self 'si::list-merge-sort 3 (* 3 +cons+))
  (apply #'arc 'typed-sort 'sort 1 (of-conses (+ 23 (b 23) 3))))

;;; Closures.

(eval '(defun typed-closures ()
        (let ((items nil))
          (list (lambda (x) (push x items))
                (lambda () (list* items))))))

(defvar *closures* (eval '(typed-closures)))

(defun call-closures ()
  (funcall (first *closures*) 2)
  (call-with (first *closures*) 3)
  (funcall (second *closures*)))

(measuring ("closures") (call-closures)
  (chains `((call-closures (lambda :in typed-closures)) ,@(of-leaves 1))
          `((call-closures call-with (lambda :in typed-closures))
            ,@(of-leaves 1)))
  (calls '(lambda :in typed-closures) 2))

;;; Three of each in turns.

(eval '(defun typed-1 (n) (compiled-1 n)))
(defun compiled-1 (n)
  (declare (notinline typed-2))
  (keep (cons n n))
  (typed-2 n))
(eval '(defun typed-2 (n) (compiled-2 n)))
(defun compiled-2 (n)
  (declare (notinline typed-3))
  (keep (cons n n))
  (typed-3 n))
(eval '(defun typed-3 (n) (compiled-3 n)))
(defun compiled-3 (n)
  (keep (cons n n)))

(measuring ("typed and compiled functions in turns") (typed-1 1)
  (chains `((typed-1) ,@(of-conses (b 1)))
          `((typed-1 compiled-1) 1 ,+cons+)
          `((typed-1 compiled-1 typed-2) ,@(of-conses (b 1)))
          `((typed-1 compiled-1 typed-2 compiled-2) 1 ,+cons+)
          `((typed-1 compiled-1 typed-2 compiled-2 typed-3)
            ,@(of-conses (b 1)))
          `((typed-1 compiled-1 typed-2 compiled-2 typed-3 compiled-3)
            1 ,+cons+)))

;;; Local functions, left by a jump that a cleanup form delays.

(eval '(defun typed-jumps (n)
        (flet ((jump (x)
                 (unwind-protect (throw 'out (cons x x))
                   (keep (compiled-leaf x))))
               (stay ()
                 (keep (compiled-leaf n))))
          (catch 'out (jump n))
          (stay))))

(measuring ("a jump out of a local function") (typed-jumps 1)
  ;; N, two local functions, and the frame of CATCH, which is kept like a
  ;; variable; JUMP and STAY are closures; since 24.5.10 only STAY is, of N
  (let ((jump '(flet jump :in typed-jumps))
        (stay '(flet stay :in typed-jumps)))
    (chains `((typed-jumps)
              ,@(by-release
                 (list 8 (+ (* 6 +cons+) (* 2 +interpreted-closure+)))
                 (list 4 (+ (* 2 +cons+) +interpreted-closure+
                            +vector+ +word+))))
            `((typed-jumps ,jump) ,@(of-leaves 1))
            `((typed-jumps ,jump compiled-leaf) 1 ,+cons+)
            `((typed-jumps ,stay compiled-leaf) 1 ,+cons+))))

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

;;; Values.

(eval '(defun typed-values ()
        (multiple-value-call #'list (values 1 2) (values 3))
        (multiple-value-list (floor 5 2))
        (multiple-value-prog1 (list 1) (list 2))))

(measuring ("multiple values") (typed-values)
  ;; the interpreter calls LIST for MULTIPLE-VALUE-LIST as well
  (chains `((typed-values) 2 ,(* 2 +cons+))
          `((typed-values list) 5 ,(* 5 +cons+))))

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

;;; A source file that is loaded.

(defvar *source* (namestring (ext:mkstemp "TMP:exact-")))

(with-open-file (out *source* :direction :output :if-exists :supersede)
  (with-standard-io-syntax
    (let ((*package* (find-package '#:exact)))
      (print '(in-package #:exact) out)
      (print '(defun from-source (x) (cons x (compiled-leaf x))) out)
      (print '(keep (from-source 1)) out)
      (print '(keep (mapcar (lambda (x) (cons x x)) *three*)) out))))

(measuring ("load of source" :residual nil) (load *source* :verbose nil)
  (apply #'self 'from-source (of-leaves 1))
  (arc 'from-source 'compiled-leaf 1 1 +cons+)
  (apply #'arc "(TOP-LEVEL-FORM)" 'from-source 1 (of-conses (+ 2 (b 1))))
  (apply #'arc "(TOP-LEVEL-FORM)" 'mapcar 1 (of-conses (+ 6 (b 3))))
  (apply #'arc 'mapcar "(LAMBDA)" 3 (of-leaves 3)))

(delete-file *source*)

(defun use-source ()
  (declare (notinline from-source))
  (from-source 1))

(measuring ("what was loaded") (use-source)
  (chains `((use-source from-source) ,@(of-leaves 1))
          `((use-source from-source compiled-leaf) 1 ,+cons+)))

;;; From here on only the chains with these functions are compared; others
;;; depend on the compiler's and the printer's caches.

(setf *dump-only* "EXACT::CHANGED")

;;; COMPILE in the middle: a variable is bound before, none after.

(eval '(defun changed (n) (cons n n)))

(defun compile-in-the-middle ()
  (declare (notinline changed))
  (keep (changed 1))
  (let ((*compile-verbose* nil)
        (*standard-output* (make-broadcast-stream)))
    (compile 'changed))
  (keep (changed 1))
  (keep (changed 1)))

(measuring ("compiled in the middle" :residual nil) (compile-in-the-middle)
  (apply #'self 'changed (of-conses (+ 3 (b 1))))
  (calls 'changed 3)
  (apply #'arc 'compile-in-the-middle 'changed 3 (of-conses (+ 3 (b 1))))
  (arc 'compile-in-the-middle 'compile 1))

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
  (arc 'apply 'traced-compiled 1 1 +cons+))

(untrace traced-typed traced-compiled)

(setf *dump-only* nil)

(measuring ("functions traced no longer") (call-traced)
  (chains `((call-traced traced-typed) ,@(of-leaves 1))
          `((call-traced traced-compiled) 1 ,+cons+)))
