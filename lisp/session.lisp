;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; session.lisp -- counting: start, stop, reset, status.
;;;;
;;;; One monitor counts in all Lisp threads of the process, and holds the state,
;;;; but for the options of its figures and the file that they are in.  One lock
;;;; makes each operation atomic, so that only one of two threads that start at
;;;; once succeeds.
;;;;
;;;; A throw out of an interrupt comes before or after each step.  What it leaves
;;;; undone, such as saving the file of a profile that has stopped, is done by
;;;; whatever needs it next.

(in-package #:mprof)

(defvar *lock* (mp:make-lock :name "mprof" :recursive t)
  "Held while the state of the monitor is read and changed.")

(defvar *counted-with* nil
  "A list (MAX-CONTEXTS FLAGS INTERVAL), the options of the figures in memory;
NIL without figures.")

(defvar *counted-in* nil
  "A list (FILE PID): the absolute pathname of the file that the figures are in,
and the process that counts in it, since the child of a fork does not.  Or NIL.")

(defvar *timeline* nil
  "The worker that counts for each interval, or NIL.")

(defun check-status (status condition &rest arguments)
  "Signal CONDITION with the monitor's message, unless STATUS is 0."
  (unless (eql status 0)
    (apply #'error condition :reason (string-of (monitor-message)) arguments)))

(defun count-in (file)
  "Let the next start count in FILE."
  (let* ((file (absolute file))
         (arguments (list (file-name (or (probe-file file) file))))
         (counted-in (list file (ext:getpid)))
         (status 0))
    (mp:without-interrupts
      (setf status (monitor-map arguments))
      (when (eql status 0)
        (setf *counted-in* counted-in)))
    (check-status status 'profile-file-error :pathname file)))

(defvar *file-done* nil
  "True when the file that was counted in has been saved, or could not be.")

(defun leave-file (keep)
  "Count in a file no longer, which stays as it is if KEEP is 1, and is deleted
if it is 0."
  (mp:without-interrupts
    (when (of-this-process (shiftf *counted-in* nil))
      (monitor-unmap keep))))

(defun end-count-in ()
  "Put the profile in the place of the file that was counted in, if any."
  (let ((file (of-this-process *counted-in*))
        (keep 1))
    (when file
      (setf *file-done* t)
      (protected
       nil
       (with-simple-restart (continue "Go on without a file.")
         (save file)
         (setf keep 0))
       (leave-file keep)))))

(push (lambda ()                        ; save at the end of a program
        (handler-case (when *counted-in* (stop))
          (error (condition) (format *error-output* "~&~A~%" condition))))
      si:*exit-hooks*)

(defun end-leftover-file ()
  "End counting in a file if the profiler was stopped, but a throw kept STOP from
saving it.  Return NIL."
  (with-lock (*lock*)
    (unless (active-p)
      (end-count-in)))
  nil)

(defvar *owner* nil
  "What started the profiler to count a body: see CALL-COUNTING; or NIL.")

(defun start-unless-active (options &optional file owner)
  "Start counting with OPTIONS, a list (MAX-CONTEXTS FLAGS INTERVAL), in FILE
unless that is NIL.  Return false if the profiler is already counting.  OWNER,
unless it is NIL, becomes *OWNER*."
  (with-lock (*lock*)
    (unless (active-p)
      (end-leftover-file)
      (when (and *counted-with* (not (equal options *counted-with*)))
        (with-simple-restart
            (continue "Continue counting with the present options.")
          (error 'already-active
                 :reason "the figures in memory were counted with other options"
                 :advice "Call (mprof:reset) first."))
        (setf options *counted-with*))
      (protected
       nil
       (progn
         (when file
           (with-simple-restart (continue "Go on without a file.")
             (count-in file)))
         (start-monitor options owner))
       (unless (active-p)
         (leave-file 0)))
      t)))

(defun start-monitor (options owner)
  "Start the monitor with OPTIONS, for OWNER."
  (destructuring-bind (max-contexts flags interval) options
    (when interval
      (unless (running *timeline*)
        (start-worker '*timeline* "mprof timeline" #'timeline-run
                      #'timeline-close #'timeline-open interval))
      (timeline-await (running *timeline*)))
    (let ((status 0))
      (mp:without-interrupts
        (setf *owner* (or owner *owner*) ; of a body that stops and starts
              status (monitor-start max-contexts flags))
        (when (eql status 0)
          (setf *counted-with* options)))
      (check-status status 'profiler-unavailable))))

(defun options (max-contexts &optional unfolded full-walk live sites timeline)
  "Return the list (MAX-CONTEXTS FLAGS INTERVAL) for arguments of START.  FLAGS
are those of enum mprof_option in monitor.h, and INTERVAL is that of the
timeline in milliseconds, or NIL."
  (check-argument max-contexts (integer 0 134217728)) ; MPROF_MOST_BUDGET
  (check-argument timeline (or null (real 0.01f0 1000000)))
  (list max-contexts (logior (if unfolded 1 0) (if full-walk 2 0)
                             (if live 4 0) (if sites 16 0))
        (and timeline (round (* timeline 1000)))))

(defparameter *start-options* '(:file :live :max-contexts :unfolded :full-walk
                                :sites :timeline)
  "The options of START, which WITH-PROFILING takes as well.")

(defun start (&rest options
              &key (max-contexts 0) unfolded full-walk live file sites timeline
              &allow-other-keys)
  "Start counting every allocation, in all threads, and return T.  Figures
already in memory are kept and added to; RESET clears them.  OPTIONS:

MAX-CONTEXTS (integer, default 0): how many call chains and kinds of objects to
distinguish in each thread, at most 134,217,728; 0 is about eight million.
Further ones show as [over the budget] below their callers, whose figures stay
exact.
UNFOLDED (boolean, default NIL): distinguish the levels of a recursion.
FULL-WALK (boolean, default NIL): walk the whole stack at each allocation, to
check the recorded frames.  Slow for deep stacks.
LIVE (boolean, default NIL): follow each object until the garbage collector
finds it dead, even after STOP, until RESET.  Profiles then show what was alive
at the last collection; :COLLECT of REPORT and SAVE collects first.
FILE (pathname designator, of type .data or .pb.gz, default NIL): count in FILE,
which is mapped into memory.  Nothing is lost if the program is killed: REPORT
and `mprof report' read FILE at any time.  STOP, and the end of the program,
replace it by a profile.  FILE stays where its name led to at the start, even if
the program changes its folder.
SITES (boolean, default NIL): distinguish calls on one line, for REPORT with :BY
:SITE, and lines in a recursion, for :BY :LINE.  Needs more contexts.
TIMELINE (real from 1/100 on, default NIL): count for each interval of so many
seconds as well, for :FROM and :TO of REPORT, and charts.  The FILE of a killed
program lacks the intervals.

Signals ALREADY-ACTIVE if the profiler is already counting, or if the figures in
memory were counted with other options; the restart CONTINUE keeps these.
Signals PROFILE-FILE-ERROR if FILE cannot be written.

Example: (mprof:start) (compute) (mprof:stop) (mprof:report)"
  (check-options 'start options *start-options*)
  (when (and file (not (complete-type-p (absolute file))))
    (fail ":FILE must be of type .data or .pb.gz"))
  (unless (start-unless-active (options max-contexts unfolded full-walk
                                        live sites timeline)
                               file)
    (with-simple-restart (continue "Continue counting.")
      (error 'already-active :reason "the profiler is already counting")))
  t)

(defun stop ()
  "Stop counting.  The figures are kept until RESET.  Return T, or NIL if the
profiler was not counting.  Save if START was given a :FILE; this may signal
PROFILE-FILE-ERROR, with the restart CONTINUE.

Example: (mprof:stop)  =>  T"
  ;; Allocates nothing, so that only the program is counted.
  (with-lock (*lock*)
    (if (active-p)
        (progn
          (check-status (monitor-stop) 'mprof-error)
          (end-count-in)
          t)
        (end-leftover-file))))

(defun reset ()
  "Clear all figures and return T.  A profiler that is counting continues.

Example: (mprof:reset)  =>  T"
  (with-lock (*lock*)
    (end-leftover-file)
    (check-status (monitor-reset) 'mprof-error)
    (unless (active-p)
      (setf *counted-with* nil)
      (end-worker '*timeline* #'timeline-stop #'timeline-close)))
  t)

(defun status ()
  "Return the state of the profiler and its totals, as a property list:

:ACTIVE (boolean): whether it is counting.
:ALLOCATIONS and :BYTES (integers): objects, and the bytes requested for them.
:CONTEXTS: combinations of a call chain, with the functions that tables leave
out, and a type, size and class; :CONTEXT-BYTES: the memory that they take.
:THREADS: threads counted so far.
:OVERFLOWS: how often no context was left, of those that START allows.

Example: (getf (mprof:status) :active)  =>  NIL"
  (list :active (active-p) :allocations (allocations) :bytes (bytes)
        :contexts (monitor-counter '(2)) :context-bytes (monitor-counter '(6))
        :threads (monitor-counter '(3)) :overflows (monitor-counter '(4))))
