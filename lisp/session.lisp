;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; session.lisp -- counting: start, stop, reset, status.
;;;;
;;;; The monitor is one for the whole process and counts in all Lisp threads.
;;;; It holds the state; the only state here is which options its figures were
;;;; counted with, since these cannot change until a reset.  One lock makes
;;;; each operation atomic, so that of two threads that start at once one
;;;; starts.

(in-package #:mprof)

(defvar *lock* (mp:make-lock :name "mprof" :recursive t)
  "Held while the state of the monitor is looked at and changed.")

(defvar *options* nil
  "A list (BUDGET FLAGS), what the figures in memory were counted with; NIL
when there are none.")

;;; Numbers of enum mprof_option and enum mprof_counter in monitor.h.

(defconstant +unfolded+ 1)
(defconstant +full-walk+ 2)

(defparameter *counters*
  '(:allocations 0 :bytes 1 :contexts 2 :threads 3 :overflows 4
    :context-bytes 6)
  "What the monitor counts, and the number by which to ask for it.")

(defun counter (name)
  "The monitor's counter NAME, a keyword of *COUNTERS*; an integer."
  (mprof.bindings:monitor-counter (getf *counters* name)))

(defun check-status (status condition &rest arguments)
  "Signal CONDITION with ARGUMENTS and the monitor's message unless STATUS is 0."
  (unless (eql status 0)
    (apply #'error condition :reason (mprof.bindings:monitor-message)
           arguments)))

(defun start-unless-active (options)
  "Begin to count with OPTIONS, a list (BUDGET FLAGS), and give back true; or
give back false when the profiler is counting already."
  (mp:with-lock (*lock*)
    (cond ((mprof.bindings:monitor-active-p) nil)
          (t
           (when (and *options* (not (equal options *options*)))
             (with-simple-restart
                 (continue "Go on counting with the options of before.")
               (error 'already-active
                      :reason "the figures kept were counted with other options"))
             (setf options *options*))
           (setf *options* options)
           (prepare-baselines)
           (check-status (apply #'mprof.bindings:monitor-start options)
                         'profiler-unavailable)
           t))))

(defun options (budget unfolded full-walk)
  "The list (BUDGET FLAGS) for three arguments of START."
  (check-type budget (integer 0 #.(1- (expt 2 32))))
  (list budget (logior (if unfolded +unfolded+ 0)
                       (if full-walk +full-walk+ 0))))

(defun start (&key (budget 0) unfolded full-walk)
  "Begin to count every allocation, in all threads, and give back T.

Goes on with the figures that are there; RESET forgets them.

BUDGET (integer, default 0): how many call chains and kinds of objects to keep
apart in each thread; 0 is some eight million.  What goes beyond is counted,
but shows as [over the budget], and a warning PROFILE-INCOMPLETE says so.
UNFOLDED (boolean, default NIL): keep every level of a recursion apart.  Totals
are the same either way.
FULL-WALK (boolean, default NIL): walk the whole stack at each allocation, to
check what is known of frames.  Slow for deep stacks.  All figures are the same.

Signals ALREADY-ACTIVE when the profiler counts already, or when the figures
kept were counted with other options.  The restart CONTINUE leaves these."
  (with-simple-restart (continue "Let the profiler count on.")
    (unless (start-unless-active (options budget unfolded full-walk))
      (error 'already-active :reason "the profiler is counting already")))
  t)

(defun stop ()
  "Stop counting and give back T.  The figures stay until RESET.

Signals NOT-ACTIVE when the profiler does not count; the restart CONTINUE does
nothing."
  (unless (stop-if-active)
    (with-simple-restart (continue "Do nothing.")
      (error 'not-active)))
  t)

(defun stop-if-active ()
  "Stop counting and give back true; or give back false when the profiler does
not count.  Allocates nothing, so that only the program is counted."
  (mp:with-lock (*lock*)
    (when (mprof.bindings:monitor-active-p)
      (check-status (mprof.bindings:monitor-stop) 'mprof-error)
      t)))

(defun reset ()
  "Forget all figures and give back T.  A profiler that counts goes on
counting, from zero."
  (mp:with-lock (*lock*)
    (check-status (mprof.bindings:monitor-reset) 'mprof-error)
    (unless (mprof.bindings:monitor-active-p)
      (setf *options* nil)))
  t)

(defun status ()
  "What the profiler does and how much it has counted, as a property list:

:ACTIVE (boolean): does it count now?
:ALLOCATIONS and :BYTES (integers): objects, and the bytes requested for them.
:CONTEXTS: distinct call chains, at the end of which each type, size and class
of objects is one of its own; :CONTEXT-BYTES: the memory that they take.
:THREADS: threads counted so far.
:OVERFLOWS: how often the budget of START was found used up."
  (list* :active (mprof.bindings:monitor-active-p)
         (loop for (name) on *counters* by #'cddr
               collect name
               collect (counter name))))

(defun allocations ()
  "How many objects were allocated while the profiler was counting; an integer."
  (counter :allocations))

(defun bytes ()
  "How many bytes were requested while the profiler was counting; an integer."
  (counter :bytes))

;;; Files

(defparameter *advice-on-writing*
  "Nothing is lost: the figures are in memory.  Choose another file with the
restart USE-VALUE, or call (mprof:save FILE) later."
  "What to do when a profile cannot be written.")

(defparameter *advice-on-reading*
  "Give a file that (mprof:save FILE) or `mprof run' wrote, or another pprof
profile of allocations."
  "What to do when a profile cannot be read.")

(defun file-name (file)
  "FILE, a pathname designator, as an absolute name for the C side."
  (let ((pathname (merge-pathnames (translate-logical-pathname file))))
    (coerce (si:coerce-to-filename pathname) 'simple-string)))

(defun write-profile (file)
  "Write the figures to FILE, a string.  Signals PROFILE-FILE-ERROR; warns with
PROFILE-INCOMPLETE."
  (mp:with-lock (*lock*)
    (check-status (mprof.bindings:monitor-write file)
                  'profile-file-error :pathname (pathname file)
                  :advice *advice-on-writing*))
  (let ((overflows (counter :overflows)))
    (when (plusp overflows)
      (warn 'profile-incomplete :overflows overflows))))

(defun read-file-name ()
  "Ask the user for a file, for the restart USE-VALUE."
  (format *query-io* "~&File: ")
  (finish-output *query-io*)
  (list (read-line *query-io*)))
