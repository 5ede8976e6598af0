;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; figures.lisp -- how much: the rows of a profile as structures.
;;;;
;;;; Names are strings, as the tables show them.  Nothing is computed here, and
;;;; nothing is ever changed: rows may be shared by profiles.

(in-package #:mprof)

(defmacro define-figures (name (prefix argument) documentation &body slots)
  "Define NAME as a structure that is made from a property list, and a reader
for each slot.  Each of SLOTS is (SLOT DOCUMENTATION); its reader begins with
PREFIX, a string, and takes ARGUMENT."
  ;; The accessors of DEFSTRUCT are closures in ECL, which take no docstring.
  (flet ((symbol-of (&rest parts)
           (intern (format nil "~{~A~}" parts) '#:mprof)))
    `(progn
       (defstruct (,name (:conc-name ,(symbol-of "%" prefix))
                         (:constructor ,(symbol-of '#:make- name)
                             (&key ,@(mapcar #'first slots)
                              &allow-other-keys))
                         (:copier nil)
                         (:predicate nil))
         ,documentation
         ,@(mapcar #'first slots))
       ,@(loop for (slot documentation) in slots
               collect `(defun ,(symbol-of prefix slot) (,argument)
                          ,documentation
                          (,(symbol-of "%" prefix slot) ,argument))))))

(define-figures type-figures ("TYPE-" figures)
    "How much was allocated of one Lisp type, and of one class if it is the type
of instances or structures."
  (name "The Lisp type that FIGURES, a TYPE-FIGURES, is about; a string such as
\"CONS\", \"DOUBLE-FLOAT\" or \"INSTANCE\".")
  (class "The class of the instances or structures that FIGURES, a TYPE-FIGURES,
is about, a string such as \"CL-USER::WIDGET\"; else NIL.")
  (category "\"cons\", \"float\", \"struct\" or \"other\": the column of the tables
that FIGURES, a TYPE-FIGURES, belongs to.")
  (allocations "How many objects FIGURES, a TYPE-FIGURES, counts; an integer.")
  (bytes "The bytes of the objects that FIGURES, a TYPE-FIGURES, counts, with
their bodies, as requested; an integer."))

(define-figures function-figures ("FUNCTION-" figures)
    "What one function allocated, itself and with all that it called."
  (name "The name of the function that FIGURES, a FUNCTION-FIGURES, is about; a
string such as \"CL-USER::FOO\" or \"(LAMBDA :IN CL-USER::FOO)\".")
  (self-allocations "How many objects the function of FIGURES, a
FUNCTION-FIGURES, allocated itself; an integer.")
  (self-bytes "The bytes that the function of FIGURES, a FUNCTION-FIGURES,
requested itself; an integer.")
  (inclusive-allocations "How many objects the function of FIGURES, a
FUNCTION-FIGURES, and everything below it allocated; an integer.  Recursion
counts once.")
  (inclusive-bytes "The bytes that the function of FIGURES, a FUNCTION-FIGURES,
and everything below it requested; an integer.  Recursion counts once.")
  (activations "How many calls of the function of FIGURES, a FUNCTION-FIGURES,
led to an allocation; an integer, or NIL when that is not known: calls of C
functions of other libraries, for example, are not counted.")
  (cycle "The number of the cycle of mutually recursive functions that the
function of FIGURES, a FUNCTION-FIGURES, is in; or NIL.")
  (file "The source file of the function of FIGURES, a FUNCTION-FIGURES, as a
string; or NIL when it is not known.")
  (line "The line in FUNCTION-FILE where the top-level form of FIGURES, a
FUNCTION-FIGURES, begins; or NIL.")
  (types "What the function of FIGURES, a FUNCTION-FIGURES, allocated itself, as
a list of TYPE-FIGURES, the largest first."))

(define-figures arc-figures ("ARC-" figures)
    "What one function allocated on behalf of one caller."
  (caller "The name of the caller in FIGURES, an ARC-FIGURES; a string.")
  (callee "The name of the called function in FIGURES, an ARC-FIGURES; a string.")
  (calls "How many calls from ARC-CALLER to ARC-CALLEE led to an allocation in
FIGURES, an ARC-FIGURES; an integer, or NIL when the calls of ARC-CALLEE are not
known, as in FUNCTION-ACTIVATIONS.")
  (allocations "How many objects were allocated below the calls that FIGURES, an
ARC-FIGURES, is about; an integer.")
  (bytes "The bytes requested below the calls that FIGURES, an ARC-FIGURES, is
about; an integer."))

(define-figures bin-figures ("BIN-" figures)
    "How much was allocated in objects of one size."
  (size "The size in bytes of each object that FIGURES, a BIN-FIGURES, counts; or
:LARGE for all objects above 1,024 bytes, :GROWN for bodies of objects that grew
after they were made, which are no objects of their own.")
  (allocations "How many objects FIGURES, a BIN-FIGURES, counts; an integer.")
  (bytes "The bytes requested for the objects of FIGURES, a BIN-FIGURES; an
integer.")
  (types "What has the size of FIGURES, a BIN-FIGURES, as a list of TYPE-FIGURES,
the largest bytes first."))

(define-figures phase-figures ("PHASE-" figures)
    "How much was allocated in one phase of the program's life."
  (name "The phase that FIGURES, a PHASE-FIGURES, is about: :COMPILE, :LOAD, :EVAL
or :RUN.")
  (allocations "How many objects FIGURES, a PHASE-FIGURES, counts; an integer.")
  (bytes "The bytes requested for the objects of FIGURES, a PHASE-FIGURES; an
integer.")
  (category-bytes "The bytes of FIGURES, a PHASE-FIGURES, by category: a list of
four integers, for conses, floats, structures and others."))

(define-figures thread-figures ("THREAD-" figures)
    "How much one thread allocated."
  (name "The name of the thread that FIGURES, a THREAD-FIGURES, is about, as the
tables show it: \"worker\", and \"worker#2\" for the second with that name.")
  (allocations "How many objects FIGURES, a THREAD-FIGURES, counts; an integer.")
  (bytes "The bytes requested for the objects of FIGURES, a THREAD-FIGURES; an
integer.")
  (category-bytes "The bytes of FIGURES, a THREAD-FIGURES, by category: a list of
four integers, for conses, floats, structures and others."))

(define-figures region-figures ("REGION-" figures)
    "How much was allocated in one region that WITH-REGION named, with the regions
in it."
  (path "The region that FIGURES, a REGION-FIGURES, is about, behind those around
it, as the tables show it: \"parse;lex\"; a string.")
  (allocations "How many objects FIGURES, a REGION-FIGURES, counts; an integer.")
  (bytes "The bytes requested for the objects of FIGURES, a REGION-FIGURES; an
integer.")
  (category-bytes "The bytes of FIGURES, a REGION-FIGURES, by category: a list of
four integers, for conses, floats, structures and others.")
  (entered "How often the region of FIGURES, a REGION-FIGURES, was entered, by all
threads; an integer.")
  (nanoseconds "How long the region of FIGURES, a REGION-FIGURES, was active,
threads added up; an integer."))

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

(defun context-functions (figures)
  "The call chain of FIGURES, a CONTEXT-FIGURES: a fresh list of the names of its
functions, strings, the root first.  Recursion is folded: see LIMITS in the
manual page of mprof."
  (reverse (chain-path (%context-chain figures))))

(defun context-function (figures)
  "The name of the function that allocated what FIGURES, a CONTEXT-FIGURES,
counts, a string: the last one of CONTEXT-FUNCTIONS."
  (first (chain-path (%context-chain figures))))

(defun context-calls (figures)
  "How many calls of CONTEXT-FUNCTION on the call chain of FIGURES, a
CONTEXT-FIGURES, led to an allocation; an integer, or NIL when that is not known,
as in FUNCTION-ACTIVATIONS.  Contexts of one chain that differ in type or size
have the same calls, so adding them up makes no sense."
  (chain-calls (%context-chain figures)))

(defun context-phase (figures)
  "The phase of FIGURES, a CONTEXT-FIGURES: :COMPILE, :LOAD, :EVAL or :RUN."
  (chain-phase (%context-chain figures)))

(defun context-thread (figures)
  "The name of the thread of FIGURES, a CONTEXT-FIGURES, as in THREAD-NAME; a
string."
  (chain-thread (%context-chain figures)))

(defun context-type (figures)
  "The Lisp type of the objects of FIGURES, a CONTEXT-FIGURES, as in TYPE-NAME; a
string."
  (type-name (%context-type figures)))

(defun context-class (figures)
  "The class of the objects of FIGURES, a CONTEXT-FIGURES, as in TYPE-CLASS; a
string, or NIL when they are no instances or structures."
  (type-class (%context-type figures)))

(defun context-category (figures)
  "\"cons\", \"float\", \"struct\" or \"other\": the category of the objects of
FIGURES, a CONTEXT-FIGURES."
  (type-category (%context-type figures)))

(defun context-size (figures)
  "The size in bytes of each object of FIGURES, a CONTEXT-FIGURES; or :LARGE for
objects of different sizes above 2,048 bytes, :GROWN for bodies of objects that
grew."
  (%context-size figures))

(defun context-allocations (figures)
  "How many objects FIGURES, a CONTEXT-FIGURES, counts; an integer."
  (%context-allocations figures))

(defun context-bytes (figures)
  "The bytes requested for the objects of FIGURES, a CONTEXT-FIGURES; an integer."
  (%context-bytes figures))

;;; How they print

(defmethod print-object ((figures type-figures) stream)
  (print-unreadable-object (figures stream :type t)
    (format stream "~A ~D allocations, ~D bytes"
            (or (type-class figures) (type-name figures))
            (type-allocations figures) (type-bytes figures))))

(defmethod print-object ((figures function-figures) stream)
  (print-unreadable-object (figures stream :type t)
    (format stream "~A ~D self, ~D inclusive bytes" (function-name figures)
            (function-self-bytes figures) (function-inclusive-bytes figures))))

(defmethod print-object ((figures arc-figures) stream)
  (print-unreadable-object (figures stream :type t)
    (format stream "~A > ~A ~:[unknown~;~:*~D~] calls, ~D bytes"
            (arc-caller figures) (arc-callee figures) (arc-calls figures)
            (arc-bytes figures))))

(defmethod print-object ((figures phase-figures) stream)
  (print-unreadable-object (figures stream :type t)
    (format stream "~S ~D allocations, ~D bytes" (phase-name figures)
            (phase-allocations figures) (phase-bytes figures))))

(defmethod print-object ((figures thread-figures) stream)
  (print-unreadable-object (figures stream :type t)
    (format stream "~A ~D allocations, ~D bytes" (thread-name figures)
            (thread-allocations figures) (thread-bytes figures))))

(defmethod print-object ((figures region-figures) stream)
  (print-unreadable-object (figures stream :type t)
    (format stream "~A ~D allocations, ~D bytes" (region-path figures)
            (region-allocations figures) (region-bytes figures))))

(defmethod print-object ((figures bin-figures) stream)
  (print-unreadable-object (figures stream :type t)
    (format stream "~A: ~D allocations, ~D bytes" (bin-size figures)
            (bin-allocations figures) (bin-bytes figures))))

(defmethod print-object ((figures context-figures) stream)
  (print-unreadable-object (figures stream :type t)
    (format stream "~{~A~^ > ~}: ~A ~D allocations, ~D bytes"
            (context-functions figures)
            (or (context-class figures) (context-type figures))
            (context-allocations figures) (context-bytes figures))))
