;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; region.lisp -- named regions: parts of a program with figures of their own.
;;;;
;;;; Entering and leaving a region allocates nothing and does not appear in call
;;;; chains, so all other figures stay the same, unless its name is made anew.

(in-package #:mprof)

(defun region-name (name)
  "Return the name of the region NAME, a symbol or a string, as a string."
  (typecase name
    (string name)
    (symbol (string-downcase name))
    (t (fail "~S is not the name of a region; use a symbol or a string"
             name))))

(defmacro with-region (&whole form &optional names &body body)
  "Run BODY as a region of the program, and return its values.

NAMES (a list of one form; its value is a string, or a symbol, which stands for
its name in lower case): the name in reports.  Regions nest: the figures of a
region are included in those of the enclosing region, and the same name within
two regions makes two regions.  Each thread starts outside all regions.  At most
4095 regions are distinguished, nested at most 64 deep, in paths of 199 bytes;
any others count as part of the region around them.

The table REGIONS shows how often each region was entered, how long it was
active, and what was allocated in it.  (mprof:report :region \"^parse\")
restricts all tables to it.  A region has no effect in a thread that was never
counted, so start counting first.  Entering and leaving takes some microseconds,
and allocates nothing if the name is constant, else some 60 bytes (a label 300).

Example:

   (mprof:with-profiling (:report :regions)
     (mprof:with-region (:parse) (parse-all))
     (mprof:with-region (:emit) (emit-all)))

Signals MPROF-ERROR if the name is neither a symbol nor a string."
  (check-head (and (consp names) (null (rest names)))
              form "a name in parentheses, as (:parse),")
  (let ((variable (gensym "ARGUMENTS"))
        (arguments `(list (octets-of (region-name ,@names))))
        (constant-p (constantp (first names))))
    `(let ,(if constant-p '() `((,variable ,arguments)))
       (protected (region-begin ,(if constant-p
                                     `(load-time-value ,arguments)
                                     variable))
                  (locally ,@body)
                  (region-end)))))

(defmacro with-labels (&whole form &optional labels &body body)
  "Run BODY with LABELS on what it allocates, and return its values.

LABELS (keys and values in turn): keys are symbols or strings; values are
evaluated, and anything that PRINC prints.  Labels are regions called
key=value, and nest as these do.  Of more than 3000 values the rest counts as
[other].  (mprof:report :label \"request=/login\") restricts all tables to a
label, whose value is a regular expression; the table REGIONS shows all.
A value that is not constant is made into a string, charged to the caller.

Example:

   (mprof:with-labels (:request path :user 17) (answer path))

Signals MPROF-ERROR if a key is neither a symbol nor a string."
  (check-head (and (listp labels) (evenp (length labels)) body)
              form "a list of labels and values, as (:user 17),")
  (if (null labels)
      `(locally ,@body)
      (destructuring-bind (key value &rest more) labels
        `(with-region (,(if (constantp value)
                            (label-name key (eval value))
                            `(label-name ',key ,value)))
           (with-labels ,more ,@body)))))

(defun label-name (key value)
  "Return the name of the region that is the label KEY with VALUE."
  (concatenate 'string (region-name key) "="
               (if (stringp value) value (princ-to-string value))))

(defun with-same-labels (function)
  "Return a function that calls FUNCTION, in any thread, with the labels and in
the regions of the calling thread as it is now.

Example:

   (mp:process-run-function \"helper\"
                            (mprof:with-same-labels (lambda () (work))))"
  (let ((number (list (region))))
    (lambda (&rest arguments)
      (protected (region-resume number)
                 (apply function arguments)
                 (region-end)))))
