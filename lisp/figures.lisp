;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; figures.lisp -- how much: the rows of a profile as structures, which the
;;;; readers of MPROF.DATA read.
;;;;
;;;; Names are strings, as the tables show them.  Nothing is computed here, and
;;;; nothing is ever changed: rows may be shared by profiles.

(in-package #:mprof)

(defstruct (figures (:constructor nil) (:copier nil) (:predicate nil))
  "A row of a profile.")

(defmacro define-figures (name documentation &body slots)
  "Define NAME as a structure that is made from a property list.  Each of SLOTS
is a reader of MPROF.DATA, or (READER KEYWORD) when the list has another name
for it."
  (flet ((symbol-of (&rest parts)
           (intern (format nil "~{~A~}" parts) '#:mprof)))
    (let ((readers (loop for slot in slots
                         collect (if (consp slot) (first slot) slot)))
          (keys (loop for slot in slots
                      collect (if (consp slot)
                                  `((,(second slot) ,(first slot)))
                                  slot))))
      `(progn
         (defstruct (,name (:include figures)
                           (:conc-name ,(symbol-of "%" name "-"))
                           (:constructor ,(symbol-of '#:make- name)
                               (&key ,@keys &allow-other-keys))
                           (:copier nil)
                           (:predicate nil))
           ,documentation
           ,@readers)
         ,@(loop for reader in readers
                 collect `(defmethod ,reader ((x ,name))
                            (,(symbol-of "%" name "-" reader) x)))))))

(define-figures type-figures
    "How much was allocated of one Lisp type, and of one class if it is the type
of instances or structures."
  data:type data:class data:category data:allocations data:bytes)

(defmethod data:name ((x type-figures))
  (or (data:class x) (data:type x)))

(define-figures function-figures
    "What one function allocated, itself and with all that it called."
  data:name data:self-allocations data:self-bytes
  (data:allocations :inclusive-allocations) (data:bytes :inclusive-bytes)
  (data:calls :activations) data:cycle data:file data:line data:types
  data:callers data:callees)

(define-figures arc-figures
    "What one function allocated on behalf of one caller."
  data:caller data:callee data:calls data:allocations data:bytes)

(define-figures bin-figures
    "How much was allocated in objects of one size."
  data:size data:allocations data:bytes data:types)

(define-figures share-figures
    "How much was allocated in one phase, or by one thread."
  data:name data:allocations data:bytes data:category-bytes)

(define-figures region-figures
    "How much was allocated in one region that WITH-REGION named, with the
regions in it."
  (data:name :path) data:allocations data:bytes data:category-bytes
  (data:calls :entered) data:nanoseconds)

(defstruct (chain (:copier nil) (:predicate nil))
  "A call chain in one phase and one thread; contexts that differ in what they
allocated share it.  PATH is a list of names, leaf first, whose tails are the
paths of the callers."
  path phase thread calls)

(defstruct (context-figures (:conc-name %context-) (:copier nil)
                            (:predicate nil))
  "How much was allocated at the end of one call chain, of one type and one
size, in one phase and one thread."
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

;;; How they print

(defmacro define-printers (&body printers)
  "Define, for each (CLASS CONTROL FORM...) of PRINTERS, what is printed of X, a
CLASS."
  `(progn
     ,@(loop for (class control . forms) in printers
             collect `(defmethod print-object ((x ,class) stream)
                        (print-unreadable-object (x stream :type t)
                          (format stream ,control ,@forms))))))

(define-printers
  (figures "~A ~D allocations, ~D bytes"
    (data:name x) (data:allocations x) (data:bytes x))
  (function-figures "~A ~D self, ~D inclusive bytes"
    (data:name x) (data:self-bytes x) (data:bytes x))
  (arc-figures "~A > ~A ~:[unknown~;~:*~D~] calls, ~D bytes"
    (data:caller x) (data:callee x) (data:calls x) (data:bytes x))
  (bin-figures "~A: ~D allocations, ~D bytes"
    (data:size x) (data:allocations x) (data:bytes x))
  (context-figures "~{~A~^ > ~}: ~A ~D allocations, ~D bytes"
    (data:chain x) (data:name (%context-type x)) (data:allocations x)
    (data:bytes x)))

;;; Names: given as strings, symbols or lists, and printed as the tables show
;;; them; then they are compared as strings.

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

(defun exact-regex (names)
  "A regular expression for the elements of NAMES, strings, and nothing else."
  (flet ((quoted (name)
           (with-output-to-string (stream)
             (loop for character across name
                   do (when (find character "\\^$.|?*+()[]{}")
                        (write-char #\\ stream))
                      (write-char character stream)))))
    (format nil "^(~{~A~^|~})$" (mapcar #'quoted names))))
