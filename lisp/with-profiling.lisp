;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; with-profiling.lisp -- profile a body and print what it allocated.

(in-package #:mprof)

(defun call-with-profiling (function &key (report t)
                                       (stream *standard-output*) file
                                       (reset t) (budget 0) unfolded
                                       full-walk)
  "Call FUNCTION, which takes no arguments, as WITH-PROFILING runs its body."
  (if (mprof.bindings:monitor-active-p)
      (funcall function)
      (let ((options (options budget unfolded full-walk)))
        (tables-option report)          ; a wrong table is better said now
        (when reset (reset))
        (multiple-value-prog1
            (call-counting function options)
          (when report
            (report :type report
                    :stream (or stream *standard-output*)))
          (when file
            (with-simple-restart (continue "Go on without a file.")
              (save file)))))))

(defun call-counting (function options)
  "Call FUNCTION while the profiler counts with OPTIONS, a list (BUDGET FLAGS).
When another thread was faster the profile is that thread's, and it stops it."
  (if (start-unless-active options)
      (unwind-protect (funcall function)
        (stop-if-active))
      (funcall function)))

(defmacro with-profiling ((&key (report t) (stream '*standard-output*) file
                             (reset t) (budget 0) unfolded full-walk)
                          &body body)
  "Run BODY while counting every allocation, print what it allocated, and give
back BODY's values.

REPORT (default T): which tables to print, as for the argument TYPE of REPORT;
NIL prints nothing.
STREAM (default *STANDARD-OUTPUT*): where to print.
FILE (pathname designator, default NIL): write the profile there too, as SAVE
does; a failure has a restart CONTINUE that goes on without.
RESET (boolean, default T): begin from zero; NIL adds to the figures kept.
BUDGET, UNFOLDED, FULL-WALK: as for START.

All threads are counted, not only this one.  When BODY is left by an error, a
THROW or a RETURN-FROM, counting stops, nothing is printed, the figures stay
for REPORT and SAVE, and the exit goes its way.  Inside another WITH-PROFILING,
or after START, the profile that runs already goes on: BODY is just run, and
what it allocates shows there.

Example:

   (mprof:with-profiling (:report '(:direct :types))
     (compute-something))

Signals ALREADY-ACTIVE (only with RESET NIL), PROFILE-FILE-ERROR."
  `(call-with-profiling (lambda () ,@body)
                        :report ,report :stream ,stream :file ,file
                        :reset ,reset :budget ,budget :unfolded ,unfolded
                        :full-walk ,full-walk))
