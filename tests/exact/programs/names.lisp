;;;; variants: compiled bytecode
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; What functions are called.  Local functions, lambdas and closures are named
;;;; after the outermost function or definition that they are in, at any
;;;; nesting, by both compilers.  Functions without a name, in forms at top
;;;; level, are named after what the form defines, or else after the file.  The
;;;; byte-code compiler knows no file.  random/ has the plain cases.
;;;;
;;;; What the interpreter makes besides, for variables and local functions, is
;;;; in harness.lisp.

(in-package #:exact)

;;; A .fas that is made of many files, as the compiler's is, and is loaded while
;;; counting: each file says the names of its functions when it begins to run, so
;;; the later ones come when the .fas is known already.  Only where the compiler is
;;; not there yet.

;; What the compiler allocates depends on what it has in its caches.
(setf *dump-only* "nothing")

(defun c-name-p (name)
  "Whether NAME is one that the compiler makes for C, such as L32compile."
  (let ((start (mismatch "LC" name)))
    (and start
         (<= 1 start 2)
         (< start (length name))
         (digit-char-p (char name start)))))

(when (eq *variant* :bytecode)
  (measuring ("the compiler is loaded, then used" :residual nil)
      (keep (funcall (compile nil '(lambda (x) (list x x))) 1))
    (check "no C names" '()
           (remove-if-not #'c-name-p
                          (mapcar (mprof.data:reader :name)
                                  (mprof.data:figure :functions *profile*))))
    (calls "COMPILE" 1)
    (arc "COMPILE" "C::SAFE-MKSTEMP" 1)))

(setf *dump-only* nil)

(defun chains-by-variant (compiled bytecode newer)
  "NEWER are those of byte-compiled code in 24.5.10."
  (apply #'chains (by-variant compiled (by-release bytecode newer))))

(defun newer-closure (n)
  "The bytes of a closure of N variables and its vector in 24.5.10."
  (+ +interpreted-closure+ +vector+ (* n +word+)))

;;; Functions that are defined in a LET keep their own names.

(let ((items nil))
  (defun in-let (x)
    (push x items))
  (defun in-let-with-flet (x)
    (flet ((f () (push x items)))
      (f)
      (f)))
  (defun (setf in-let) (x)
    (let ((f (lambda () (push x items))))
      (funcall f)
      (funcall f))))

(defun use-in-let ()
  (in-let 1)
  (in-let-with-flet 1)
  (funcall #'(setf in-let) 3))

(measuring ("functions defined in a let") (use-in-let)
  (let ((f '(flet f :in in-let-with-flet))
        (lambda '(lambda :in (setf in-let))))
    (conses-of 'use-in-let 'in-let 1 (+ 1 (v 1)))
    (conses-of 'in-let-with-flet f 2 2)
    (conses-of '(setf in-let) lambda 2 2)
    (no-arc 'use-in-let f)))

;;; In macros, when they are expanded; and the functions of MACROLET.  The
;;; interpreter binds X, the form, its rest and the environment.

(defmacro a-macro (x)
  (flet ((f () (list 'quote (list x))))
    (declare (notinline f))
    (f)))

(defvar *form* '(a-macro 3))

(defun expand ()
  (keep (macroexpand-1 *form*)))

(measuring ("in macros") (expand)
  (let* ((macro '(expand macroexpand-1 (macro-function a-macro)))
         (f (append macro '((flet f :in (macro-function a-macro))))))
    (chains-by-variant
     `((,f 1 ,+cons+)
       ((,@f list) 2 ,(* 2 +cons+)))
     `((,macro 10 ,(+ (* 9 +cons+) +interpreted-closure+))
       (,f 3 ,(* 3 +cons+)))
     `((,macro 6 ,(+ (* 4 +cons+) (newer-closure 1)))
       (,f 3 ,(* 3 +cons+))))))

(defvar *form-with-macrolet*
  '(macrolet ((twice (x) (list 'progn x x)))
    (twice nil)))

(measuring ("macrolet" :residual nil) (eval *form-with-macrolet*)
  ;; LIST, and the variables as above
  (self '(macro-function twice) (+ 3 (b 4)) (* (+ 3 (b 4)) +cons+))
  (calls '(macro-function twice) 1))

;;; In top-level forms the name is that of the file, if the file is compiled.

(flet ((f () (cons 1 1)))
  (declare (notinline f))
  (defun calls-top-flet () (keep (f))))

(defvar *top-lambda*
  (lambda ()
    (flet ((g () (cons 1 1)))
      (declare (notinline g))
      (keep (g)))))

(defun use-top-lambda ()
  (calls-top-flet)
  (funcall *top-lambda*))

(measuring ("in top-level forms") (use-top-lambda)
  (chains-by-variant
   `(((use-top-lambda calls-top-flet "(FLET EXACT::F :IN (LOAD \"names.lisp\"))")
      1 ,+cons+)
     ((use-top-lambda (lambda :in (defvar *top-lambda*))
       (flet g :in (lambda :in (defvar *top-lambda*))))
      1 ,+cons+))
   `(((use-top-lambda calls-top-flet (flet f)) 1 ,+cons+)
     ((use-top-lambda (lambda :in (defvar *top-lambda*))) 1 ,+cons+)
     ((use-top-lambda (lambda :in (defvar *top-lambda*))
       (flet g :in (lambda :in (defvar *top-lambda*))))
      1 ,+cons+))
   `(((use-top-lambda calls-top-flet (flet f)) 1 ,+cons+)
     ((use-top-lambda (lambda :in (defvar *top-lambda*))
       (flet g :in (lambda :in (defvar *top-lambda*))))
      1 ,+cons+))))

;;; One in each kind of definition.

(defvar *variable* (lambda () (keep (cells 1))))
(defparameter *parameter* (list (lambda () (keep (cells 2)))))

(defstruct (record (:print-function
                    (lambda (record stream depth)
                      (declare (ignore depth))
                      (keep (cells 3))
                      (write-char #\r stream)
                      record)))
  (field ((lambda () (keep (cells 4))))))

(defclass thing ()
  ((slot :initform (cells 5) :accessor slot-of)))

(deftype three-conses ()
  (keep (cells 3))
  'integer)

(define-compiler-macro unused ()
  (keep (cells 6))
  nil)

(defmacro define-worker (name &body body)
  "Not one of Lisp's definitions, and one that defines by other means."
  `(progn
     (setf (get ',name 'worker) (lambda () ,@body))
     (defvar *unused* nil)))

(define-worker seventh (keep (cells 7)))

(progn
  (defvar *within* (lambda () (keep (cells 8)))))

(defun call-each ()
  (funcall *variable*)
  (funcall (first *parameter*))
  (funcall 'typep 1 'three-conses)
  (funcall (compiler-macro-function 'unused) '(unused) nil)
  (funcall (get 'seventh 'worker))
  (funcall *within*))

(measuring ("functions in definitions" :residual 0) (call-each)
  (conses '(lambda :in (defvar *variable*)) 1)
  (conses '(lambda :in (defparameter *parameter*)) 2)
  ;; the form, its arguments; the environment
  (conses '(deftype three-conses) (+ 3 (by-release (v 2) (v 3))))
  (calls '(lambda :in (define-compiler-macro unused)) 1)
  (conses '(lambda :in (define-worker seventh)) 7)
  (conses '(lambda :in (defvar *within*)) 8))

(defvar *record* (make-record))

(measuring ("printer of a structure" :residual nil)
    (write-to-string *record*)
  (calls '(lambda :in (defstruct record)) 1))

(measuring ("initial value of a slot" :residual nil)
    (slot-of (make-instance 'thing))
  (self '(lambda :in (defclass thing)) 5 (* 5 +cons+)))

;;; Functions of one name in two packages, and a name that needs bars.

(defpackage #:other (:use))

(defun other::one (x) (cons x nil))
(defun one (x) (cons x x))
(defun |lower Case| (x) (cons x nil))

(defun call-both ()
  (keep (one 1))
  (keep (one 2))
  (keep (other::one 3))
  (keep (|lower Case| 4)))

(measuring ("one name in two packages, and bars") (call-both)
  (conses "EXACT::ONE" (+ 2 (v 2)))
  (conses "OTHER::ONE" (+ 1 (v 1)))
  (conses "EXACT::|lower Case|" (+ 1 (v 1))))
