;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; report.lisp -- the tables.
;;;;
;;;; The C library that is behind the command mprof makes them; here its text
;;;; goes to a stream.

(in-package #:mprof)

(defun report (&key (type t) (stream *standard-output*) file
                 (detail :normal) max min-percent sort-by focus ignore hide
                 hide-system by phase thread show-runtime show-root offsets
                 width (legend t))
  "Print the tables of what was counted until now.  No values.

TYPE (default T): T for the usual tables, one of :PHASES, :THREADS, :DIRECT (or
:FLAT), :TYPES, :TYPE-FUNCTIONS (who allocates each type), :FUNCTION-TYPES (what
each function allocates), :GRAPH, :BINS and :RECONCILIATION (for C programs also
:LEAKS), or a list of these.  :PHASES and :THREADS are usual if there are
several.
STREAM (stream designator, default *STANDARD-OUTPUT*): where to print.
FILE (pathname designator, default NIL): report on this profile file instead.
DETAIL (:NORMAL, :VERBOSE or :TERSE, default :NORMAL): leave out rows below 1 %,
none, or those below 5 %.
MAX (integer, default NIL): at most so many rows a table.
MIN-PERCENT (real, default NIL): leave out rows below this.
SORT-BY (:BYTES, :ALLOCATIONS or :NAME, default NIL): the order of rows.
FOCUS, IGNORE, HIDE (strings, default NIL): regular expressions on function
names: only what is below such functions, nothing below them, or charged to
their callers.
HIDE-SYSTEM (boolean, default NIL): charge what ECL's own functions allocate to
the functions of the program.
BY (default NIL): what rows are: :FUNCTION, :LINE, :FILE, :PACKAGE or :CLASS.
PHASE (default NIL): only what was allocated in this phase: :COMPILE, :LOAD,
:EVAL, :RUN, or a list of these.
THREAD (string, default NIL): a regular expression: only what was allocated by
threads with such a name.
SHOW-RUNTIME (boolean, default NIL): show ECL's own C functions too.
SHOW-ROOT (boolean, default NIL): show what called the profiled body, too.
OFFSETS (boolean, default NIL): tell call sites apart in the table :LEAKS.
WIDTH (integer, default NIL): cut names so that lines fit into it.
LEGEND (boolean, default T): explain the columns below each table.

Signals MPROF-ERROR for arguments that make no sense, PROFILE-FILE-ERROR when
FILE cannot be read.  Warns with PROFILE-INCOMPLETE.  The profiler may be
counting meanwhile; then mprof's own work is counted too."
  (let ((options
          (append
           (tables-option type)
           (and (not legend) '("--no-legend"))
           (choice-options
            (list :detail detail :max max :min-percent min-percent
                  :sort-by sort-by :focus focus :ignore ignore :hide hide
                  :hide-system hide-system :by by :phase phase :thread thread
                  :show-runtime show-runtime :show-root show-root
                  :offsets offsets :width width)))))
    (if file
        (print-report options (file-name file) stream)
        (call-with-profile-file
         (lambda (name) (print-report options name stream))))))

(defun print-report (options file stream)
  "Print `mprof report' with OPTIONS, strings, on FILE, a string, to STREAM."
  (multiple-value-bind (status text message offset)
      (apply #'mprof.bindings:run-command
             "report" (append options (list "--" file)))
    (case status
      (0 (write-string text (case stream
                              ((t) *terminal-io*)
                              ((nil) *standard-output*)
                              (t stream)))
         (values))
      (2 (error 'mprof-error :reason message))
      (t (error 'profile-file-error
                :reason message :pathname (pathname file) :offset offset
                :advice *advice-on-reading*)))))
