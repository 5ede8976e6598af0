;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; choices.lisp -- what to show of a profile: keywords as the options of the
;;;; command mprof, which the C library behind it understands.
;;;;
;;;; A test compares this table with `mprof help report' and `mprof help export'.

(in-package #:mprof)

(defun keyword-word (name keyword words)
  "The word for KEYWORD in WORDS, an association list, as the option NAME of the
command mprof takes it.  Signals MPROF-ERROR when there is none."
  (or (cdr (assoc keyword words))
      (error 'mprof-error :reason
             (format nil "~S is no value for ~A, which takes ~{~S~^, ~}"
                     keyword name (mapcar #'car words)))))

(defun words-option (name words value)
  "The option NAME with VALUE, one of WORDS or a list of these, as strings;
WORDS is an association list of keywords and strings."
  (format nil "--~A=~{~A~^,~}" name
          (loop for keyword in (if (listp value) value (list value))
                collect (keyword-word name keyword words))))

(defparameter *tables*
  '((:phases . "phases") (:threads . "threads") (:bins . "bins")
    (:direct . "direct") (:flat . "direct") (:graph . "graph")
    (:types . "types") (:type-functions . "type-functions")
    (:function-types . "function-types") (:leaks . "leaks")
    (:regions . "regions") (:peak . "peak") (:temporary . "temporary")
    (:reconciliation . "reconciliation"))
  "The tables that REPORT knows and what the command mprof calls them.")

(defun tables-option (type)
  "A list of no or one option of `mprof report' for REPORT's argument TYPE."
  (if (eq type t)
      '()
      (list (words-option "tables" *tables* type))))

(defparameter *choices*
  `((:detail ,(lambda (value) (format nil "--~(~A~)" value))
             (member :normal :verbose :terse))
    (:max "limit" integer)
    (:min-percent ,(lambda (value) (format nil "--min-percent=~,4F" value))
                  real)
    (:sort-by ,(lambda (value)
                 (words-option "sort" '((:bytes . "bytes")
                                        (:allocations . "allocs")
                                        (:calls . "calls") (:self . "self")
                                        (:inclusive . "inclusive")
                                        (:kept . "kept") (:peak . "peak")
                                        (:temporary . "temporary")
                                        (:name . "name"))
                               value))
              symbol)
    (:offsets "offsets" boolean)
    (:focus "focus" string) (:ignore "ignore" string) (:hide "hide" string)
    (:show "show" string) (:show-from "show-from" string)
    (:hide-system "hide-system" boolean)
    (:by ,(lambda (value)
            (words-option "by" '((:function . "function") (:line . "line")
                                 (:file . "file") (:package . "package")
                                 (:class . "class"))
                          value))
         symbol)
    (:phase ,(lambda (value)
               (words-option "phase" '((:compile . "compile") (:load . "load")
                                       (:eval . "eval") (:run . "run"))
                             value)))
    (:thread "thread" string)
    (:region "region" string)
    (:show-runtime "show-runtime" boolean)
    (:show-root "show-root" boolean)
    (:width "width" (integer 0))
    (:color ,(constantly "--color=always"))
    (:table ,(lambda (value)
               (words-option "table" '((:functions . "functions")
                                       (:arcs . "arcs") (:types . "types")
                                       (:contexts . "contexts")
                                       (:bins . "bins")
                                       (:regions . "regions")
                                       (:phases . "phases")
                                       (:threads . "threads"))
                             value))
            symbol)
    (:value ,(lambda (value)
               (words-option "value" '((:bytes . "bytes")
                                       (:allocations . "allocs")
                                       (:kept . "kept")
                                       (:kept-allocations . "kept-allocs")
                                       (:peak . "peak")
                                       (:peak-allocations . "peak-allocs")
                                       (:temporary . "temporary"))
                             value))
            symbol)
    (:types "types" boolean)
    (:phases "phases" boolean)
    (:threads "threads" boolean))
  "What the keywords of REPORT, SAVE and PROFILE are as options of the command
mprof: (KEYWORD OPTION [TYPE]).  OPTION is the option's name, or a function that
makes all of it from the value; an option of type BOOLEAN has no value.")

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
          ((not (stringp option)) (funcall option value))
          ((find #\Newline (princ-to-string value))
           (error 'mprof-error :reason
                  (format nil "the value of ~S must be one line" keyword)))
          (t (format nil "--~A=~A" option value)))))

(defun choice-options (choices)
  "The options of the command mprof for CHOICES, a property list."
  (loop for (keyword value) on choices by #'cddr
        when value
          collect (choice-option keyword value)))

(defparameter *selections*
  '(:focus :ignore :hide :show :show-from :hide-system :by :phase :thread
    :region :show-runtime :show-root)
  "The choices that say what a profile is, not how it is shown: those of PROFILE
and FILTER-PROFILE.")

(defun selections (choices)
  "Those of CHOICES, a property list, that are in *SELECTIONS* and not NIL."
  (loop for (keyword value) on choices by #'cddr
        when (and value (member keyword *selections*))
          collect keyword and collect value))
