;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; report.lisp -- the tables.
;;;;
;;;; The C library that is behind the command mprof makes them; here its text
;;;; goes to a stream.

(in-package #:mprof)

(defun report-text (profile type legend choices)
  "The tables of PROFILE, a string.  TYPE and LEGEND are as for REPORT, CHOICES
a property list of what PROFILE itself does not choose."
  (apply #'call-with-export #'mprof.bindings:string-of profile "report"
         (append (tables-option type)
                 (and (not legend) '("--no-legend"))
                 (choice-options choices))))

(defun report (&key (type t) (stream *standard-output*) file profile
                 (detail :normal) max min-percent sort-by value focus ignore
                 hide show show-from hide-system by phase thread region
                 show-runtime show-root offsets width color (legend t))
  "Print the tables of what was counted until now, and give back the PROFILE that
they are of.

TYPE (default T): T for the usual tables, one of :PHASES, :THREADS, :DIRECT (or
:FLAT), :TYPES, :TYPE-FUNCTIONS (who allocates each type), :FUNCTION-TYPES (what
each function allocates), :GRAPH, :BINS and :RECONCILIATION (for C programs also
:LEAKS, :PEAK and :TEMPORARY), :REGIONS, or a list of these.  :PHASES, :THREADS
and :REGIONS are usual if there are several.
STREAM (default *STANDARD-OUTPUT*): where to print; T is *STANDARD-OUTPUT*, too,
and for NIL the tables are given back as a string, and the PROFILE as the second
value.
FILE (pathname designator, default NIL): report on this profile file instead, on
the profiles in a folder, or on a list of files, added up.
PROFILE (default NIL): report on this object of type PROFILE instead.
DETAIL (:NORMAL, :VERBOSE or :TERSE, default :NORMAL): leave out rows below 1 %,
none, or those below 5 %.
MAX (integer, default NIL): at most so many rows a table.
MIN-PERCENT (real, default NIL): leave out rows below this.
SORT-BY (:BYTES, :ALLOCATIONS, :CALLS, :SELF, :INCLUSIVE, :NAME; for C programs
also :KEPT, :PEAK and :TEMPORARY; default NIL): the order of rows.
VALUE (default NIL): what all tables count: :BYTES or :ALLOCATIONS, of which the
larger rows come first; for profiles of C programs :KEPT or :KEPT-ALLOCATIONS,
what was never freed, :PEAK or :PEAK-ALLOCATIONS, what was live when most bytes
were, or :TEMPORARY, objects freed before the next allocations.
FOCUS, IGNORE, HIDE, SHOW, SHOW-FROM (strings, default NIL): regular expressions
on function names: only what is below such functions, nothing below them, or
charged to their callers; all others charged to their callers; chains begin at
such a function.
HIDE-SYSTEM (boolean, default NIL): charge what ECL's own functions allocate to
the functions of the program.
BY (default NIL): what rows are: :FUNCTION, :LINE, :FILE, :PACKAGE or :CLASS.
PHASE (default NIL): only what was allocated in this phase: :COMPILE, :LOAD,
:EVAL, :RUN, or a list of these.
THREAD (string, default NIL): a regular expression: only what was allocated by
threads with such a name.
REGION (string, default NIL): a regular expression: only what was allocated in
regions with such a path, and in those in them.
SHOW-RUNTIME (boolean, default NIL): show ECL's own C functions too.
SHOW-ROOT (boolean, default NIL): show what called the profiled body, too.
OFFSETS (boolean, default NIL): tell call sites apart in the table :LEAKS.
WIDTH (integer, default *PRINT-RIGHT-MARGIN*): cut names, and leave columns out,
so that lines fit into it; 0 or NIL: never.
COLOR (boolean, default NIL): mark what to look at first, for a terminal.
LEGEND (boolean, default T): explain the columns below each table.

Signals MPROF-ERROR for arguments that make no sense, PROFILE-FILE-ERROR when
FILE cannot be read; the restart USE-VALUE takes another one.  Warns with
PROFILE-INCOMPLETE.  The profiler may be counting meanwhile; then mprof's own
work is counted too.

Example:

   (mprof:report :type '(:direct :types) :focus \"^APP::PARSE\" :max 20)"
  (let* ((text nil)
         (shown (call-with-profile
                 (lambda (profile)
                   (setf text (report-text
                               profile type legend
                               (list :detail detail :max max
                                     :min-percent min-percent
                                     :sort-by sort-by :value value
                                     :offsets offsets
                                     :width (or width *print-right-margin*)
                                     :color color))))
                 file profile
                 (list :focus focus :ignore ignore :hide hide
                       :show show :show-from show-from
                       :hide-system hide-system :by by :phase phase
                       :thread thread :region region :show-runtime show-runtime
                       :show-root show-root))))
    (cond (stream
           (write-string text (if (eq stream t) *standard-output* stream))
           shown)
          (t
           (values text shown)))))
