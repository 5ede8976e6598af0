;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; report.lisp -- the tables.
;;;;
;;;; The C library that is behind the command mprof makes them; here its text
;;;; goes to a stream.

(in-package #:mprof)

(defvar *explained* '()
  "The tables whose columns have been explained in this session, as the command
mprof calls them; \"t\" stands for the usual ones.")

(defun explain-p (legend tables)
  "True when the columns of TABLES are to be explained, LEGEND being as for
REPORT."
  (let ((tables (mapcar #'word (ensure-list tables))))
    (if (eq legend :once)
        (unless (subsetp tables *explained* :test #'string=)
          (setf *explained* (union tables *explained* :test #'string=)))
        legend)))

(defun terminal-of (stream)
  "The file descriptor of STREAM, which may be that of a terminal; or NIL."
  (typecase stream
    (synonym-stream (terminal-of (symbol-value (synonym-stream-symbol stream))))
    (two-way-stream (terminal-of (two-way-stream-output-stream stream)))
    (file-stream (ext:file-stream-fd stream))))

(defun line-width (stream)
  "How wide the lines of tables on STREAM should be, or NIL."
  (or *print-right-margin*
      (let* ((terminal (terminal-of stream))
             (width (if terminal (c:terminal-width terminal) 0)))
        (and (plusp width) width))))

(defun nothing-counted (profile)
  "A line that says that PROFILE, a snapshot, counts nothing; NIL if it does."
  (when (eql 0 (source-allocations (profile-source profile)))
    (format nil "~:[Nothing has been counted: (mprof:start) begins to, and ~
                 (mprof:with-profiling () ...) does all~;Nothing was allocated ~
                 while mprof counted~].~%" *options*)))

(defun report-text (command profile legend tables options)
  "What COMMAND writes of PROFILE, TABLES, a string.  LEGEND is as for REPORT,
OPTIONS a list of strings."
  (or (nothing-counted profile)
      (in-keywords
       (apply #'call-with-export #'c:string-of profile command
              (if (explain-p legend tables)
                  options
                  (cons "--no-legend" options))))))

(defun print-report (command tables legend stream file profile choices options)
  "Print what COMMAND writes, TABLES, with the arguments and values of REPORT;
OPTIONS are those of CHOICES that COMMAND takes."
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
  "Print the tables of what was counted until now, and give back the PROFILE
that they are of.

STREAM (default *STANDARD-OUTPUT*): where to print; T is *STANDARD-OUTPUT*, too,
and for NIL the tables are given back as a string, and the PROFILE as the second
value.
FILE (pathname designator, default NIL): report on this profile file instead, on
the profiles in a folder, or on a list of files, added up.
PROFILE (default NIL): report on this object of type PROFILE instead.
LEGEND (default :ONCE): explain the columns below each table; :ONCE does so when
tables are asked for the first time.
~A
The usual tables are :DIRECT, :GRAPH, :TYPES and :BINS, with :PHASES, :THREADS
and :REGIONS if there are several; :TYPE-FUNCTIONS says who allocates each type,
:FUNCTION-TYPES what each function allocates.  Without WIDTH, lines fit into
*PRINT-RIGHT-MARGIN*, else into the terminal if STREAM is one.

Signals MPROF-ERROR for arguments that make no sense, PROFILE-FILE-ERROR when
FILE cannot be read; the restart USE-VALUE takes another one.  Warns with
PROFILE-INCOMPLETE.  The profiler may be counting meanwhile; then mprof's own
work is counted too.

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
  "Print what to change, so that the program allocates less; what saves most
comes first.  Gives back the PROFILE that it is about.

Each piece of advice says a function, with file and line, what is wrong there,
how many bytes less there will be, and what is not known.  It is certain, where
what was counted proves it, or is to be checked.  `mprof help advise' lists the
rules that find it, mprof-advise(7) explains them; (mprof.data:advice profile)
gives the same as data.

STREAM, FILE, PROFILE: as for REPORT.
LEGEND (default :ONCE): say how to go on; :ONCE does so the first time.
~A
Signals MPROF-ERROR and PROFILE-FILE-ERROR, and warns with PROFILE-INCOMPLETE,
as REPORT does; HIDE, SHOW and BY are not for advice.

Example:

   (mprof:with-profiling (:report nil) (my-program))
   (mprof:advise :limit 3)"
  (print-report "advise" :advise legend stream file profile choices
                (chosen :advise choices)))
