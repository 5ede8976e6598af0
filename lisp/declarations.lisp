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

(defun names-out-of-line (names)
  "Return the elements of NAMES that can be forced out of line, and warn about
the others; for () or T, the functions of COMMON-LISP that make objects and that
one of ECL's compilers codes in line."
  (if (member names '(() t))
      '(cons list list* append butlast copy-seq make-array float coerce)
      (loop for name in names
            for reason = (cond ((not (symbolp name)) "is not a symbol")
                               ((special-operator-p name)
                                "is a special operator, not a function")
                               ((macro-function name)
                                "is a macro, not a function")
                               ((not (fboundp name))
                                "is not defined as a function"))
            if reason
              do (warn "OUT-OF-LINE: ~S ~A and is ignored." name reason)
            else
              collect name)))

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
  (cond ((and arguments (typep (first arguments) '(or list (eql t))))
         (lexical-form (first arguments) (rest arguments) environment))
        ((equal arguments '(:none))
         `(eval-when (:compile-toplevel :load-toplevel :execute)
            (dolist (name (shiftf si::*out-of-line* '()))
              (si:rem-sysprop name 'notinline))
            (values)))
        (t
         (let ((names (names-out-of-line arguments)))
           `(progn
              (ext:with-backend
                :c/c++ (eval-when (:compile-toplevel)
                         ;; in the rest of the file; the compiler is loaded late
                         (funcall (find-symbol "PROCESS-DECLAIM-ARGS" "C")
                                  '((notinline ,@names)))))
              (eval-when (:execute)
                (proclaim '(notinline ,@names))
                (setf si::*out-of-line* (union si::*out-of-line* ',names)))
              (values))))))

;;; COMPILE uses the source that a byte-compiled function keeps, without the
;;; forms around its definition.  So the definitions in the body get a
;;; declaration of their own, which the byte-code compiler ignores.

(defun declare-in-definitions (form names environment)
  "Return FORM with NAMES declared NOTINLINE in each top-level definition."
  (cond ((or (atom form) (eq (first form) 'out-of-line))
         form)                          ; an inner form is expanded within
        ((member (first form) '(defun defmethod defmacro))
         (let ((end (position-if #'listp form :start 2))) ; not a name
           (if end
               `(,@(subseq form 0 (1+ end)) (declare (notinline ,@names))
                 ,@(subseq form (1+ end)))
               form)))
        ((eq (first form) 'progn)
         `(progn ,@(loop for inner in (rest form)
                         collect (declare-in-definitions inner names
                                                         environment))))
        (t
         (multiple-value-bind (expansion expanded-p)
             (macroexpand-1 form environment)
           (if expanded-p
               (declare-in-definitions expansion names environment)
               form)))))

(defun lexical-form (names body environment)
  "Return the expansion of OUT-OF-LINE with a list of NAMES around BODY."
  (when (null body)
    (error "OUT-OF-LINE with a list of names needs a body.~%~
            Write (mprof:out-of-line~@[ ~{~S~^ ~}~]) to declare globally."
           (if (eq names t) '() names)))
  ;; ECL's byte-code compiler does not evaluate the values of COMPILER-LET.
  ;; So the list is made here, from the names in force around this form.
  (let* ((names (names-out-of-line names))
         (all (union names si::*out-of-line*)))
    `(ext:with-backend
       :bytecodes (ext:compiler-let ((si::*out-of-line* ,all))
                    ,@(loop for form in body
                            collect (declare-in-definitions form all
                                                            environment)))
       :c/c++ (locally (declare (notinline ,@names))
                ,@body))))
