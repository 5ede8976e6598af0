;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; figures.lisp -- rows of figures, how they print, call chains, and names.
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

(defun getf-figure (key plist owner)
  "Return the value of KEY in PLIST, or signal that OWNER lacks it."
  (let ((value (getf plist key '#1=#:none)))
    (cond ((not (eq value '#1#)) value)
          ((member key '(:live-allocations :live-bytes :peak-allocations
                         :peak-bytes :self-live-allocations :self-live-bytes
                         :self-peak-allocations :self-peak-bytes))
           nil)                         ; not always known
          (t (fail "~(~A~) have no ~A" owner key)))))

(defun live-key (key)
  "Return the figure that is for live objects what KEY is for all objects."
  (getf '(:bytes :live-bytes :allocations :live-allocations
          :self-bytes :self-live-bytes
          :self-allocations :self-live-allocations)
        key key))

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
    (destructuring-bind (control . keys)
        (case (figures-kind x)
          (function-figures
           '("~A ~D self, ~D inclusive bytes" :name :self-bytes :bytes))
          (arc-figures
           '("~A > ~A ~:[unknown~;~:*~D~] calls, ~D bytes"
             :caller :callee :calls :bytes))
          (difference
           '("~A ~@D bytes (~D to ~D), ~@D allocations"
             :name :bytes :old-bytes :new-bytes :allocations))
          (t
           '("~A ~D allocations, ~D bytes" :name :allocations :bytes)))
      (format stream "~(~A~) ~?" (figures-kind x) control
              (loop for key in keys
                    collect (data:figure key x))))))

(defun print-rows (rows count stream control &optional (key :name))
  "Print the first COUNT of ROWS to STREAM.  CONTROL gets the bytes, allocations
and figure KEY of each."
  (loop for row in rows
        repeat count
        do (format stream control (data:figure :bytes row)
                   (data:figure :allocations row) (data:figure key row))))

;;; Call chains, which are read one by one from `mprof export --format=lisp'

(defstruct (context (:include figures)
                    (:constructor make-context
                        (chain plist &aux (kind 'context)))
                    (:copier nil) (:predicate nil))
  "The objects of one type and one size that were allocated at the end of one
call chain, in one phase and one thread.  CHAIN is shared by the contexts of a
call chain: the calls of its last function, then the names, leaf first; their
tails are those of the callers."
  chain)

(defmethod data:figure (key (x context))
  (destructuring-bind (calls . path) (context-chain x)
    (case key
      (:chain (reverse path))
      (:name (first path))
      (:calls calls)
      (:phase (intern (string-upcase (call-next-method)) '#:keyword))
      (t (call-next-method)))))

(defmethod print-object ((x context) stream)
  (print-unreadable-object (x stream)
    (format stream "context ~{~A~^ > ~}: ~A ~D allocations, ~D bytes"
            (data:figure :chain x)
            (or (data:figure :class x) (data:figure :type x))
            (data:figure :allocations x) (data:figure :bytes x))))

(defun map-rows (function key stream)
  "Call FUNCTION on each row of the list in STREAM that follows the line KEY."
  (loop until (string= key (read-line stream)))
  (loop until (char= #\( (read-char stream)))
  (loop while (char= (peek-char t stream) #\()
        do (funcall function (read-data stream))))

(defun data:map-contexts (function profile)
  "Call FUNCTION on each context of PROFILE, the largest bytes first.

FUNCTION: a function of one argument, a context: the objects of one type and one
size that were allocated at the end of one call chain, in one phase and one
thread.  See FIGURE.

The contexts are made during the walk, so those that FUNCTION does not keep can
be collected.  FUNCTION may end the walk by a non-local exit.

Example: which chains allocated large objects?

   (mprof.data:map-contexts (lambda (context)
                              (when (eq (mprof.data:figure :size context)
                                        :large)
                                (print (mprof.data:figure :chain context))))
                            (mprof:load-profile))"
  (with-input-from-string
      (stream (command-output profile "export" "--format=lisp"
                              "--tables=contexts"))
    (let ((chains (make-array 0 :adjustable t :fill-pointer t)))
      (map-rows (lambda (row)
                  (destructuring-bind (&key parent function calls) row
                    (vector-push-extend
                     (list* calls function
                            (and parent (rest (aref chains parent))))
                     chains)))
                " :chains" stream)
      (map-rows (lambda (row)
                  (funcall function
                           (make-context (aref chains (getf row :chain)) row)))
                " :contexts" stream)))
  (values))

;;; Names

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
        (string-of (octets-of printed))))) ; what C cannot have by a sign

(defun exact-regex (name)
  "Return a regular expression that matches the function NAME, a string, and its
methods, and nothing else."
  (format nil "^~A$|^\\(METHOD ~:*~A [:(]"
          (coerce (loop for character across name
                        when (find character "\\^$.|?*+()[]{}")
                          collect #\\
                        collect character)
                  'string)))
