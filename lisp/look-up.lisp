;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; look-up.lisp -- find rows of a profile by name.
;;;;
;;;; Names are given as strings, symbols or lists, and printed as the tables
;;;; show them; then they are compared as strings.

(in-package #:mprof)

(defun print-name (name stream)
  "Print NAME, a symbol, a list or another object, as it shows in profiles."
  (cond ((consp name)
         (write-char #\( stream)
         (loop for (element . more) on name
               do (print-name element stream)
                  (when more (write-char #\Space stream)))
         (write-char #\) stream))
        ((or (not (symbolp name)) (null (symbol-package name)))
         (prin1 name stream))
        (t
         (let* ((*package* (symbol-package name))
                (package (package-name *package*)))
           (unless (or (keywordp name) (string= package "COMMON-LISP"))
             (format stream "~A~:[::~;:~]"
                     (if (string= package "COMMON-LISP-USER")
                         "CL-USER"
                         package)
                     (eq :external
                         (nth-value 1 (find-symbol (symbol-name name)
                                                   *package*)))))
           (prin1 name stream)))))

(defun displayed-name (name)
  "NAME, a string, a symbol or a list such as (SETF FOO) or (METHOD AREA
(INTEGER)), as the string that profiles show for it."
  (if (stringp name)
      name
      (with-standard-io-syntax
        (let ((*print-readably* nil))
          (with-output-to-string (stream)
            (print-name name stream))))))

(defun find-function (name &optional (profile (profile)))
  "The FUNCTION-FIGURES of the function NAME in PROFILE, or NIL.

NAME: a string as in the tables, a symbol, or a list such as (SETF FOO) or
(METHOD AREA :AROUND (INTEGER)).
PROFILE (default: what was counted in this Lisp until now)."
  (find (displayed-name name) (profile-functions profile)
        :key #'function-name :test #'string=))

(defun find-arc (caller callee &optional (profile (profile)))
  "The ARC-FIGURES from CALLER to CALLEE in PROFILE, or NIL.

CALLER, CALLEE: names as for FIND-FUNCTION.
PROFILE (default: what was counted in this Lisp until now)."
  (let ((caller (displayed-name caller))
        (callee (displayed-name callee)))
    (find-if (lambda (arc)
               (and (string= caller (arc-caller arc))
                    (string= callee (arc-callee arc))))
             (profile-arcs profile))))

(defun find-type (name &optional (profile (profile)))
  "The TYPE-FIGURES of the type or class NAME in PROFILE, or NIL.

NAME: a string as in the tables, a symbol, or a list such as
(SIMPLE-ARRAY DOUBLE-FLOAT).  Classes and structures go by their own names.
PROFILE (default: what was counted in this Lisp until now)."
  (let ((name (displayed-name name)))
    (find-if (lambda (type)
               (string= name (or (type-class type) (type-name type))))
             (profile-types profile))))

(defun type-functions (name &optional (profile (profile)))
  "Who allocated objects of the type or class NAME in PROFILE, and how much: a
list of (FUNCTION-FIGURES . TYPE-FIGURES), the largest bytes first.  The
TYPE-FIGURES are those of FUNCTION-TYPES: what that function itself allocated
of NAME.

NAME: as for FIND-TYPE.
PROFILE (default: what was counted in this Lisp until now)."
  (let ((name (displayed-name name)))
    (sort (loop for function in (profile-functions profile)
                nconc (loop for type in (function-types function)
                            when (string= name (or (type-class type)
                                                   (type-name type)))
                              collect (cons function type)))
          (lambda (a b)
            (if (= (type-bytes a) (type-bytes b))
                (> (type-allocations a) (type-allocations b))
                (> (type-bytes a) (type-bytes b))))
          :key #'cdr)))

(defun find-phase (phase &optional (profile (profile)))
  "The PHASE-FIGURES of PHASE in PROFILE, or NIL when nothing was allocated in it.

PHASE: :COMPILE, :LOAD, :EVAL or :RUN.
PROFILE (default: what was counted in this Lisp until now)."
  (find phase (profile-phases profile) :key #'phase-name))

(defun find-region (path &optional (profile (profile)))
  "The REGION-FIGURES of the region PATH in PROFILE, or NIL.

PATH: a string as in the tables, such as \"parse;lex\" for LEX in PARSE; or a
name as for WITH-REGION.
PROFILE (default: what was counted in this Lisp until now)."
  (find (region-name path) (profile-regions profile)
        :key #'region-path :test #'string=))

(defun find-thread (name &optional (profile (profile)))
  "The THREAD-FIGURES of the thread NAME in PROFILE, or NIL.

NAME: a string as in the tables, such as \"worker\" or \"worker#2\"; a symbol
stands for its name as the tables show it.
PROFILE (default: what was counted in this Lisp until now)."
  (find (displayed-name name) (profile-threads profile)
        :key #'thread-name :test #'string=))

(defun profile-comment (key profile)
  "What the profiler said about KEY in PROFILE: a string, or NIL.  When KEY is
there more than once, the second value is a list of all.

KEY: a string, for example \"mprof.residual_bytes\".
PROFILE: an object that the function PROFILE gave back."
  (let ((values (loop for (name . value) in (profile-comments profile)
                      when (string= name key)
                        collect value)))
    (values (first values) values)))
