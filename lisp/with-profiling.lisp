;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; with-profiling.lisp -- profile a body and print what it allocated.

(in-package #:mprof)

(defvar *body-counted* nil
  "True in a body with a profile of its own, as in WITH-PROFILING.")

(defmacro profiled-body (&body body)
  "Return a function that runs BODY, and is called so in tables."
  `(lambda ()
     (declare (si::frame-name "profiled body"))
     ,@body))

(defun usable-file (file)
  "Return the absolute pathname of FILE if a profile of a body can be written to
it; else signal why not.  The restart CONTINUE returns NIL."
  (with-simple-restart (continue "Run the body without a file.")
    (when (active-p)
      (error 'already-active :reason
             (format nil "a profile is already running, so ~S cannot be ~
                          written by this one" file)))
    ;; Writing replaces FILE by a new file made beside it: its folder is looked
    ;; at, so that a throw out of this leaves no file.
    (let* ((name (file-name file))
           (file (named-file name))
           (folder (subseq name 0 (1+ (position #\/ name :from-end t))))
           (write-and-search 3))        ; W_OK and X_OK of access(2)
      (unless (eql 0 (file-access folder write-and-search))
        (error 'profile-file-error
               :pathname file
               :reason (format nil "cannot write '~A': its folder does not ~
                                    exist, or is not writable"
                               (string-of name))))
      file)))

(defun call-with-profiling (function &key (report t)
                                       (stream *standard-output*) file
                                       (reset t) (max-contexts 0) unfolded
                                       full-walk live sites timeline)
  "Call FUNCTION, without arguments, the way WITH-PROFILING runs its body."
  (check-argument stream (or stream boolean))
  (let ((file (and file (usable-file file)))
        (stream (or stream *standard-output*)))
    (if (active-p)
        (multiple-value-prog1 (funcall function)
          (when (and report (not *body-counted*))
            ;; FORMAT would be counted.
            (write-line (load-time-value
                         (format nil "mprof: no tables, since it was counting ~
                                      before the body; (mprof:report) prints ~
                                      all."))
                        stream)))
        (let ((options (options max-contexts unfolded full-walk live sites
                                timeline))
              (tables (if (eq report t) nil report))
              (*file-done* nil))
          (when tables
            (multiple-value-bind (output message)
                (run-command "report" (option :tables tables) "--help")
              (unless output (fail "~A" (with-keywords message)))))
          (when reset (reset))
          (multiple-value-prog1
              (call-counting function options
                             (and reset file (complete-type-p file) file))
            (when report
              (report :tables tables :collect live :stream stream))
            (when (and file (or live (not *file-done*))) ; else STOP saved it
              (with-simple-restart (continue "Go on without a file.")
                (save file :collect (and live (not report))))))))))

(defun call-counting (function options &optional file)
  "Call FUNCTION while the profiler counts with OPTIONS, a list (MAX-CONTEXTS
FLAGS INTERVAL), in FILE if that is possible.  If another thread has started
counting first, the profile belongs to that thread, which stops it."
  (let ((*body-counted* t)              ; may allocate, so set before counting
        (owner (list function)))
    (unwind-protect
         (protected
          nil
          (progn
            (handler-bind ((profile-file-error #'continue))
              (start-unless-active options file owner))
            (funcall function))
          (with-lock (*lock*)           ; for END-LEFTOVER-FILE to save
            (when (eq *owner* owner)
              (setf *owner* nil)
              (monitor-stop))))
      (end-leftover-file))))

(defmacro with-profiling (&whole form &optional options &body body)
  "Run BODY while counting every allocation, in all threads, print what it
allocated, and return its values.  OPTIONS is a list of keywords and values:

:REPORT (default T): T prints the usual tables, NIL prints nothing.  Other
values are those of :TABLES of REPORT.
:STREAM (default *STANDARD-OUTPUT*): where to print.
:FILE (pathname designator, default NIL): write the profile to this file too, as
SAVE does.  If that fails, the restart CONTINUE goes on without the file.  A
file of type .data or .pb.gz is counted in as by START, unless :RESET is NIL.
:RESET (boolean, default T): start from zero; NIL adds to the figures in memory.
:LIVE (boolean, default NIL): as for START; also collects garbage after BODY, to
show what it left alive.
:MAX-CONTEXTS, :UNFOLDED, :FULL-WALK, :SITES, :TIMELINE: as for START.

A non-local exit from BODY stops counting and prints nothing; the figures are
kept.  Inside another WITH-PROFILING, or after START or SERVE, BODY becomes part
of the running profile, and :FILE is an error.  After START or SERVE, one line
is printed instead of the tables.

Example:

   (mprof:with-profiling (:report '(:direct :types))
     (compute-something))

Signals ALREADY-ACTIVE (with :RESET NIL, or :FILE), PROFILE-FILE-ERROR."
  (check-head (options-p options)
              form "a list of options and values, or (),")
  (check-options 'with-profiling options
                 (list* :report :stream :reset *start-options*))
  `(call-with-profiling (profiled-body ,@body) ,@options))
