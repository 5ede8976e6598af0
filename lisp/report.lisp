;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; report.lisp -- the tables.
;;;;
;;;; The C library behind the command mprof makes them; this file writes its
;;;; text to a stream.

(in-package #:mprof)

(defvar *explained* '()
  "The tables whose columns have been explained in this session, by their names
in the command mprof; \"t\" stands for the usual tables.")

(defun explain-p (legend tables)
  "True if the columns of TABLES must be explained.  LEGEND: as for REPORT."
  (let ((tables (mapcar #'word (ensure-list tables))))
    (if (eq legend :once)
        (unless (subsetp tables *explained* :test #'string=)
          (setf *explained* (union tables *explained* :test #'string=)))
        legend)))

(defun terminal-of (stream)
  "Return the file descriptor of STREAM, possibly of a terminal; or NIL."
  (typecase stream
    (synonym-stream (terminal-of (symbol-value (synonym-stream-symbol stream))))
    (two-way-stream (terminal-of (two-way-stream-output-stream stream)))
    (file-stream (ext:file-stream-fd stream))))

(defun line-width (stream)
  "Return the line width for tables on STREAM, or NIL."
  (or *print-right-margin*
      (let* ((terminal (terminal-of stream))
             (width (if terminal (c:terminal-width terminal) 0)))
        (and (plusp width) width))))

(defun nothing-counted (profile)
  "Return a message if PROFILE, a snapshot, has no allocations; else NIL."
  (when (eql 0 (source-allocations (profile-source profile)))
    (format nil "~:[Nothing has been counted: (mprof:start) starts ~
                 counting, and (mprof:with-profiling () ...) counts and ~
                 reports~;Nothing was allocated while mprof counted~].~%"
            *options*)))

(defun report-text (command profile legend tables options)
  "Return the output of COMMAND for PROFILE, a string.  TABLES and LEGEND are as
for REPORT, OPTIONS is a list of strings."
  (or (nothing-counted profile)
      (in-keywords
       (apply #'call-with-export #'c:string-of profile command
              (if (explain-p legend tables)
                  options
                  (cons "--no-legend" options))))))

(defun print-report (command tables legend stream file profile choices options)
  "Print the output of COMMAND.  TABLES to CHOICES and the values are as for
REPORT; OPTIONS are the elements of CHOICES that COMMAND takes."
  (let* ((stream (if (eq stream t) *standard-output* stream))
         (text nil)
         (shown (call-with-profile
                 (lambda (profile)
                   (setf text (report-text command profile legend tables
                                           (choice-options options))))
                 file profile choices)))
    (cond (stream
           (write-string text stream)
           shown)
          (t
           (values text shown)))))

(define-choosing report (&key (stream *standard-output*) file profile
                              (legend :once))
    (:part :report :collect)
  "Print tables of everything counted so far, and return the PROFILE shown.

STREAM (default *STANDARD-OUTPUT*): where to print.  T also stands for
*STANDARD-OUTPUT*.  With NIL, the tables are returned as a string, and the
PROFILE as the second value.
FILE (pathname designator, default NIL): report on this profile file instead, on
the profiles in a folder, or on a list of files, added up.
PROFILE (default NIL): report on this object of type PROFILE instead.
LEGEND (default :ONCE): explain the columns below each table; :ONCE does so the
first time that a table is printed.
~A
The usual tables are :DIRECT, :GRAPH, :TYPES and :BINS, with :PHASES, :THREADS
and :REGIONS if there are several.  :TYPE-FUNCTIONS shows the functions that
allocate each type, :FUNCTION-TYPES the types that each function allocates.
Without WIDTH, lines fit into *PRINT-RIGHT-MARGIN*, or else into the terminal if
STREAM is one.  If the choices match nothing, a line says so and suggests a
similar name.

Signals MPROF-ERROR for invalid arguments, and PROFILE-FILE-ERROR if FILE cannot
be read; the restart USE-VALUE takes another file.  May signal the warning
PROFILE-INCOMPLETE.  If the profiler is counting, the allocations of this
function are counted too.

Example:

   (mprof:report :tables '(:direct :types) :focus \"^APP::PARSE\" :limit 20)"
  (print-report "report" (or (getf choices :tables) (getf choices :type) t)
                legend stream file profile choices
                (list* :width (or (getf choices :width)
                                  (line-width (if (eq stream t)
                                                  *standard-output*
                                                  stream)))
                       (chosen :report choices))))

(define-choosing advise (&key (stream *standard-output*) file profile
                              (legend :once))
    (:part :advise :collect)
  "Print advice on how to make the program allocate less, the largest saving
first.  Return the PROFILE concerned.

Each piece of advice names a function, with file and line, the fault, the bytes
to be saved, and any doubts.  It is certain if the figures prove it; otherwise
check it before following it.  `mprof help advise' lists the rules, and
mprof-advice(7) explains them and how to write RULES for a library of your own.
(mprof.data:advice profile) returns the same as data.

STREAM, FILE, PROFILE: as for REPORT.
LEGEND (default :ONCE): print the next steps; :ONCE does so the first time.
~A
Signals the conditions of REPORT.  HIDE, SHOW and BY cannot be used.

Example:

   (mprof:with-profiling (:report nil) (my-program))
   (mprof:advise :limit 3)"
  (print-report "advise" :advise legend stream file profile choices
                (chosen :advise choices)))
