;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; profile.lisp -- a profile as a Lisp object.
;;;;
;;;; The C library holds the profile, which stays open as long as the Lisp
;;;; object lives.  The object has the choices that select a part of it.  It
;;;; never changes, even if counting continues or its file is rewritten.  The C
;;;; library makes all figures, contexts, tables and files; figures are kept.

(in-package #:mprof)

(defstruct (source (:copier nil) (:predicate nil))
  "An open profile.  ADDRESS is its address in the C library.  FILES are the
names of its files, if any; ALLOCATIONS and BYTES are its totals, if known."
  address files allocations bytes)

(defclass profile ()
  ((source :initarg :source :reader profile-source
           :documentation "A SOURCE; several profiles may share it.")
   (choices :initarg :choices :initform '() :reader profile-choices
            :documentation "A property list of choices for :PART.")
   (samples :initarg :samples :initform nil :reader profile-samples
            :documentation "The numbers of the samples to use, in the form
that the bindings take; NIL for all.")
   (figures :initform nil :accessor known-figures
            :documentation "A property list, or NIL before the first use."))
  (:documentation
   "A profile: totals, functions, arcs of the call graph, types, sizes, phases,
threads and contexts, for the readers of MPROF.DATA.  PROFILE, REPORT and
FILTER-PROFILE return objects of this type.  A profile is a snapshot: further
counting does not change it.

Example: (mprof.data:bytes (mprof:profile))"))

;;; Files

(defparameter *advice-on-writing*
  "Nothing is lost: the figures are in memory.  Choose another file with the
restart USE-VALUE, or call (mprof:save FILE) later.")

(defparameter *advice-on-reading*
  "Give a file that (mprof:save FILE) or `mprof run' wrote, or another pprof
profile of allocations.")

(defun file-name (file)
  "Return the absolute name of FILE, a pathname designator, for the C side."
  (let ((pathname (merge-pathnames (translate-logical-pathname file))))
    (coerce (si:coerce-to-filename pathname) 'simple-string)))

(defun ask-for-file (there-p)
  "Ask the user for a file, for the restart USE-VALUE, until its name satisfies
THERE-P.  An empty line gives up."
  (loop
    (format *query-io* "~&Name of the file, or an empty line to give up: ")
    (finish-output *query-io*)
    (let ((line (string-trim " \"" (or (read-line *query-io* nil) ""))))
      (cond ((string= line "") (abort))
            ((and (not (find (char line 0) "(:'#"))
                  (ignore-errors (funcall there-p line)))
             (return (list line)))
            (t (format *query-io* "~&There is no file ~A.~%" line))))))

;;; Open profiles

(defun open-source (address &rest slots)
  "Return a SOURCE with SLOTS for the profile at ADDRESS, and close the profile
when the SOURCE is garbage."
  (when (eql address 0) (fail "out of memory"))
  (let ((source (apply #'make-source :address address slots))
        ;; made now, since it may be used while a program is counted
        (arguments (list address)))
    (ext:set-finalizer source (lambda (object)
                                (declare (ignore object))
                                (c:close-profile arguments)))
    source))

(defun warn-if-incomplete ()
  "Signal the warning PROFILE-INCOMPLETE if contexts overflowed."
  (let ((overflows (counter :overflows)))
    (when (plusp overflows)
      (warn 'profile-incomplete :overflows overflows))))

(defun profile-of-snapshot (snapshot allocations bytes &optional choices)
  "Return a PROFILE of SNAPSHOT, an address, with totals ALLOCATIONS and BYTES."
  (make-instance 'profile :source (open-source (c:open-snapshot snapshot)
                                               :allocations allocations
                                               :bytes bytes)
                          :choices choices))

(defun snapshot (choices before)
  "Return a PROFILE of everything counted in this Lisp so far, with CHOICES.
BEFORE is a value of BEFORE-SNAPSHOT."
  (prog1 (mp:with-lock (*lock*)
           (let ((snapshot (c:take-snapshot (list before))))
             (when (eql snapshot 0)
               (fail "~A" (c:monitor-message)))
             (unwind-protect (profile-of-snapshot snapshot (allocations) (bytes)
                                                  choices)
               (c:free-snapshot (list snapshot)))))
    (warn-if-incomplete)))

(defun before-snapshot (choices)
  "Return the argument of C:TAKE-SNAPSHOT for CHOICES."
  (flet ((chosen-p (keyword &rest values)
           (intersection (or values '(t))
                         (ensure-list (getf choices keyword)))))
    (cond ((or (chosen-p :holders) (chosen-p :type :held)
               (chosen-p :tables :held)
               (chosen-p :value :held :held-allocations))
           2)
          ((chosen-p :collect) 1)
          (t 0))))

(defun profile-of-files (files choices)
  "Return a PROFILE of FILES, a file or a list of files, with CHOICES."
  (let ((names (mapcar #'file-name (ensure-list files))))
    (make-instance 'profile :source (open-source (c:open-files names)
                                                 :files names)
                            :choices choices)))

(defun run-on (function profile &rest arguments)
  "Run mprof on PROFILE with ARGUMENTS, which begin with the name of a command.
Call FUNCTION with the output: UTF-8 in a base string that is freed afterwards.
Return the values of FUNCTION, or NIL and the other values of the binding."
  (multiple-value-prog1
      (apply #'c:call-with-output function
             (source-address (profile-source profile))
             (profile-samples profile)
             (append arguments (choice-options (profile-choices profile))))
    (profile-source profile)))          ; it must live until here

(defun call-with-export (function profile &rest arguments)
  "Like RUN-ON, but signal errors.  FUNCTION must not return NIL."
  (multiple-value-bind (value status message offset)
      (apply #'run-on function profile arguments)
    (or value
        (signal-failure status message offset
                        (first (source-files (profile-source profile)))
                        *advice-on-reading* profile))))

(defun signal-failure (status message offset file advice profile)
  "Signal the error MESSAGE of the command mprof, about FILE, or about the file
of rules that PROFILE has."
  (let ((reason (in-keywords message))
        (rules (getf (profile-choices profile) :rules)))
    (if (or (eql status 2) (and rules (search (file-name rules) message)))
        (error 'mprof-error :reason reason)
        (error 'profile-file-error :reason reason :offset offset :advice advice
                                   :pathname (and file (pathname file))))))

(defun call-with-profile (function file profile choices)
  "Call FUNCTION with the PROFILE selected by FILE, PROFILE and CHOICES, the
arguments of REPORT, and return that PROFILE.  If a file cannot be read, the
restart USE-VALUE takes another one."
  (when (and file profile)
    (fail "FILE and PROFILE cannot be used together"))
  (let ((part (chosen :part choices)))
    (flet ((call (profile)
             (funcall function profile)
             profile))
      (cond (profile
             (call (if part
                       (apply #'filter-profile profile part)
                       profile)))
            ((null file)
             (call (snapshot part (before-snapshot choices))))
            (t
             (loop
               (restart-case
                   (return (call (profile-of-files file part)))
                 (use-value (other)
                   :report "Read another file."
                   :interactive (lambda () (ask-for-file #'probe-file))
                   (setf file other)))))))))

(define-choosing profile (&optional file) (:part :collect)
  "Return the figures as Lisp data, an object of type PROFILE.

FILE (pathname designator, default NIL): a profile file to read, a folder of
them, or a list of files to add up; NIL stands for what was counted in this Lisp
so far.
~A
The package MPROF.DATA reads it: FUNCTIONS, ARCS, TYPES and so on return lists,
ROW finds a row by its name, and MAP-CONTEXTS walks over all call chains.
REPORT prints tables of it, SAVE writes it to a file, FILTER-PROFILE selects a
part of it, and COMPARE-PROFILES compares two.

Signals PROFILE-FILE-ERROR if FILE is not a readable profile; the restart
USE-VALUE takes another file.  Signals MPROF-ERROR for invalid choices, and the
warning PROFILE-INCOMPLETE.

Example:

   (mprof.data:functions (mprof:profile \"mprof.data\" :phase :run))"
  (call-with-profile #'figures file nil choices))

;;; The figures

(defun phase-keyword (word)
  "Return the keyword for the phase that the C library calls WORD."
  (intern (string-upcase word) '#:keyword))

(defun rows (kind plists &rest more)
  "Return rows of KIND made from PLISTS.  MORE is a property list of functions
that compute further values from one of PLISTS."
  (loop for plist in plists
        collect (make-figures
                 kind
                 (append (loop for (key maker) on more by #'cddr
                               collect key
                               collect (funcall maker plist))
                         plist))))

(defun reader (key)
  "Return a function that returns the value of KEY in a property list."
  (lambda (plist) (getf plist key)))

(defun type-rows (plists)
  "Return the rows for PLISTS, which describe types."
  (rows 'type-figures plists
        :name (lambda (plist) (or (getf plist :class) (getf plist :type)))))

(defun types-of (plist)
  "Return the rows for the types in PLIST."
  (type-rows (getf plist :types)))

(defparameter *died*
  '((0 :died-0-allocations :died-0-bytes) (1 :died-1-allocations :died-1-bytes)
    (2 :died-2-allocations :died-2-bytes) (4 :died-4-allocations :died-4-bytes)
    (8 :died-8-allocations :died-8-bytes))
  "Numbers of collections survived, with the keys of allocations and bytes.")

(defparameter *alive*
  '((0 :new-allocations :new-bytes) (1 :live-1-allocations :live-1-bytes)
    (2 :live-2-allocations :live-2-bytes) (4 :live-4-allocations :live-4-bytes)
    (8 :live-8-allocations :live-8-bytes))
  "Like *DIED*, for live objects.")

(defun survived (bands plists)
  "Return (COLLECTIONS OBJECTS BYTES) for each of BANDS, *DIED* or *ALIVE*,
summed over PLISTS."
  (flet ((sum (key)
           (loop for plist in plists sum (getf plist key))))
    (loop for (collections objects bytes) in bands
          for sum = (sum bytes)
          when (plusp sum)
            collect (list collections (sum objects) sum))))

(defun survival-rows (plists)
  "Return the rows for PLISTS, which describe survival."
  (rows 'survival-figures plists
        :name (reader :function)
        :died (lambda (plist) (survived *died* (list plist)))
        :alive (lambda (plist) (survived *alive* (list plist)))))

(defun by-name (rows reader)
  "Return a function of a property list that returns the elements of ROWS whose
READER value is its :NAME."
  (let ((table (make-hash-table :test #'equal)))
    (dolist (row (reverse rows))
      (push row (gethash (funcall reader row) table)))
    (lambda (plist) (gethash (getf plist :name) table))))

(defun figures-of (data)
  "Return the tables in DATA, from `mprof export --format=lisp', by keyword."
  (destructuring-bind (tag &key allocations bytes live-allocations live-bytes
                       functions arcs types survival bins regions phases threads
                       advice comments &allow-other-keys)
      data
    (assert (eq tag :mprof-profile))
    (let ((arcs (rows 'arc-figures arcs)) (lives (survival-rows survival)))
      (list :allocations allocations :bytes bytes :comments comments :arcs arcs
            :live-allocations live-allocations :live-bytes live-bytes
            :survival lives :died (survived *died* survival)
            :alive (survived *alive* survival)
            :functions (rows 'function-figures functions :types #'types-of
                             :callers (by-name arcs #'data:callee)
                             :callees (by-name arcs #'data:caller)
                             :survival (by-name lives #'data:name)
                             :allocations (reader :inclusive-allocations)
                             :bytes (reader :inclusive-bytes)
                             :live-allocations
                             (reader :inclusive-live-allocations)
                             :live-bytes (reader :inclusive-live-bytes)
                             :calls (reader :activations))
            :types (type-rows types) :threads (rows 'thread-figures threads)
            :bins (rows 'bin-figures bins :types #'types-of
                        :name (reader :size))
            :regions (rows 'region-figures regions :name (reader :path)
                           :calls (reader :entered))
            :advice (rows 'advice advice :name (reader :function))
            :phases (rows 'phase-figures phases
                          :name (lambda (plist)
                                  (phase-keyword (getf plist :phase))))))))

(defun figures (profile)
  "Return the figures of PROFILE, which are made on first use."
  (or (known-figures profile)
      (setf (known-figures profile)
            (figures-of
             (call-with-export
              (lambda (octets)
                (with-standard-io-syntax
                  (let ((*read-eval* nil))
                    (read-from-string (c:string-of octets)))))
              profile "export" "--format=lisp")))))

(macrolet ((define-profile-readers (&rest readers)
             `(progn
                ,@(loop for reader in readers
                        for key = (intern (symbol-name reader) '#:keyword)
                        collect `(defmethod ,reader ((x profile))
                                   (getf (figures x) ,key))))))
  (define-profile-readers data:allocations data:bytes data:live-allocations
    data:live-bytes data:functions data:arcs data:types data:survival data:died
    data:alive data:bins data:regions data:phases data:threads data:advice
    data:comments))

;;; Holders

(defmethod data:holders ((x profile))
  (let ((holders (make-instance 'profile
                                :source (profile-source x)
                                :samples (profile-samples x)
                                :choices (list* :value :held
                                                (profile-choices x)))))
    (figures holders)                   ; signals missing data now
    holders))

;;; Looking up

(defun data:row (table name &optional (profile (profile)))
  "Return the row NAME of TABLE in PROFILE, or NIL.

TABLE: :FUNCTIONS, :ARCS, :TYPES, :REGIONS, :PHASES or :THREADS.
NAME: a string as in the tables, or a symbol or list that prints as one, such as
(SETF FOO) or (METHOD AREA :AROUND (INTEGER)).  A class has its own name, a
phase is a keyword, and a region may have a name as for MPROF:WITH-REGION.  An
arc is a list of two names, caller and callee.
PROFILE (default: what was counted in this Lisp so far).

Example: (mprof.data:row :arcs '(app::main app::parse))"
  (flet ((look-up (rows name)
           (find name rows :key #'data:name :test #'equal)))
    (ecase table
      (:functions (look-up (data:functions profile) (displayed-name name)))
      (:types (look-up (data:types profile) (displayed-name name)))
      (:threads (look-up (data:threads profile) (displayed-name name)))
      (:regions (look-up (data:regions profile) (region-name name)))
      (:phases (look-up (data:phases profile) name))
      (:arcs (destructuring-bind (caller callee) (mapcar #'displayed-name name)
               (find-if (lambda (arc)
                          (and (string= caller (data:caller arc))
                               (string= callee (data:callee arc))))
                        (data:arcs profile)))))))

(defun data:type-functions (name &optional (profile (profile)))
  "Return the functions that allocated objects of the type or class NAME in
PROFILE: a list of pairs of rows (FUNCTION . TYPE), the largest bytes first.
TYPE counts the objects that FUNCTION itself allocated.  For NAME and PROFILE,
see ROW.

Example: (mprof.data:type-functions 'cons)"
  (let ((name (displayed-name name)))
    (flet ((sorted (pairs reader)
             (stable-sort pairs #'> :key (lambda (pair)
                                           (funcall reader (cdr pair))))))
      (sorted (sorted (loop for function in (data:functions profile)
                            nconc (loop for type in (data:types function)
                                        when (string= name (data:name type))
                                          collect (cons function type)))
                      #'data:allocations)
              #'data:bytes))))

(defun data:comment (key profile)
  "Return the comment KEY of PROFILE, a string, or NIL.  The second value is a
list of all comments with this key.

Example: (mprof.data:comment \"mprof.bytes\" (mprof:profile))"
  (let ((values (loop for (name . value) in (data:comments profile)
                      when (string= name key)
                        collect value)))
    (values (first values) values)))

;;; Printing shows known figures only, so that it is cheap.

(defmethod print-object ((profile profile) stream)
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
        (format stream "~@[, of it~{ ~S~}~]" (profile-choices profile))))))

(defmethod describe-object ((profile profile) stream)
  (report :profile profile :stream stream :limit 5 :legend nil
          :tables '(:direct :types :phases :threads)))
