;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; report.lisp -- the tables.
;;;;
;;;; The C library that is behind the command mprof makes them; here keywords
;;;; become its options and its text goes to a stream.

(in-package #:mprof)

(defparameter *tables*
  '((:bins . "bins") (:direct . "direct") (:flat . "direct")
    (:graph . "graph") (:types . "types")
    (:type-functions . "type-functions")
    (:function-types . "function-types")
    (:reconciliation . "reconciliation"))
  "The tables that REPORT knows and what the command mprof calls them.")

(defun tables-option (type)
  "A list of no or one option of `mprof report' for REPORT's argument TYPE."
  (if (eq type t)
      '()
      (list (format nil "--tables=~{~A~^,~}"
                    (loop for table in (if (listp type) type (list type))
                          collect (or (cdr (assoc table *tables*))
                                      (error 'mprof-error :reason
                                             (unknown-table table))))))))

(defun unknown-table (table)
  "What is wrong with TABLE, which is not in *TABLES*."
  (format nil "there is no table ~S; there are ~{~S~^, ~} and T for all" table
          (mapcar #'car *tables*)))

(defun report (&key (type t) (stream *standard-output*) file
                 (detail :normal) max min-percent sort-by focus ignore hide
                 show-runtime (legend t))
  "Print the tables of what was counted until now.  No values.

TYPE (default T): T for all tables, one of :DIRECT (or :FLAT), :GRAPH, :TYPES,
:TYPE-FUNCTIONS (who allocates each type), :FUNCTION-TYPES (what each function
allocates), :BINS and :RECONCILIATION, or a list of these.
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
SHOW-RUNTIME (boolean, default NIL): show ECL's own C functions too.
LEGEND (boolean, default T): explain the columns below each table.

Signals MPROF-ERROR for arguments that make no sense, PROFILE-FILE-ERROR when
FILE cannot be read.  Warns with PROFILE-INCOMPLETE.  The profiler may be
counting meanwhile; then mprof's own work is counted too."
  (let ((options
          (append
           (tables-option type)
           (list (format nil "--~(~A~)" (the (member :normal :verbose :terse)
                                             detail)))
           (and max (list (format nil "--limit=~D" max)))
           (and min-percent
                (list (format nil "--min-percent=~,4F" min-percent)))
           (and sort-by
                (list (format nil "--sort=~(~A~)"
                              (if (eq sort-by :allocations)
                                  :allocs
                                  sort-by))))
           (loop for (name value) in `(("focus" ,focus) ("ignore" ,ignore)
                                       ("hide" ,hide))
                 when value
                   collect (format nil "--~A=~A" name value))
           (and show-runtime '("--show-runtime"))
           (and (not legend) '("--no-legend")))))
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
