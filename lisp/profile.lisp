;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; profile.lisp -- a profile as a Lisp object.
;;;;
;;;; A PROFILE holds the profile file, packed as it is (some five bytes a
;;;; context), and what to choose of it.  It never changes: counting that goes
;;;; on, or a file that is written anew, is another profile.  Whatever is asked
;;;; of it, figures, contexts, tables, files, the C library makes from these
;;;; octets; the figures are kept when they have been asked for once.

(in-package #:mprof)

(defclass profile ()
  ((source :initarg :source :accessor profile-source
           :documentation "The profile file, a vector of octets; or a list of
names, strings, of files that have not been read yet.")
   (choices :initarg :choices :initform '() :reader profile-choices
            :documentation "A property list of *SELECTIONS*.")
   (samples :initarg :samples :initform t :reader profile-samples
            :documentation "T, or a list of the numbers of the samples that
count.")
   (figures :initform nil :accessor known-figures
            :documentation "A REDUCTION, or NIL while nobody has asked."))
  (:documentation
   "All that was counted: totals, functions, arcs of the call graph, types,
sizes, phases, threads and contexts.  PROFILE makes one, and so do REPORT and
FILTER-PROFILE; PROFILE-FUNCTIONS and so on give what is in it.  It is a
snapshot: counting on does not change it."))

;;; Files

(defun octets-of-file (name)
  "What is in the file NAME, a string: a vector of octets."
  (with-open-file (stream name :element-type '(unsigned-byte 8))
    (let ((octets (make-array (file-length stream)
                              :element-type '(unsigned-byte 8))))
      (read-sequence octets stream)
      octets)))

(defun call-with-temporary-file (function write)
  "Call FUNCTION with the name of a temporary file that WRITE, a function of
the name, has filled; the file is gone afterwards.  Gives back FUNCTION's
values."
  (let ((file (namestring (ext:mkstemp "TMP:mprof-"))))
    (unwind-protect
         (progn (funcall write file)
                (funcall function file))
      (delete-file file))))

(defun call-with-octets-file (function octets)
  "Call FUNCTION with the name of a temporary file with OCTETS."
  (call-with-temporary-file
   function
   (lambda (name)
     (with-open-file (stream name :direction :output :if-exists :overwrite
                                  :element-type '(unsigned-byte 8))
       (write-sequence octets stream)))))

(defun call-with-numbers-file (function numbers)
  "Call FUNCTION with the name of a temporary file with NUMBERS, integers."
  (call-with-temporary-file
   function
   (lambda (name)
     (with-open-file (stream name :direction :output :if-exists :overwrite)
       (with-standard-io-syntax
         (dolist (number numbers)
           (prin1 number stream)
           (terpri stream)))))))

(defun call-with-arguments (function profile)
  "Call FUNCTION with two lists: the options and the files, as arguments of the
command mprof, that stand for PROFILE."
  (let ((choices (choice-options (profile-choices profile)))
        (source (profile-source profile))
        (samples (profile-samples profile)))
    (flet ((proceed (options)
             (if (listp source)
                 (funcall function options (cons "--" source))
                 (call-with-octets-file
                  (lambda (name) (funcall function options (list "--" name)))
                  source))))
      (if (eq samples t)
          (proceed choices)
          (call-with-numbers-file
           (lambda (name)
             (proceed (cons (format nil "--samples=~A" name) choices)))
           samples)))))

(defun read-source (names)
  "What is in the files NAMES, a list of strings, all together: a vector of
octets."
  (if (and (null (rest names))
           (pathname-name (probe-file (first names))))
      (octets-of-file (first names))
      (call-with-temporary-file
       #'octets-of-file
       (lambda (file)
         (apply #'mprof.bindings:run-command "merge" "-o" file "--"
                names)))))

(defun signal-failure (profile status message offset)
  "Signal what the command mprof says about PROFILE."
  (if (eql status 2)
      (error 'mprof-error :reason message)
      (let ((source (profile-source profile)))
        (error 'profile-file-error
               :reason message
               :pathname (and (consp source) (pathname (first source)))
               :offset offset :advice *advice-on-reading*))))

(defun call-with-export (function profile &rest arguments)
  "Run the command mprof with ARGUMENTS, the first of which is its name, on
PROFILE, and call FUNCTION with what it prints: UTF-8 in a base string that is
gone afterwards.  Gives back FUNCTION's value, which is not NIL."
  (multiple-value-bind (value status message offset)
      (call-with-arguments
       (lambda (options files)
         (apply #'mprof.bindings:call-with-output function
                (append arguments options files)))
       profile)
    (unless value
      (signal-failure profile status message offset))
    ;; What was good to read is what the profile is from now on.
    (when (listp (profile-source profile))
      (setf (profile-source profile) (read-source (profile-source profile))))
    value))

;;; Making one

(defun snapshot (choices)
  "What was counted in this Lisp until now, as a PROFILE with CHOICES."
  (make-instance 'profile
                 :source (call-with-temporary-file #'octets-of-file
                                                   #'write-profile)
                 :choices choices))

(defun call-with-profile (function file profile choices)
  "Call FUNCTION with the PROFILE that FILE, PROFILE and CHOICES stand for, the
arguments of REPORT; when a file cannot be read, the restart USE-VALUE takes
another one.  Gives back that PROFILE."
  (when (and file profile)
    (error 'mprof-error :reason "FILE and PROFILE are given, one is enough"))
  (let ((selections (selections choices)))
    (flet ((call (profile)
             (funcall function profile)
             profile))
      (cond (profile
             (call (if selections
                       (apply #'filter-profile profile selections)
                       profile)))
            ((null file)
             (call (snapshot selections)))
            (t
             (loop
               (restart-case
                   (return (call (profile-of-files file selections)))
                 (use-value (other)
                   :report "Read another file."
                   :interactive read-file-name
                   (setf file other)))))))))

(defun profile-of-files (files choices)
  "A PROFILE of FILES, a pathname designator or a list of these, with CHOICES.
Nothing is read yet."
  (make-instance 'profile
                 :source (mapcar #'file-name
                                  (if (listp files) files (list files)))
                 :choices choices))

(defun profile (&optional file
                &rest choices
                &key focus ignore hide show show-from hide-system by
                  phase thread region show-runtime show-root)
  "The figures as Lisp data, an object of type PROFILE.

FILE (pathname designator, default NIL): a profile file to read, a folder of
them, or a list of files to add up; NIL takes what was counted in this Lisp until
now.
CHOICES: FOCUS, IGNORE, HIDE, SHOW, SHOW-FROM, HIDE-SYSTEM, BY, PHASE, THREAD,
REGION, SHOW-RUNTIME and SHOW-ROOT, as for REPORT (default NIL).

PROFILE-FUNCTIONS, PROFILE-ARCS, PROFILE-TYPES, PROFILE-BINS, PROFILE-REGIONS,
PROFILE-PHASES and PROFILE-THREADS give lists; FIND-FUNCTION, FIND-ARC, FIND-TYPE,
FIND-REGION, FIND-PHASE and FIND-THREAD look things up by name; MAP-CONTEXTS walks over all call chains.
REPORT prints tables of it, SAVE writes it to a file, FILTER-PROFILE chooses a
part of it, COMPARE-PROFILES compares two.

Signals PROFILE-FILE-ERROR when FILE cannot be read or is no profile; the
restart USE-VALUE takes another one.  Signals MPROF-ERROR for choices that make
no sense.  Warns with PROFILE-INCOMPLETE.

Example:

   (mprof:profile-functions (mprof:profile \"mprof.data\" :phase :run))"
  (declare (ignore focus ignore hide show show-from hide-system by phase
                   thread region show-runtime show-root))
  (call-with-profile #'reduction file nil choices))

;;; The figures

(defstruct (reduction (:constructor make-reduction
                          (&key allocations bytes functions arcs types bins
                             regions phases threads comments
                           &allow-other-keys))
                      (:copier nil)
                      (:predicate nil))
  "What `mprof export --format=lisp' says of a profile."
  allocations bytes functions arcs types bins regions phases threads comments)

(defun phase-keyword (word)
  "The keyword for the phase that the C library calls WORD."
  (intern (string-upcase word) '#:keyword))

(defun reduction-of (data)
  "The reduction that DATA is: what `mprof export --format=lisp' wrote."
  (destructuring-bind (tag &rest plist &key functions arcs types bins regions
                       phases threads &allow-other-keys)
      data
    (assert (eq tag :mprof-profile))
    (flet ((make-types (plists)
             (loop for plist in plists
                   collect (apply #'make-type-figures
                                  :name (getf plist :type) plist))))
      (apply #'make-reduction
             :functions (loop for plist in functions
                              for types = (make-types (getf plist :types))
                              collect (apply #'make-function-figures
                                             :types types plist))
             :arcs (loop for plist in arcs
                         collect (apply #'make-arc-figures plist))
             :types (make-types types)
             :bins (loop for plist in bins
                         for types = (make-types (getf plist :types))
                         collect (apply #'make-bin-figures :types types
                                        plist))
             :regions (loop for plist in regions
                            collect (apply #'make-region-figures plist))
             :phases (loop for plist in phases
                           collect (apply #'make-phase-figures
                                          :name (phase-keyword
                                                 (getf plist :phase))
                                          plist))
             :threads (loop for plist in threads
                            collect (apply #'make-thread-figures plist))
             plist))))

(defun reduction (profile)
  "The figures of PROFILE, made when they are asked for first."
  (or (known-figures profile)
      (setf (known-figures profile)
            (reduction-of
             (call-with-export
              (lambda (octets)
                (with-standard-io-syntax
                  (let ((*read-eval* nil))
                    (read-from-string
                     (mprof.bindings:string-of octets)))))
              profile "export" "--format=lisp")))))

(defmacro define-profile-readers (&body readers)
  "Define, for each (SLOT DOCUMENTATION) of READERS, a function PROFILE-SLOT that
gives SLOT of a profile's REDUCTION."
  `(progn
     ,@(loop for (slot documentation) in readers
             collect `(defun ,(intern (format nil "PROFILE-~A" slot) '#:mprof)
                          (profile)
                        ,documentation
                        (,(intern (format nil "REDUCTION-~A" slot) '#:mprof)
                         (reduction profile))))))

(define-profile-readers
  (allocations "How many objects PROFILE counts; an integer.")
  (bytes "The bytes requested for all objects of PROFILE; an integer.")
  (functions "The functions of PROFILE as a list of FUNCTION-FIGURES, the largest
inclusive bytes first.")
  (arcs "The arcs of PROFILE's call graph as a list of ARC-FIGURES, the largest
bytes first.")
  (types "What was allocated in PROFILE as a list of TYPE-FIGURES, the largest
bytes first.")
  (bins "The sizes of what was allocated in PROFILE as a list of BIN-FIGURES, the
smallest first.")
  (regions "What was allocated in each region of PROFILE as a list of
REGION-FIGURES, a region before those in it.")
  (phases "What was allocated in each phase of PROFILE as a list of PHASE-FIGURES,
the largest bytes first.")
  (threads "What each thread of PROFILE allocated as a list of THREAD-FIGURES, the
largest bytes first.")
  (comments "What the profiler said about PROFILE, as a list of (KEY . VALUE), both
strings; see PROFILE-COMMENT."))

(defmethod print-object ((profile profile) stream)
  (print-unreadable-object (profile stream :type t)
    (handler-case
        (format stream "~D allocations, ~D bytes, ~D functions"
                (profile-allocations profile) (profile-bytes profile)
                (length (profile-functions profile)))
      (mprof-error () (format stream "that cannot be read")))))

(defmethod describe-object ((profile profile) stream)
  (format stream "~&~S~%~
                  ~:[~*~;  of it: ~{~S ~S~^, ~}~%~]~
                  ~:[  of it: what a predicate chose~%~;~]"
          profile (profile-choices profile) (profile-choices profile)
          (eq (profile-samples profile) t))
  (loop for (title rows reader)
          in `(("functions, by what they and all below them allocated"
                ,(profile-functions profile) profile-functions)
               ("types" ,(profile-types profile) profile-types)
               ("phases" ,(profile-phases profile) profile-phases)
               ("threads" ,(profile-threads profile) profile-threads))
        do (format stream "~&~D ~A (~(mprof:~A~))~%~{    ~S~%~}~
                           ~:[~;    ...~%~]"
                   (length rows) title reader
                   (subseq rows 0 (min 5 (length rows)))
                   (> (length rows) 5)))
  (format stream "~&(mprof:report :profile PROFILE) prints its tables.~%"))
