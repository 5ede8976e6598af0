;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; declarations.lisp -- have CONS, LIST, ... coded as calls, which show.
;;;;
;;;; Two compilers, two ways to say it.  The C compiler of ECL knows NOTINLINE;
;;;; the byte-code compiler, which has instructions for CONS, LIST and LIST*,
;;;; looks at SI::*OUT-OF-LINE* of the patched ECL.  Scopes:
;;;;
;;;;   lexical   COMPILER-LET for the one, LOCALLY for the other;
;;;;   file      the declarations of DECLAIM at compile time only: COMPILE-FILE
;;;;             binds the root of its environment, so they end with the file;
;;;;   global    PROCLAIM and SETF, when the form is evaluated or its source
;;;;             file is loaded.

(in-package #:mprof)

;;; What ECL 21.2.1 codes in line: DEF-INLINE and DEFINE-COMPILER-MACRO in its
;;; C compiler, C_CONS, C_LIST and C_LISTA in the other one.

(defparameter *open-coded-allocators*
  '(cons list list* append butlast copy-seq make-array float coerce)
  "The functions of COMMON-LISP that make objects and that one of ECL's
compilers codes in line.")

(defparameter *open-coded-others*
  '(mapcar maplist mapcan mapcon vector-push-extend copy-readtable
    + - * / 1+ 1- expt sqrt exp log sin cos tan sinh cosh tanh abs
    floor ceiling round truncate mod rem
    ash logand logior logxor logeqv lognand lognor lognot logandc1 logandc2
    logorc1 logorc2 boole ldb dpb mask-field deposit-field
    aref row-major-aref elt)
  "Functions that ECL codes in line and that allocate among other things, often
a float or a bignum for their result; forced out of line when they are named.")

(defparameter *called-anyway*
  '(vector make-list make-sequence make-string copy-list copy-alist copy-tree
    reverse revappend subseq concatenate complex)
  "Functions that make objects and that neither compiler codes in line: there is
nothing to force, and nothing to warn of.")

(defvar *proclaimed* '()
  "The names that global forms have forced out of line.")

(defun why-in-line (name)
  "Why NAME cannot be forced out of line, a string; NIL when it can."
  (cond ((not (symbolp name)) "is no symbol")
        ((special-operator-p name) "is a special operator, not a function")
        ((macro-function name) "is a macro, not a function")
        ((not (fboundp name)) "is not defined as a function")
        ((and (eq (symbol-package name) (find-package '#:common-lisp))
              (not (member name *open-coded-allocators*))
              (not (member name *open-coded-others*))
              (not (member name *called-anyway*)))
         "is not among the allocating functions that ECL codes in line")))

(defun check-out-of-line (names)
  "The elements of NAMES that can be forced out of line; warns of the others."
  (loop for name in names
        for reason = (why-in-line name)
        if reason
          do (warn "OUT-OF-LINE: ~S ~A; it stays as it is." name reason)
        else
          collect name))

(defun declare-in-file (names)
  "Force NAMES out of line in the rest of the file that is being compiled."
  ;; Looked up late: the compiler is loaded on demand.
  (funcall (find-symbol "PROCESS-DECLAIM-ARGS" "C") `((notinline ,@names))))

(defun proclaim-out-of-line (names)
  "Force NAMES out of line in all that is compiled from now on."
  (proclaim `(notinline ,@names))
  (setf *proclaimed* (union *proclaimed* names)
        si::*out-of-line* (union si::*out-of-line* names)))

(defun retract-out-of-line ()
  "Take back what PROCLAIM-OUT-OF-LINE did."
  (dolist (name *proclaimed*)
    (si:rem-sysprop name 'notinline))
  (setf si::*out-of-line* (set-difference si::*out-of-line* *proclaimed*)
        *proclaimed* '()))

(defmacro out-of-line (&rest arguments &environment environment)
  "Have allocation functions coded as calls, so that they show in the tables:
FOO calls CONS, and CONS allocates.  Three forms:

   (mprof:out-of-line)                   all that ECL codes in line
   (mprof:out-of-line cons list)         these
   (mprof:out-of-line (cons) BODY...)    these in BODY; () or T means all

In a file that is compiled the first two hold for the rest of the file and no
further; loading the compiled file declares nothing.  Typed at the REPL or in a
source file that is loaded they hold for all that is compiled, evaluated or
defined from then on, until (mprof:out-of-line :none).  Code that is compiled
already does not change.  The third form gives back the values of BODY.

All means CONS, LIST, LIST*, APPEND, BUTLAST, COPY-SEQ, MAKE-ARRAY, FLOAT and
COERCE; other functions of Common Lisp that make objects, such as VECTOR, are
calls anyway.  Functions such as MAPCAR, AREF and the arithmetic ones, and
functions of your own that are declared INLINE, can be named.

Warns when a name cannot be forced out of line.

Example:

   (mprof:out-of-line (cons list)
     (defun pair (x) (list x (cons x x))))

The declarations are those that Zorn and Hilfinger, \"A Memory Allocation
Profiler for C and Lisp Programs\" (1988), ask for."
  (cond ((and arguments (or (listp (first arguments))
                            (eq (first arguments) t)))
         (lexical-form (first arguments) (rest arguments) environment))
        ((equal arguments '(:none))
         `(eval-when (:compile-toplevel :load-toplevel :execute)
            (retract-out-of-line)
            (values)))
        (t
         (let ((names (if arguments
                          (check-out-of-line arguments)
                          *open-coded-allocators*)))
           `(progn
              (ext:with-backend
                :c/c++ (eval-when (:compile-toplevel)
                         (declare-in-file ',names)))
              (eval-when (:execute)
                (proclaim-out-of-line ',names))
              (values))))))

;;; COMPILE works from the source that a byte-compiled function keeps, and a
;;; form around the definition is no part of that.  So the definitions in the
;;; body get a declaration of their own, which the byte-code compiler does not
;;; look at.

(defun declare-in-definition (form names)
  "FORM, a definition of a function, method or macro, with NAMES declared
NOTINLINE in it."
  (let ((lambda-list (position-if #'listp form
                                  ;; a function's name can be a list
                                  :start 2)))
    (if lambda-list
        (append (subseq form 0 (1+ lambda-list))
                `((declare (notinline ,@names)))
                (subseq form (1+ lambda-list)))
        form)))

(defun declare-in-definitions (form names environment)
  "FORM with NAMES declared NOTINLINE in each definition at its top level."
  (loop
    (cond ((or (atom form) (eq (first form) 'out-of-line))
           ;; an inner form has its turn when the outer one is in force
           (return form))
          ((member (first form) '(defun defmethod defmacro))
           (return (declare-in-definition form names)))
          ((eq (first form) 'progn)
           (return `(progn ,@(loop for inner in (rest form)
                                   collect (declare-in-definitions
                                            inner names environment)))))
          (t
           (multiple-value-bind (expansion expanded-p)
               (macroexpand-1 form environment)
             (if expanded-p
                 (setf form expansion)
                 (return form)))))))

(defun lexical-form (names body environment)
  "The expansion of OUT-OF-LINE with a list of NAMES around BODY."
  (when (null body)
    (error "OUT-OF-LINE with a list of names takes a body.~%~
            Write (mprof:out-of-line~@[ ~{~S~^ ~}~]) to declare globally."
           (if (eq names t) '() names)))
  (let ((names (if (or (null names) (eq names t))
                   *open-coded-allocators*
                   (check-out-of-line names))))
    ;; ECL's byte-code compiler takes the values of COMPILER-LET as they stand,
    ;; unevaluated; so the list is made here, of what holds around this form.
    (let ((all (union names si::*out-of-line*)))
      `(ext:with-backend
         :bytecodes (ext:compiler-let ((si::*out-of-line* ,all))
                      ,@(loop for form in body
                              collect (declare-in-definitions form all
                                                              environment)))
         :c/c++ (locally (declare (notinline ,@names))
                  ,@body)))))
