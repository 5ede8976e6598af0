;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; declarations.lisp -- have CONS, LIST, ... compiled as visible calls.
;;;;
;;;; ECL's C compiler honours NOTINLINE.  Its byte-code compiler has instructions
;;;; for CONS, LIST and LIST*, and checks the patch's SI::*OUT-OF-LINE*.  Scopes:
;;;;
;;;;   lexical   COMPILER-LET for the one, LOCALLY for the other;
;;;;   file      the declarations of DECLAIM at compile time only: COMPILE-FILE
;;;;             binds the root of its environment, so they end with the file;
;;;;   global    PROCLAIM and SETF, when the form is evaluated or its source
;;;;             file is loaded.

(in-package #:mprof)

(defparameter *open-coded-allocators*
  '(cons list list* append butlast copy-seq make-array float coerce)
  "The functions of COMMON-LISP that make objects and that one of ECL's
compilers codes in line.")

(defvar *proclaimed* '()
  "The names that global forms have forced out of line.")

(defun check-out-of-line (names)
  "Return the elements of NAMES that can be forced out of line.  Warn about the
others."
  (loop for name in names
        for reason = (cond ((not (symbolp name)) "is not a symbol")
                           ((special-operator-p name)
                            "is a special operator, not a function")
                           ((macro-function name) "is a macro, not a function")
                           ((not (fboundp name))
                            "is not defined as a function"))
        if reason
          do (warn "OUT-OF-LINE: ~S ~A and is ignored." name reason)
        else
          collect name))

(defun proclaim-out-of-line (names)
  "Force NAMES out of line in all code compiled from now on."
  (proclaim `(notinline ,@names))
  (setf *proclaimed* (union *proclaimed* names)
        si::*out-of-line* (union si::*out-of-line* names)))

(defun retract-out-of-line ()
  "Undo PROCLAIM-OUT-OF-LINE."
  (dolist (name *proclaimed*)
    (si:rem-sysprop name 'notinline))
  (setf si::*out-of-line* (set-difference si::*out-of-line* *proclaimed*)
        *proclaimed* '()))

(defmacro out-of-line (&rest arguments &environment environment)
  "Compile allocation functions as calls, so that they appear in the tables: FOO
calls CONS, and CONS allocates.  There are three forms:

   (mprof:out-of-line)                   all functions that ECL codes in line
   (mprof:out-of-line cons list)         these functions
   (mprof:out-of-line (cons) BODY...)    these within BODY; () or T means all

In a compiled file, the first two forms affect the rest of that file; loading
the compiled file declares nothing.  At the REPL, or in a source file that is
loaded, they affect all code compiled, evaluated or defined from then on, until
(mprof:out-of-line :none).  The third form returns the values of BODY.

All means CONS, LIST, LIST*, APPEND, BUTLAST, COPY-SEQ, MAKE-ARRAY, FLOAT and
COERCE.  MAPCAR, AREF, the arithmetic functions, and your own functions that are
declared INLINE can be named.  Other functions are always calls.

Warns when a name cannot be forced out of line.

Example:

   (mprof:out-of-line (cons list)
     (defun pair (x) (list x (cons x x))))

Zorn and Hilfinger, \"A Memory Allocation Profiler for C and Lisp Programs\"
(1988), propose such declarations."
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
                         ;; in the rest of the file; the compiler is loaded late
                         (funcall (find-symbol "PROCESS-DECLAIM-ARGS" "C")
                                  '((notinline ,@names)))))
              (eval-when (:execute)
                (proclaim-out-of-line ',names))
              (values))))))

;;; COMPILE uses the source that a byte-compiled function keeps, without the
;;; forms around its definition.  So the definitions in the body get a
;;; declaration of their own, which the byte-code compiler ignores.

(defun declare-in-definition (form names)
  "Return FORM, a definition of a function, method or macro, with NAMES declared
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
  "Return FORM with NAMES declared NOTINLINE in each top-level definition."
  (loop
    (cond ((or (atom form) (eq (first form) 'out-of-line))
           ;; an inner form is expanded within the outer one
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
  "Return the expansion of OUT-OF-LINE with a list of NAMES around BODY."
  (when (null body)
    (error "OUT-OF-LINE with a list of names needs a body.~%~
            Write (mprof:out-of-line~@[ ~{~S~^ ~}~]) to declare globally."
           (if (eq names t) '() names)))
  (let ((names (if (or (null names) (eq names t))
                   *open-coded-allocators*
                   (check-out-of-line names))))
    ;; ECL's byte-code compiler does not evaluate the values of COMPILER-LET.
    ;; So the list is made here, from the names in force around this form.
    (let ((all (union names si::*out-of-line*)))
      `(ext:with-backend
         :bytecodes (ext:compiler-let ((si::*out-of-line* ,all))
                      ,@(loop for form in body
                              collect (declare-in-definitions form all
                                                              environment)))
         :c/c++ (locally (declare (notinline ,@names))
                  ,@body)))))
