;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; figures.lisp -- rows of figures, how they print, and names.
;;;;
;;;; Names are strings, as the tables show them.  Rows are never modified, since
;;;; profiles may share them.

(in-package #:mprof)

(defstruct (figures (:constructor make-figures (kind plist)) (:copier nil)
                    (:predicate nil))
  "A row.  KIND is a symbol; PLIST has the figures, by keyword."
  kind plist)

(defgeneric data:figure (key x)
  (:documentation
   "Return the figure KEY, a keyword, of X: a row, a profile, the result of
MPROF:COMPARE-PROFILES, or an error.  Signals MPROF-ERROR if X has no such
figure.  Figures that are not known, such as the calls of C functions, are NIL.

The tables of a profile, lists of rows with the largest bytes first:
   :FUNCTIONS :ARCS :TYPES :BINS :REGIONS :PHASES :THREADS
   :CONTEXTS   what was allocated at the ends of call chains; a fresh list
   :ADVICE     what MPROF:ADVISE prints, the largest saving first
and :COMMENTS, a list of (KEY . VALUE), and :HOLDERS, a profile of what holds
the live objects, for a profile that was made with :HOLDERS: :BYTES is what a
holder retains, and contexts begin at a root.

Of a row, and of a profile but for :NAME:
   :NAME :ALLOCATIONS :BYTES   the number of objects, and the bytes requested
       for them; for a function, with its callees, recursion once
   :LIVE-ALLOCATIONS :LIVE-BYTES   what of this was alive at the last
       collection; known with :LIVE of MPROF:START
   :PEAK-ALLOCATIONS :PEAK-BYTES   what was alive at the collection that left
       most; the same
Further figures of rows are the columns of the format lisp in mprof-formats(5):
   functions   :SELF-ALLOCATIONS :SELF-BYTES :SELF-LIVE-ALLOCATIONS
       :SELF-LIVE-BYTES :SELF-PEAK-ALLOCATIONS :SELF-PEAK-BYTES :CALLS (that led
       to an allocation) :CYCLE :FILE :LINE, and :TYPES :CALLERS :CALLEES,
       lists of rows
   arcs        :CALLER :CALLEE :CALLS
   types       :CATEGORY :TYPE :CLASS
   bins        :SIZE :TYPES
   regions     :CALLS (entries) :NANOSECONDS :CATEGORY-BYTES
   phases, threads   :CATEGORY-BYTES; the name of a phase is a keyword
   contexts    :CHAIN (names, the root first) :TYPE :CLASS :CATEGORY :SIZE
       :PHASE :THREAD :CALLS (shared by the contexts of one chain)
   advice      :RULE :GRADE :SAVED-BYTES :OBJECTS :CALLS :CALLER :CALLED :FILE
       :LINE :FAULT :REMEDY :EXAMPLE :UNKNOWN

A comparison has :OLD and :NEW, profiles, and :FUNCTIONS, :TYPES and :CONTEXTS,
lists of differences.  A difference has :OLD and :NEW, rows or NIL, and
:OLD-BYTES, :NEW-BYTES and so on; :BYTES and :ALLOCATIONS are the increase.

Example: (mprof.data:figure :bytes (mprof:load-profile))"))

(defparameter *not-always-known*
  '(:live-allocations :live-bytes :self-live-allocations :self-live-bytes
    :peak-allocations :peak-bytes :self-peak-allocations :self-peak-bytes)
  "Figures that only profiles with live objects have.")

(defun getf-figure (key plist owner)
  "Return the value of KEY in PLIST, or signal that OWNER lacks it."
  (let ((value (getf plist key '#1=#:none)))
    (cond ((not (eq value '#1#)) value)
          ((member key *not-always-known*) nil)
          (t (fail "~(~A~) have no ~A" owner key)))))

(defmethod data:figure (key x)
  (fail "~S is not a row or profile, so it has no ~(~A~)" x key))

(defmethod data:figure (key (x figures))
  (getf-figure key (figures-plist x) (figures-kind x)))

(defun data:reader (key)
  "Return a function that returns the FIGURE KEY of its argument.

Example: (mapcar (mprof.data:reader :name)
                 (mprof.data:figure :functions (mprof:load-profile)))"
  (lambda (x) (data:figure key x)))

(defmethod print-object ((x figures) stream)
  (print-unreadable-object (x stream)
    (flet ((show (control &rest keys)
             (format stream "~(~A~) ~?" (figures-kind x) control
                     (loop for key in keys
                           collect (data:figure key x)))))
      (case (figures-kind x)
        (function-figures
         (show "~A ~D self, ~D inclusive bytes" :name :self-bytes :bytes))
        (arc-figures
         (show "~A > ~A ~:[unknown~;~:*~D~] calls, ~D bytes"
               :caller :callee :calls :bytes))
        (difference
         (show "~A ~@D bytes (~D to ~D), ~@D allocations"
               :name :bytes :old-bytes :new-bytes :allocations))
        (t
         (show "~A ~D allocations, ~D bytes" :name :allocations :bytes))))))

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
             (write (make-symbol (if (string= package "COMMON-LISP-USER")
                                     "CL-USER"
                                     package))
                    :gensym nil :stream stream)
             (format stream "~:[::~;:~]"
                     (eq :external (nth-value 1 (find-symbol
                                                 (symbol-name name))))))
           (prin1 name stream)))))

(defun displayed-name (name)
  "Return the string that profiles show for NAME: a string, a symbol, or a list
such as (SETF FOO) or (METHOD AREA (INTEGER))."
  (if (stringp name)
      name
      (let ((printed (with-standard-io-syntax
                       (let ((*print-readably* nil))
                         (with-output-to-string (stream)
                           (print-name name stream))))))
        (if (plain-p printed)           ; else with substitutes
            printed
            (string-of (octets-of printed))))))

(defun exact-regex (name)
  "Return a regular expression that matches the function NAME, a string, and its
methods, and nothing else."
  (let ((name (with-output-to-string (stream)
                (loop for character across name
                      do (when (find character "\\^$.|?*+()[]{}")
                           (write-char #\\ stream))
                         (write-char character stream)))))
    (format nil "^~A$|^\\(METHOD ~:*~A [:(]" name)))
