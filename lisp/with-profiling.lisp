;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; with-profiling.lisp -- profile a body and print what it allocated.

(in-package #:mprof)

(defun call-with-profiling (function &key (report t)
                                       (stream *standard-output*) file
                                       autosave (reset t) (max-contexts 0)
                                       unfolded full-walk live mapped
                                       sites)
  "Call FUNCTION, which takes no arguments, as WITH-PROFILING runs its body."
  (check-autosave file autosave mapped)
  (if (c:monitor-active-p)
      (progn
        (when file
          (with-simple-restart (continue "Run the body without a file.")
            (error 'already-active :reason
                   (format nil "a profile runs already, and ~S can only be ~
                                written by whoever began it" file))))
        (funcall function))
      (let ((options (options max-contexts unfolded full-walk live
                              mapped sites)))
        (unless (member report '(t nil))
          (choice-option :tables report)) ; a wrong table is better said now
        (when reset (reset))
        (multiple-value-prog1
            (call-counting function options file autosave)
          (when report
            (report :tables (if (eq report t) nil report) :collect live
                    :stream (or stream *standard-output*)))
          (when (and file (not (or autosave mapped))) ; STOP has saved it
            (with-simple-restart (continue "Go on without a file.")
              (save file :collect (and live (not report)))))))))

(defun call-counting (function options &optional file autosave)
  "Call FUNCTION while the profiler counts with OPTIONS, a list (MAX-CONTEXTS
FLAGS), and saves to FILE as START does with AUTOSAVE.  When another thread was
faster the profile is that thread's, and it stops it."
  (if (start-unless-active options file autosave)
      (unwind-protect (funcall function)
        (stop))
      (funcall function)))

(defmacro with-profiling (options &body body)
  "Run BODY while counting every allocation, print what it allocated, and give
back BODY's values.  OPTIONS is a list of keywords and values, maybe ():

:REPORT (default T): T prints the usual tables, NIL nothing; else :FLAT, :GRAPH
or what TABLES of REPORT may be.
:STREAM (default *STANDARD-OUTPUT*): where to print.
:FILE (pathname designator, default NIL): write the profile there too, as SAVE
does; a failure has a restart CONTINUE that goes on without.
:RESET (boolean, default T): begin from zero; NIL adds to the figures kept.
:LIVE (boolean, default NIL): as for START, and collect garbage when BODY has
ended: what it left alive shows.
:AUTOSAVE and :MAPPED (with :FILE), :MAX-CONTEXTS, :UNFOLDED, :FULL-WALK, :SITES:
as for START.

All threads are counted, not only this one.  When BODY is left by an error, a
THROW or a RETURN-FROM, counting stops, nothing is printed, the figures stay
for REPORT and SAVE, and the exit goes its way.  Inside another WITH-PROFILING,
or after START, the profile that runs already goes on: BODY is just run, what it
allocates shows there, and only :FILE is refused.

Example:

   (mprof:with-profiling (:report '(:direct :types))
     (compute-something))

Signals ALREADY-ACTIVE (with :RESET NIL, or :FILE), PROFILE-FILE-ERROR."
  (unless (and (listp options) (or (null options) (keywordp (first options))))
    (fail "WITH-PROFILING takes a list of options before the body, maybe an ~
           empty one: (mprof:with-profiling () ~S); ~S is none"
          (if body (first body) options) options))
  (check-keywords 'with-profiling
                  '(:report :stream :file :autosave :reset :max-contexts
                    :unfolded :full-walk :live :mapped :sites)
                  options)
  `(call-with-profiling (lambda () ,@body) ,@options))
