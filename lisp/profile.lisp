;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; profile.lisp -- a profile as a Lisp object.
;;;;
;;;; The C library holds the profile as long as the Lisp object lives, and makes
;;;; all figures, contexts, tables and files.  The object has the options that
;;;; select a part of it.  It never changes, even if counting continues or its
;;;; file is rewritten.

(in-package #:mprof)

(defstruct (source (:copier nil) (:predicate nil))
  "An open profile.  ADDRESS is its address in the C library.  FILES are the
names of its files, if any; ALLOCATIONS and BYTES are its totals, if known."
  address files allocations bytes)

(defclass profile ()
  ((source :initarg :source :reader profile-source
           :documentation "A SOURCE; several profiles may share it.")
   (options :initarg :options :initform '() :reader profile-options
            :documentation "A property list of options of the command.")
   (samples :initarg :samples :initform nil :reader profile-samples
            :documentation "The numbers of the samples to use, in the form
that the bindings take; NIL for all.")
   (figures :initform nil :accessor known-figures
            :documentation "A property list, or NIL before the first use."))
  (:documentation
   "A profile, which MPROF.DATA reads; LOAD-PROFILE and REPORT return one.
Further counting does not change it.

Example: (mprof.data:figure :bytes (mprof:load-profile))"))

(defun command-output (profile command &rest arguments)
  "Run COMMAND of mprof on PROFILE with its options and further ARGUMENTS, and
return its output.  Signal the errors of the command."
  (multiple-value-bind (output message offset path of-output-p)
      (run-command-on
       (source-address (profile-source profile)) (profile-samples profile)
       (cons command
             (append (loop for (keyword value) on (profile-options profile)
                             by #'cddr
                           collect (option keyword value))
                     arguments)))
    (profile-source profile)            ; it must live until here
    (cond (output)
          (path
           (error 'profile-file-error
                  :reason (with-keywords message)
                  :figures (list :offset offset) :pathname (named-file path)
                  :advice (if of-output-p
                              "Nothing is lost: the figures are in memory.
Choose another file with the restart USE-VALUE, or call (mprof:save FILE) later."
                              "Give a file that (mprof:save FILE) or `mprof run'
wrote, or another pprof profile of allocations.")))
          (t (fail "~A" (with-keywords message))))))

;;; Open profiles

(defun open-source (open &rest slots)
  "Return a PROFILE of all of the open profile whose address OPEN, a function,
returns, for a SOURCE with SLOTS, and close it when the SOURCE is garbage."
  (let ((source (apply #'make-source slots))
        ;; made now, since it may be used while a program is counted
        (arguments (list 0)))
    (mp:without-interrupts
      (setf (first arguments) (funcall open)
            (source-address source) (first arguments))
      (ext:set-finalizer source (lambda (object)
                                  (declare (ignore object))
                                  (close-profile arguments))))
    (when (eql (source-address source) 0)
      (fail "out of memory"))
    (make-instance 'profile :source source)))

(defun profile-of-snapshot (snapshot allocations bytes)
  "Return a PROFILE of SNAPSHOT, an address, with totals ALLOCATIONS and BYTES."
  (open-source (lambda ()
                 (open-octets (snapshot-octets snapshot)
                              (snapshot-length snapshot)
                              (let ((timeline (of-this-process *timeline*)))
                                (if timeline
                                    (timeline-slices (first timeline))
                                    0))))
               :allocations allocations :bytes bytes))

(defun drop-snapshot (snapshot)
  "Free SNAPSHOT, an address, or 0.  Allocates nothing.  For PROTECTED."
  (let ((arguments (load-time-value (list 0)))) ; one for all, under the lock
    (with-lock (*lock*)
      (unless (eql snapshot 0)
        (setf (first arguments) snapshot)
        (free-snapshot arguments)))))

(defun snapshot (before)
  "Return a PROFILE of everything counted in this Lisp so far.  BEFORE is the
argument of TAKE-SNAPSHOT."
  (prog1 (with-lock (*lock*)
           (let ((arguments (list before))
                 (snapshot 0))
             (protected
              (setf snapshot (take-snapshot arguments))
              (if (eql snapshot 0)
                  (fail "~A" (string-of (monitor-message)))
                  (profile-of-snapshot snapshot (allocations) (bytes)))
              (drop-snapshot snapshot))))
    (let ((overflows (monitor-counter '(4))))
      (when (plusp overflows)
        (warn 'profile-incomplete :overflows overflows)))))

(defun ask-for-file ()
  "Ask the user for the name of a file, for the restart USE-VALUE, until the
answer does not look like a form.  An empty line aborts."
  (loop
    (format *query-io* "~&Name of the file, or an empty line to give up: ")
    (finish-output *query-io*)
    (let ((line (string-trim " \"" (or (read-line *query-io* nil) ""))))
      (cond ((string= line "") (abort))
            ((not (find (char line 0) "(:'#")) (return (list line)))))))

(defun profile-of-files (files)
  "Return a PROFILE of FILES, a file or a list of files.  If they cannot be
read, the restart USE-VALUE takes others."
  (loop
    (restart-case
        (let* ((names (mapcar #'file-name (ensure-list files)))
               (lines (lines names))
               (profile (open-source (lambda () (open-files lines))
                                     :files (mapcar #'string-of names))))
          (command-output profile "--version") ; signals errors of the files
          (return profile))
      (use-value (other)
        :report "Read another file."
        :interactive ask-for-file
        (setf files other)))))

(defun open-profile (source options)
  "Return a PROFILE of SOURCE, the first argument of LOAD-PROFILE.  Of OPTIONS,
only those that say what a snapshot needs are used."
  (destructuring-bind (&key collect holders tables value &allow-other-keys)
      options
    (cond ((typep source 'profile) source)
          (source (profile-of-files source))
          ((or holders (intersection '(:held :held-allocs)
                                     (cons value (ensure-list tables))))
           (snapshot 2))
          (t (snapshot (if collect 1 0))))))

;;; Parts

(defun samples-in (profile predicate)
  "Return the numbers of the samples in the contexts of PROFILE that satisfy
PREDICATE, in the form that the bindings take."
  (let ((samples '(0)))                 ; the last element is ignored
    (data:map-contexts (lambda (context)
                         (when (funcall predicate context)
                           (setf samples (append (data:figure :samples context)
                                                 samples))))
                       profile)
    (coerce samples '(simple-array (unsigned-byte 64) (*)))))

(defun part (profile options &optional predicate)
  "Return a PROFILE of what both PROFILE and OPTIONS select, and PREDICATE,
unless it is NIL."
  (let ((old (profile-options profile))
        (new (loop for (keyword value) on options by #'cddr
                   when (and value (not (member keyword
                                                '(:stream :profile :collect
                                                  :holders :predicate))))
                     collect keyword
                     and collect (if (member keyword '(:focus :ignore :hide
                                                       :show :show-from :type))
                                     (regular-expression value)
                                     value)))
        (samples (profile-samples profile)))
    ;; A chain may have to match two expressions of one option.  No single
    ;; expression means that, so the samples selected by the first are kept.
    (when (options-if (lambda (keyword) (getf new keyword)) old)
      (setf samples (samples-in profile (constantly t))))
    (when (and (getf old :hide) (getf new :hide))
      (setf (getf new :hide)
            (format nil "(~A)|(~A)" (getf old :hide) (getf new :hide))))
    (setf old (options-if (lambda (keyword) (not (getf new keyword))) old))
    (flet ((part (samples)
             (make-instance 'profile :source (profile-source profile)
                                     :options (append old new)
                                     :samples samples)))
      (cond (predicate (part (samples-in (part samples) predicate)))
            (new (part samples))
            (t profile)))))

(defun load-profile (&optional source &rest options
                     &key predicate &allow-other-keys)
  "Return the figures as Lisp data, an object of type PROFILE.

SOURCE (default NIL): what to read.  NIL stands for what was counted in this
Lisp so far; a pathname designator for a profile file, or a folder of them; a
list of files for their sum; an object of type PROFILE for a part of it.
PREDICATE (function, default NIL): keep only the contexts that satisfy it.  It
is called on each context selected by the options; see MPROF.DATA:MAP-CONTEXTS.
COLLECT (boolean, default NIL): collect garbage first, for live figures after
START with :LIVE.
HOLDERS (boolean, default NIL): the same, and find what holds the live objects.
OPTIONS: keywords and values.  The options of `mprof export' that select, such
as :FOCUS \"^APP::\", :SYSTEM :HIDE, :PHASE :RUN or :BY :LINE, as for REPORT.

A part of a part has what both select; :HIDE hides what either hides, and :BY,
:SHOW, :SHOW-FROM and :VALUE are replaced.  All figures are recomputed from the
remaining call chains, but for calls, which are those of the remaining functions
and arcs, whatever was allocated below them.

Signals PROFILE-FILE-ERROR if SOURCE is not a readable profile; the restart
USE-VALUE takes another file.  Signals MPROF-ERROR for invalid options, and the
warning PROFILE-INCOMPLETE.

Example: the large objects made by the parser.

   (mprof:load-profile \"mprof.data\" :focus \"^APP::PARSE\"
     :predicate (lambda (context)
                  (eq :large (mprof.data:figure :size context))))"
  (let ((part (part (open-profile source options) options predicate)))
    (figures part)                      ; signals invalid options now
    part))

;;; The figures

(defparameter *renamed*
  '((:function . :name) (:path . :name) (:phase . :name)
    (:activations . :calls) (:entered . :calls)
    (:inclusive-allocations . :allocations) (:inclusive-bytes . :bytes)
    (:inclusive-live-allocations . :live-allocations)
    (:inclusive-live-bytes . :live-bytes)
    (:inclusive-peak-allocations . :peak-allocations)
    (:inclusive-peak-bytes . :peak-bytes))
  "Columns of `mprof export' that have the names of other tables here.")

(defun rows (kind plists &rest more)
  "Return rows of KIND made from PLISTS.  MORE is a property list of functions
that compute further values from one of PLISTS."
  (loop for columns in plists
        for plist = (sublis *renamed* columns)
        collect (make-figures
                 kind
                 (append (loop for (key maker) on more by #'cddr
                               collect key collect (funcall maker plist))
                         plist))))

(defun types-of (plist)
  "Return the rows for the types in PLIST."
  (rows 'type-figures (getf plist :types)
        :name (lambda (type) (or (getf type :class) (getf type :type)))))

(defun by-name (rows key)
  "Return a function of a property list that returns the elements of ROWS whose
figure KEY is its :NAME."
  (let ((table (make-hash-table :test #'equal)))
    (dolist (row (reverse rows))
      (push row (gethash (data:figure key row) table)))
    (lambda (plist) (gethash (getf plist :name) table))))

(defun read-data (stream)
  "Read an object from STREAM, which holds output of this program."
  (with-standard-io-syntax
    (let ((*read-eval* nil))
      (read stream nil "the program ended"))))

(defun figures (profile)
  "Return the figures of PROFILE by keyword, tables as lists of rows.  They are
made on first use."
  (or (known-figures profile)
      (let* ((output (command-output profile "export" "--format=lisp"))
             (plist (rest (read-data (make-string-input-stream output))))
             (arcs (rows 'arc-figures (getf plist :arcs)
                         :name (lambda (plist)
                                 (list (getf plist :caller)
                                       (getf plist :callee))))))
        (flet ((table (key kind &rest more)
                 (list key (apply #'rows kind (getf plist key) more))))
          (setf (known-figures profile)
                (append
                 (table :functions 'function-figures :types #'types-of
                        :callers (by-name arcs :callee)
                        :callees (by-name arcs :caller))
                 (list :arcs arcs :types (types-of plist))
                 (table :bins 'bin-figures :types #'types-of
                        :name (lambda (plist) (getf plist :size)))
                 (table :regions 'region-figures)
                 (table :phases 'phase-figures
                        :name (lambda (plist)
                                (intern (string-upcase (getf plist :name))
                                        '#:keyword)))
                 (table :threads 'thread-figures)
                 (table :advice 'advice)
                 plist))))))

(defmethod data:figure (key (x profile))
  (case key
    (:contexts
     (let ((contexts '()))
       (data:map-contexts (lambda (context) (push context contexts)) x)
       (nreverse contexts)))
    (:holders (load-profile x :value :held))
    (t (getf-figure key (figures x) 'profiles))))

(defun data:row (table name &optional (profile (load-profile)))
  "Return the row NAME of TABLE in PROFILE, or NIL.

TABLE: :FUNCTIONS, :ARCS, :TYPES, :REGIONS, :PHASES or :THREADS.
NAME: a string as in the tables, or a symbol or list that prints as one, such as
(SETF FOO) or (METHOD AREA :AROUND (INTEGER)).  A class has its own name, a
phase is a keyword, and a region may have a name as for MPROF:WITH-REGION.  An
arc is a list of two names, caller and callee.
PROFILE (default: what was counted in this Lisp so far).

Example: (mprof.data:row :arcs '(app::main app::parse))"
  (find (case table
          (:phases name)
          (:regions (region-name name))
          (:arcs (mapcar #'displayed-name name))
          (t (displayed-name name)))
        (data:figure table profile) :key (data:reader :name) :test #'equal))

(defun data:type-functions (name &optional (profile (load-profile)))
  "Return the functions that allocated objects of the type or class NAME in
PROFILE: a list of pairs of rows (FUNCTION . TYPE), the largest bytes first.
TYPE counts the objects that FUNCTION itself allocated.  For NAME and PROFILE,
see ROW.

Example: (mprof.data:type-functions 'cons)"
  (let ((name (displayed-name name)))
    (stable-sort (loop for function in (data:figure :functions profile)
                       nconc (loop for type in (data:figure :types function)
                                   when (string= name (data:figure :name type))
                                     collect (cons function type)))
                 #'> :key (lambda (pair) (data:figure :bytes (cdr pair))))))

(defun data:comment (key profile)
  "Return the comment KEY of PROFILE, a string, or NIL.  The second value is a
list of all comments with this key.

Example: (mprof.data:comment \"mprof.bytes\" (mprof:load-profile))"
  (let ((values (loop for (name . value) in (data:figure :comments profile)
                      when (string= name key)
                        collect value)))
    (values (first values) values)))

(defmethod print-object ((profile profile) stream)
  ;; known figures only, so that it is cheap
  (let* ((figures (known-figures profile))
         (source (profile-source profile))
         (allocations (or (getf figures :allocations)
                          (source-allocations source)))
         (bytes (or (getf figures :bytes) (source-bytes source))))
    (print-unreadable-object (profile stream :type t)
      (if allocations
          (format stream "~D allocations, ~D bytes" allocations bytes)
          (format stream "of ~{~A~^, ~}" (source-files source)))
      (unless figures
        (format stream "~@[, of it~{ ~S~}~]" (profile-options profile))))))

(defmethod describe-object ((profile profile) stream)
  (report :profile profile :stream stream :limit 5 :no-legend t
          :tables '(:direct :types :phases :threads)))
