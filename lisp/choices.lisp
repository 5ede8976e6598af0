;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; choices.lisp -- what to show of a profile: keywords as the options of the
;;;; command mprof, which the C library behind it understands.

(in-package #:mprof)

(defparameter *tables*
  '((:phases . "phases") (:threads . "threads") (:bins . "bins")
    (:direct . "direct") (:flat . "direct") (:graph . "graph")
    (:types . "types") (:type-functions . "type-functions")
    (:function-types . "function-types") (:leaks . "leaks")
    (:reconciliation . "reconciliation"))
  "The tables that REPORT knows and what the command mprof calls them.")

(defun tables-option (type)
  "A list of no or one option of `mprof report' for REPORT's argument TYPE."
  (if (eq type t)
      '()
      (list (format nil "--tables=~{~A~^,~}"
                    (loop for table in (if (listp type) type (list type))
                          collect (or (cdr (assoc table *tables*))
                                      (error 'mprof-error :reason
                                             (unknown-table table))))))))

(defun unknown-table (table)
  "What is wrong with TABLE, which is not in *TABLES*."
  (format nil "there is no table ~S; there are ~{~S~^, ~} and T for all" table
          (mapcar #'car *tables*)))

(defun words-option (name words value)
  "The option NAME with VALUE, one of WORDS or a list of these, as strings;
WORDS is an association list of keywords and strings."
  (format nil "--~A=~{~A~^,~}" name
          (loop for keyword in (if (listp value) value (list value))
                collect (or (cdr (assoc keyword words))
                            (error 'mprof-error :reason
                                   (format nil "~S is none of ~{~S~^, ~}"
                                           keyword (mapcar #'car words)))))))

(defparameter *choices*
  `((:detail ,(lambda (value) (format nil "--~(~A~)" value))
             (member :normal :verbose :terse))
    (:max "limit")
    (:min-percent ,(lambda (value) (format nil "--min-percent=~,4F" value))
                  real)
    (:sort-by ,(lambda (value)
                 (words-option "sort" '((:bytes . "bytes")
                                        (:allocations . "allocs")
                                        (:name . "name"))
                               value)))
    (:focus "focus") (:ignore "ignore") (:hide "hide") (:thread "thread")
    (:by ,(lambda (value)
            (words-option "by" '((:function . "function") (:line . "line")
                                 (:file . "file") (:package . "package")
                                 (:class . "class"))
                          value)))
    (:phase ,(lambda (value)
               (words-option "phase" '((:compile . "compile") (:load . "load")
                                       (:eval . "eval") (:run . "run"))
                             value)))
    (:hide-system "hide-system" boolean)
    (:show-runtime "show-runtime" boolean)
    (:show-root "show-root" boolean)
    (:offsets "offsets" boolean)
    (:width "width"))
  "What the keywords of REPORT and PROFILE are as options of the command mprof:
(KEYWORD OPTION [TYPE]).  OPTION is the option's name, or a function that makes
all of it from the value; an option of type BOOLEAN has no value.")

(defun choice-option (keyword value)
  "The option of the command mprof that KEYWORD with VALUE, not NIL, stands
for; a string."
  (destructuring-bind (option &optional (type t))
      (or (cdr (assoc keyword *choices*))
          (error 'mprof-error :reason
                 (format nil "there is no choice ~S; there are ~{~S~^, ~}"
                         keyword (mapcar #'car *choices*))))
    (cond ((eq type 'boolean) (format nil "--~A" option))
          ((not (typep value type))
           (error 'mprof-error :reason
                  (format nil "~S makes no sense for ~S" value keyword)))
          ((stringp option) (format nil "--~A=~A" option value))
          (t (funcall option value)))))

(defun choice-options (choices)
  "The options of the command mprof for CHOICES, a property list."
  (loop for (keyword value) on choices by #'cddr
        when value
          collect (choice-option keyword value)))
