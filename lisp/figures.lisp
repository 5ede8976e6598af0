;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; figures.lisp -- contexts, the printing of all figures, and names.

(in-package #:mprof)

(defstruct (chain (:copier nil) (:predicate nil))
  "A call chain in one phase and one thread, shared by contexts that differ in
type or size.  PATH is a list of names, leaf first; its tails are the paths of
the callers."
  path phase thread calls)

(defstruct (context-figures (:conc-name %context-) (:copier nil)
                            (:predicate nil))
  "The objects of one type and one size that were allocated at the end of one
call chain, in one phase and one thread."
  chain type size allocations bytes
  samples)                              ; their numbers, for FILTER-PROFILE

(macrolet ((define-context-readers (&body readers)
             `(progn
                ,@(loop for (reader form) in readers
                        collect `(defmethod ,reader ((x context-figures))
                                   ,form)))))
  (define-context-readers
    (data:chain (reverse (chain-path (%context-chain x))))
    (data:name (first (chain-path (%context-chain x))))
    (data:calls (chain-calls (%context-chain x)))
    (data:phase (chain-phase (%context-chain x)))
    (data:thread (chain-thread (%context-chain x)))
    (data:type (data:type (%context-type x)))
    (data:class (data:class (%context-type x)))
    (data:category (data:category (%context-type x)))
    (data:size (%context-size x))
    (data:allocations (%context-allocations x))
    (data:bytes (%context-bytes x))))

(defmethod print-object ((x context-figures) stream)
  (print-unreadable-object (x stream :type t)
    (format stream "~{~A~^ > ~}: ~A ~D allocations, ~D bytes" (data:chain x)
            (data:name (%context-type x)) (data:allocations x) (data:bytes x))))

(defmethod print-object ((x figures) stream)
  (print-unreadable-object (x stream)
    (multiple-value-call #'format stream "~(~A~) ~@?" (figures-kind x)
      (case (figures-kind x)
        (function-figures
         (values "~A ~D self, ~D inclusive bytes" (data:name x)
                 (data:self-bytes x) (data:bytes x)))
        (survival-figures
         (values "~A ~A ~D allocations, ~D bytes" (data:name x)
                 (or (data:class x) (data:type x)) (data:allocations x)
                 (data:bytes x)))
        (arc-figures
         (values "~A > ~A ~:[unknown~;~:*~D~] calls, ~D bytes" (data:caller x)
                 (data:callee x) (data:calls x) (data:bytes x)))
        (difference
         (values "~A ~@D bytes (~D to ~D), ~@D allocations" (title x)
                 (data:bytes x) (data:old-bytes x) (data:new-bytes x)
                 (data:allocations x)))
        (comparison
         (values "~@D bytes, ~@D allocations; ~D functions and ~D types changed"
                 (data:bytes x) (data:allocations x)
                 (length (data:functions x)) (length (data:types x))))
        (t
         (values "~A ~D allocations, ~D bytes" (data:name x)
                 (data:allocations x) (data:bytes x)))))))

;;; Names are strings, symbols or lists.  They are printed as the tables show
;;; them and compared as strings.

(defun print-name (name stream)
  "Print NAME, a symbol, a list or another object, the way profiles show it."
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
                     (if (string= package "COMMON-LISP-USER") "CL-USER" package)
                     (eq :external (nth-value 1 (find-symbol
                                                 (symbol-name name))))))
           (prin1 name stream)))))

(defun displayed-name (name)
  "Return the string that profiles show for NAME: a string, a symbol, or a list
such as (SETF FOO) or (METHOD AREA (INTEGER))."
  (if (stringp name)
      name
      (with-standard-io-syntax
        (let ((*print-readably* nil))
          (with-output-to-string (stream)
            (print-name name stream))))))

(defun exact-regex (names)
  "Return a regular expression that matches exactly the strings in NAMES."
  (flet ((quoted (name)
           (with-output-to-string (stream)
             (loop for character across name
                   do (when (find character "\\^$.|?*+()[]{}")
                        (write-char #\\ stream))
                      (write-char character stream)))))
    (format nil "^(~{~A~^|~})$" (mapcar #'quoted names))))
