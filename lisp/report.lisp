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

(defun report-text (profile legend tables options)
  "TABLES of PROFILE, a string.  LEGEND is as for REPORT, OPTIONS a list of
strings."
  (or (nothing-counted profile)
      (in-keywords
       (apply #'call-with-export #'c:string-of profile "report"
              (if (explain-p legend tables)
                  options
                  (cons "--no-legend" options))))))

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
  (let* ((stream (if (eq stream t) *standard-output* stream))
         (tables (or (getf choices :tables) (getf choices :type) t))
         (options (choice-options
                   (list* :width (or (getf choices :width) (line-width stream))
                          (chosen :report choices))))
         (text nil)
         (shown (call-with-profile
                 (lambda (profile)
                   (setf text (report-text profile legend tables options)))
                 file profile choices)))
    (cond (stream
           (write-string text stream)
           shown)
          (t
           (values text shown)))))
