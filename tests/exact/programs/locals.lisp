;;;; variants: compiled bytecode
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Local functions, lambdas and closures are named after the outermost
;;;; function or definition that they are in, at any nesting, by both compilers.
;;;;
;;;; What the interpreter makes besides, for variables and local functions, is
;;;; in harness.lisp.  LABELS are always closures in 21.2.1.

(in-package #:exact)

(defun chains-by-variant (compiled bytecode newer)
  "NEWER are those of byte-compiled code in 24.5.10."
  (apply #'chains (by-variant compiled (by-release bytecode newer))))

(defun newer-closure (n)
  "The bytes of a closure of N variables and its vector in 24.5.10."
  (+ +interpreted-closure+ +vector+ (* n +word+)))

(defun with-flet ()
  (flet ((f () (cons 1 1))
         (g () (cons 2 2)))
    (declare (notinline f g))
    (keep (f))
    (keep (g))
    (keep (g))))

(measuring ("two functions of one flet") (with-flet)
  (chains-by-variant
   `(((with-flet (flet f :in with-flet)) 1 ,+cons+)
     ((with-flet (flet g :in with-flet)) 2 ,(* 2 +cons+)))
   `(((with-flet) 2 ,(* 2 +cons+))
     ((with-flet (flet f :in with-flet)) 1 ,+cons+)
     ((with-flet (flet g :in with-flet)) 2 ,(* 2 +cons+)))
   `(((with-flet (flet f :in with-flet)) 1 ,+cons+)
     ((with-flet (flet g :in with-flet)) 2 ,(* 2 +cons+)))))

;;; UP is called with 0, 1, 2 and 3, when it ends; DOWN with 1, 2 and 3.
;;; Deeper levels of a recursion are folded into its second.  Each call binds
;;; N.

(defun with-labels-in-turns ()
  (labels ((up (n) (if (= n 3) nil (cons n (down (1+ n)))))
           (down (n) (cons n (up n))))
    (keep (up 0))))

(measuring ("labels that call each other") (with-labels-in-turns)
  (let ((up '(labels up :in with-labels-in-turns))
        (down '(labels down :in with-labels-in-turns)))
    (chains-by-variant
     `(((with-labels-in-turns ,up) 1 ,+cons+)
       ((with-labels-in-turns ,up ,down) 1 ,+cons+)
       ((with-labels-in-turns ,up ,down ,up) 2 ,(* 2 +cons+))
       ((with-labels-in-turns ,up ,down ,up ,down) 2 ,(* 2 +cons+)))
     `(((with-labels-in-turns)
        4 ,(+ (* 2 +cons+) (* 2 +interpreted-closure+)))
       ((with-labels-in-turns ,up) 3 ,(* 3 +cons+))
       ((with-labels-in-turns ,up ,down) 3 ,(* 3 +cons+))
       ((with-labels-in-turns ,up ,down ,up) 8 ,(* 8 +cons+))
       ((with-labels-in-turns ,up ,down ,up ,down) 6 ,(* 6 +cons+)))
     `(((with-labels-in-turns) 4 ,(* 2 (newer-closure 1)))
       ((with-labels-in-turns ,up) 2 ,(* 2 +cons+))
       ((with-labels-in-turns ,up ,down) 2 ,(* 2 +cons+))
       ((with-labels-in-turns ,up ,down ,up) 5 ,(* 5 +cons+))
       ((with-labels-in-turns ,up ,down ,up ,down) 4 ,(* 4 +cons+))))
    (calls up (by-variant 3 4))
    (calls down 3)
    (arc down up (by-variant 2 3))))

;;; Five levels.  OUTER is called twice, INNER by each of these twice, the
;;; lambda by each of these twice, INNERMOST by each of these twice.

(defun nested ()
  (flet ((outer ()
           (labels ((inner ()
                      (let ((f (lambda ()
                                 (flet ((innermost () (cons 1 1)))
                                   (keep (innermost))
                                   (keep (innermost))))))
                        (keep (cons 2 2))
                        (funcall f)
                        (funcall f))))
             (keep (cons 3 3))
             (inner)
             (inner))))
    (outer)
    (outer)))

(measuring ("local functions in local functions") (nested)
  (let* ((outer '(nested (flet outer :in nested)))
         (inner (append outer '((labels inner :in nested))))
         (lambda (append inner '((lambda :in nested))))
         (innermost (append lambda '((flet innermost :in nested)))))
    (chains-by-variant
     `((,outer 2 ,(* 2 +cons+))
       (,inner 8 ,(* 4 (+ +compiled-function+ +cons+)))
       (,innermost 16 ,(* 16 +cons+)))
     `(((nested) 1 ,+cons+)
       (,outer 6 ,(* 2 (+ +interpreted-closure+ (* 2 +cons+))))
       (,inner 16 ,(* 4 (+ +interpreted-closure+ (* 3 +cons+))))
       (,lambda 16 ,(* 8 (+ +interpreted-closure+ +cons+)))
       (,innermost 16 ,(* 16 +cons+)))
     ;; F is the one variable, and none is captured
     `((,outer 2 ,(* 2 +cons+))
       (,inner 8 ,(* 8 +cons+))
       (,innermost 16 ,(* 16 +cons+))))
    (calls '(flet outer :in nested) 2)
    (calls '(labels inner :in nested) 4)
    (calls '(lambda :in nested) 8)
    (calls '(flet innermost :in nested) 16)))

;;; Local functions of one name in one function are one function.

(defun same-names ()
  (flet ((same () (cons 1 1)))
    (keep (same))
    (keep (same)))
  (flet ((same () (cons 2 2)))
    (keep (same))
    (keep (same)))
  (labels ((same () (cons 3 3)))
    (keep (same))
    (keep (same))))

(measuring ("local functions of one name") (same-names)
  (chains-by-variant
   `(((same-names (flet same :in same-names)) 4 ,(* 4 +cons+))
     ((same-names (labels same :in same-names)) 2 ,(* 2 +cons+)))
   `(((same-names) 4 ,(+ (* 3 +cons+) +interpreted-closure+))
     ((same-names (flet same :in same-names)) 4 ,(* 4 +cons+))
     ((same-names (labels same :in same-names)) 2 ,(* 2 +cons+)))
   `(((same-names (flet same :in same-names)) 4 ,(* 4 +cons+))
     ((same-names (labels same :in same-names)) 2 ,(* 2 +cons+)))))

;;; Closures, one of which makes another; they are called long after the
;;; function that they are named after has returned.

(defun make-closures (n)
  (let ((items nil))
    (list (lambda (x) (push x items) (push n items))
          (lambda () (lambda (y) (push y items))))))

(defvar *closures* (make-closures 1))

(defun use-closures ()
  (funcall (first *closures*) 1)
  (let ((f (funcall (second *closures*))))
    (funcall f 1)
    (funcall f 2)))

(measuring ("closures in closures") (use-closures)
  (let ((lambda '(use-closures (lambda :in make-closures))))
    (chains-by-variant
     `((,lambda 5 ,(+ (* 4 +cons+) +closure+)))
     `(((use-closures) 2 ,(* 2 +cons+))
       (,lambda 11 ,(+ (* 10 +cons+) +interpreted-closure+)))
     `(((use-closures) 1 ,+cons+)
       (,lambda 9 ,(+ (* 7 +cons+) (newer-closure 1)))))
    (calls '(lambda :in make-closures) 4)))

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
    (self 'in-let (+ 1 (v 1)) (* (+ 1 (v 1)) +cons+))
    (self f 2 (* 2 +cons+))
    (self lambda 2 (* 2 +cons+))
    (arc 'use-in-let 'in-let 1)
    (arc 'in-let-with-flet f 2 2 (* 2 +cons+))
    (arc '(setf in-let) lambda 2 2 (* 2 +cons+))
    (no-arc 'use-in-let f)))

;;; In methods, with their qualifiers and specializers, and SETF methods.

(defvar *two* (list 1 2))

(defgeneric count-up (x))

(defmethod count-up ((x integer))
  (flet ((f () (cons x x)))
    (declare (notinline f))
    (keep (f)))
  (let ((f (lambda (i) (keep (cons i x)))))
    (dolist (i *two*)
      (funcall f i))))

(defmethod count-up :around ((x integer))
  (flet ((f () (cons x x)))
    (declare (notinline f))
    (keep (f))
    (keep (f)))
  (call-next-method))

(defgeneric (setf count-up) (value x))

(defmethod (setf count-up) (value (x integer))
  (labels ((f (n) (if (zerop n) nil (cons value (f (1- n))))))
    (keep (f 3))))

(defun use-methods ()
  (count-up 1)
  (funcall #'(setf count-up) 2 1))

(use-methods)                           ; fills the caches

(measuring ("in methods") (use-methods)
  (let* ((primary '(method count-up (integer)))
         (around '(method count-up :around (integer)))
         (setf '(method (setf count-up) (t integer)))
         (each (+ 1 (v 1))))
    (arc primary `(flet f :in ,primary) 1 1 +cons+)
    (arc primary `(lambda :in ,primary) 2 (* 2 each) (* 2 each +cons+))
    (arc around `(flet f :in ,around) 2 2 (* 2 +cons+))
    (self `(flet f :in ,primary) 1 +cons+)
    (self `(lambda :in ,primary) (* 2 each) (* 2 each +cons+))
    (self `(flet f :in ,around) 2 (* 2 +cons+))
    (self `(labels f :in ,setf)
          (+ 3 (v 4)) (* (+ 3 (v 4)) +cons+))
    (arc setf `(labels f :in ,setf) 1)))

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
   `(((use-top-lambda calls-top-flet "(FLET EXACT::F :IN (LOAD \"locals.lisp\"))")
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

;;; In the initial value of a slot.

(defstruct (pair (:constructor make-pair
                     (x &optional (y (let ((f (lambda () (list x))))
                                       (keep (funcall f))
                                       (funcall f))))))
  x y)

(defun use-structure ()
  (keep (make-pair 1)))

(measuring ("in the constructor of a structure") (use-structure)
  (self '(lambda :in make-pair) 2 (* 2 +cons+))
  (arc 'make-pair '(lambda :in make-pair) 2)
  (arc 'use-structure 'make-pair 1))
