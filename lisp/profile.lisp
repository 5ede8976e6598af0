;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; profile.lisp -- a profile as a Lisp object.
;;;;
;;;; The C library holds the profile, open as long as the Lisp object lives; the
;;;; object says what to choose of it.  It never changes: counting that goes on,
;;;; or a file that is written anew, is another profile.  Whatever is asked of
;;;; it, figures, contexts, tables, files, the C library makes; the figures are
;;;; kept when they have been asked for once.

(in-package #:mprof)

(defstruct (source (:copier nil) (:predicate nil))
  "An open profile: ADDRESS is that of the C library.  FILES are names, if it
was read; ALLOCATIONS and BYTES what it counts, if that is known."
  address files allocations bytes)

(defclass profile ()
  ((source :initarg :source :reader profile-source
           :documentation "A SOURCE; several profiles may share it.")
   (choices :initarg :choices :initform '() :reader profile-choices
            :documentation "A property list of choices for :PART.")
   (samples :initarg :samples :initform nil :reader profile-samples
            :documentation "The numbers of the samples that count, as the
bindings take them; NIL: all.")
   (figures :initform nil :accessor known-figures
            :documentation "A property list, or NIL while nobody has asked."))
  (:documentation
   "All that was counted: totals, functions, arcs of the call graph, types,
sizes, phases, threads and contexts, which the readers of MPROF.DATA give.  The
function PROFILE makes one, and so do REPORT and FILTER-PROFILE.  It is a
snapshot: counting on does not change it.

Example: (mprof.data:bytes (mprof:profile))"))

;;; Files

(defparameter *advice-on-writing*
  "Nothing is lost: the figures are in memory.  Choose another file with the
restart USE-VALUE, or call (mprof:save FILE) later.")

(defparameter *advice-on-reading*
  "Give a file that (mprof:save FILE) or `mprof run' wrote, or another pprof
profile of allocations.")

(defun file-name (file)
  "FILE, a pathname designator, as an absolute name for the C side."
  (let ((pathname (merge-pathnames (translate-logical-pathname file))))
    (coerce (si:coerce-to-filename pathname) 'simple-string)))

(defun ask-for-file (there-p)
  "Ask the user for a file, for the restart USE-VALUE, until THERE-P is true of
its name.  An empty line gives up."
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
  "A SOURCE with the profile at ADDRESS, and SLOTS; it is closed when nobody
refers to the SOURCE any more."
  (when (eql address 0) (fail "out of memory"))
  (let ((source (apply #'make-source :address address slots))
        ;; made now, for it may be used while a program is counted
        (arguments (list address)))
    (ext:set-finalizer source (lambda (object)
                                (declare (ignore object))
                                (c:close-profile arguments)))
    source))

(defun warn-if-incomplete ()
  "Warn with PROFILE-INCOMPLETE if the figures are that."
  (let ((overflows (counter :overflows)))
    (when (plusp overflows)
      (warn 'profile-incomplete :overflows overflows))))

(defun profile-of-snapshot (snapshot allocations bytes &optional choices)
  "A PROFILE of SNAPSHOT, an address, with so many ALLOCATIONS and BYTES."
  (make-instance 'profile :source (open-source (c:open-snapshot snapshot)
                                               :allocations allocations
                                               :bytes bytes)
                          :choices choices))

(defun snapshot (choices before)
  "What was counted in this Lisp until now, as a PROFILE with CHOICES; BEFORE is
that of BEFORE-WRITING."
  (prog1 (mp:with-lock (*lock*)
           (let ((snapshot (c:take-snapshot (list before))))
             (when (eql snapshot 0)
               (fail "~A" (c:monitor-message)))
             (unwind-protect (profile-of-snapshot snapshot (allocations) (bytes)
                                                  choices)
               (c:free-snapshot (list snapshot)))))
    (warn-if-incomplete)))

(defun before-writing (choices)
  "What C:MONITOR-WRITE is to do first when CHOICES are made."
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
  "A PROFILE of FILES, a pathname designator or a list of these, with CHOICES."
  (let ((names (mapcar #'file-name (ensure-list files))))
    (make-instance 'profile :source (open-source (c:open-files names)
                                                 :files names)
                            :choices choices)))

(defun run-on (function profile &rest arguments)
  "Run the command mprof with ARGUMENTS, the first of which is its name, on
PROFILE, and call FUNCTION with what it prints: UTF-8 in a base string that is
gone afterwards.  The values are FUNCTION's, or NIL and those of the binding."
  (multiple-value-prog1
      (apply #'c:call-with-output function
             (source-address (profile-source profile))
             (profile-samples profile)
             (append arguments (choice-options (profile-choices profile))))
    (profile-source profile)))          ; it must live until here

(defun call-with-export (function profile &rest arguments)
  "As RUN-ON, but signal what goes wrong.  FUNCTION's value must not be NIL."
  (multiple-value-bind (value status message offset)
      (apply #'run-on function profile arguments)
    (or value
        (signal-failure status message offset
                        (first (source-files (profile-source profile)))
                        *advice-on-reading*))))

(defun signal-failure (status message offset file advice)
  "Signal what the command mprof says about FILE."
  (let ((reason (in-keywords message)))
    (if (eql status 2)
        (error 'mprof-error :reason reason)
        (error 'profile-file-error :reason reason :offset offset :advice advice
                                   :pathname (and file (pathname file))))))

(defun call-with-profile (function file profile choices)
  "Call FUNCTION with the PROFILE that FILE, PROFILE and CHOICES stand for, the
arguments of REPORT; when a file cannot be read, the restart USE-VALUE takes
another one.  Gives back that PROFILE."
  (when (and file profile)
    (fail "FILE and PROFILE are given, one is enough"))
  (let ((part (chosen :part choices)))
    (flet ((call (profile)
             (funcall function profile)
             profile))
      (cond (profile
             (call (if part
                       (apply #'filter-profile profile part)
                       profile)))
            ((null file)
             (call (snapshot part (before-writing choices))))
            (t
             (loop
               (restart-case
                   (return (call (profile-of-files file part)))
                 (use-value (other)
                   :report "Read another file."
                   :interactive (lambda () (ask-for-file #'probe-file))
                   (setf file other)))))))))

(define-choosing profile (&optional file) (:part :collect)
  "The figures as Lisp data, an object of type PROFILE.

FILE (pathname designator, default NIL): a profile file to read, a folder of
them, or a list of files to add up; NIL takes what was counted in this Lisp
until now.
~A
The package MPROF.DATA reads it: FUNCTIONS, ARCS, TYPES and so on are lists, ROW
looks something up by its name, MAP-CONTEXTS walks over all call chains.  REPORT
prints tables of it, SAVE writes it to a file, FILTER-PROFILE chooses a part of
it, COMPARE-PROFILES compares two.

Signals PROFILE-FILE-ERROR when FILE cannot be read or is no profile; the
restart USE-VALUE takes another one.  Signals MPROF-ERROR for choices that make
no sense.  Warns with PROFILE-INCOMPLETE.

Example:

   (mprof.data:functions (mprof:profile \"mprof.data\" :phase :run))"
  (call-with-profile #'figures file nil choices))

;;; The figures

(defun phase-keyword (word)
  "The keyword for the phase that the C library calls WORD."
  (intern (string-upcase word) '#:keyword))

(defun rows (kind plists &rest more)
  "Rows of KIND from PLISTS.  MORE is a property list of functions that make
further values of one of PLISTS."
  (loop for plist in plists
        collect (make-figures
                 kind
                 (append (loop for (key maker) on more by #'cddr
                               collect key
                               collect (funcall maker plist))
                         plist))))

(defun reader (key)
  "A function of a property list that gives the value of KEY."
  (lambda (plist) (getf plist key)))

(defun type-rows (plists)
  "What PLISTS say of types, as rows."
  (rows 'type-figures plists
        :name (lambda (plist) (or (getf plist :class) (getf plist :type)))))

(defun types-of (plist)
  "The rows of types within PLIST."
  (type-rows (getf plist :types)))

(defparameter *died*
  '((0 :died-0-allocations :died-0-bytes) (1 :died-1-allocations :died-1-bytes)
    (2 :died-2-allocations :died-2-bytes) (4 :died-4-allocations :died-4-bytes)
    (8 :died-8-allocations :died-8-bytes))
  "How many collections objects survived, and what that is called.")

(defparameter *alive*
  '((0 :new-allocations :new-bytes) (1 :live-1-allocations :live-1-bytes)
    (2 :live-2-allocations :live-2-bytes) (4 :live-4-allocations :live-4-bytes)
    (8 :live-8-allocations :live-8-bytes))
  "The same of what is alive.")

(defun survived (bands plists)
  "(COLLECTIONS OBJECTS BYTES) for each of BANDS, *DIED* or *ALIVE*, summed over
PLISTS."
  (flet ((sum (key)
           (loop for plist in plists sum (getf plist key))))
    (loop for (collections objects bytes) in bands
          for sum = (sum bytes)
          when (plusp sum)
            collect (list collections (sum objects) sum))))

(defun survival-rows (plists)
  "What PLISTS say of survival, as rows."
  (rows 'survival-figures plists
        :name (reader :function)
        :died (lambda (plist) (survived *died* (list plist)))
        :alive (lambda (plist) (survived *alive* (list plist)))))

(defun by-name (rows reader)
  "A function of a property list with a :NAME that gives those of ROWS for which
READER gives it."
  (let ((table (make-hash-table :test #'equal)))
    (dolist (row (reverse rows))
      (push row (gethash (funcall reader row) table)))
    (lambda (plist) (gethash (getf plist :name) table))))

(defun figures-of (data)
  "The tables of DATA, what `mprof export --format=lisp' wrote; by keyword."
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
  "The figures of PROFILE, made when they are asked for first."
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

;;; Who holds what

(defmethod data:holders ((x profile))
  (let ((holders (make-instance 'profile
                                :source (profile-source x)
                                :samples (profile-samples x)
                                :choices (list* :value :held
                                                (profile-choices x)))))
    (figures holders)                   ; what is missing is said now
    holders))

;;; Looking up

(defun data:row (table name &optional (profile (profile)))
  "The row NAME of TABLE in PROFILE, or NIL.

TABLE: :FUNCTIONS, :ARCS, :TYPES, :REGIONS, :PHASES or :THREADS.
NAME: a string as in the tables; a symbol, or a list such as (SETF FOO) or
(METHOD AREA :AROUND (INTEGER)), stands for what they show.  Classes go by their
own names, phases by keywords, regions also by a name as for MPROF:WITH-REGION.
For :ARCS it is a list of two names, caller and callee.
PROFILE (default: what was counted in this Lisp until now).

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
  "Who allocated objects of the type or class NAME in PROFILE, and how much: a
list of (FUNCTION . TYPE), rows, the largest bytes first; TYPE is what that
function itself allocated of NAME.  NAME and PROFILE are as for ROW.

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
  "What the profiler said about KEY in PROFILE: a string, or NIL.  When KEY is
there more than once, the second value is a list of all.

Example: (mprof.data:comment \"mprof.bytes\" (mprof:profile))"
  (let ((values (loop for (name . value) in (data:comments profile)
                      when (string= name key)
                        collect value)))
    (values (first values) values)))

;;; How it prints: what is known, for to print an object is no work.

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
