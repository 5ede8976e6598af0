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
  "A list (MAX-CONTEXTS FLAGS), what the figures in memory were counted with;
NIL when there are none.")

(defvar *autosave* nil
  "A list (FILE THREAD PID MAPPED): what is saved again and again or, if MAPPED
is true, at the end, by which thread, and of which process, for the child of a
fork has no such thread; or NIL.")

;;; Numbers of enum mprof_option and enum mprof_counter in monitor.h.

(defconstant +unfolded+ 1)
(defconstant +full-walk+ 2)
(defconstant +live+ 4)
(defconstant +mapped+ 8)
(defconstant +sites+ 16)
(defconstant +naming-seconds+ 1/10)

(defparameter *counters*
  '(:allocations 0 :bytes 1 :contexts 2 :threads 3 :overflows 4
    :context-bytes 6)
  "What the monitor counts, and the number by which to ask for it.")

(defun counter (name)
  "The monitor's counter NAME, a keyword of *COUNTERS*; an integer."
  (c:monitor-counter (list (getf *counters* name))))

(defun check-status (status condition &rest arguments)
  "Signal CONDITION with ARGUMENTS and the monitor's message unless STATUS is
0."
  (unless (eql status 0)
    (apply #'error condition :reason (c:monitor-message) arguments)))

(defparameter *sampling-keywords*
  '(:mode :sample-interval :alloc-interval :max-samples :max-depth :loop
    :threads :show-progress)
  "What profilers that take samples ask for, and this one does not need.")

(defun check-keywords (operator keywords options)
  "Signal an MPROF-ERROR unless OPTIONS is a property list of KEYWORDS,
arguments of OPERATOR."
  (loop for (keyword . rest) on options by #'cddr
        for listed = (format nil "~S takes ~{~S~^, ~}" operator keywords)
        do (cond ((member keyword *sampling-keywords*)
                  (fail "every allocation is counted, in all threads: there is ~
                         no ~S.  ~A" keyword listed))
                 ((not (member keyword keywords))
                  (fail "there is no ~S: ~A" keyword listed))
                 ((null rest)
                  (fail "a value for ~S is missing: ~A" keyword listed)))))

(defun check-autosave (file seconds mapped)
  "Signal an MPROF-ERROR unless FILE, SECONDS and MAPPED are what START takes."
  (check-type seconds (or null (real (0) 1000000)))
  (when (and seconds mapped)
    (fail ":MAPPED takes the place of :AUTOSAVE"))
  (unless (or (not (or seconds mapped))
              (and file (eq (format-of-file file) :pprof)))
    (fail "~:[:AUTOSAVE~;:MAPPED~] takes a :FILE, of type .data or .pb.gz"
          mapped)))

(defun map-figures (file)
  "Count in FILE from the next start on."
  (check-status (c:monitor-map (c:arguments (format nil "~A.mapped"
                                                    (file-name file))))
                'profile-file-error :pathname (pathname file) :offset nil))

(defun begin-autosave (file seconds mapped)
  "Make the thread that saves to FILE every so many SECONDS or, if MAPPED is
true, prints names, and wait until it waits: then it allocates nothing any
more."
  (let ((arguments (c:arguments (file-name file))))
    (when mapped
      (map-figures file))
    (c:autosave-every (ceiling (* (if mapped +naming-seconds+ seconds) 1000)))
    (setf *autosave* (list file
                           (mp:process-run-function
                            "mprof" (if mapped
                                        #'c:autoname
                                        (lambda () (c:autosave arguments))))
                           (ext:getpid)
                           mapped))
    (loop until (eql (c:monitor-counter '(7)) 1) do (sleep 1/1000))))

(defun end-autosave ()
  "End that thread, if there is one, and save for the last time.  What was
mapped goes when it is saved."
  (destructuring-bind (&optional file thread pid mapped) (shiftf *autosave* nil)
    (when (eql pid (ext:getpid))
      (c:autosave-every 0)
      (mp:process-join thread)
      (let ((keep 1))
        (with-simple-restart (continue "Go on without a file.")
          (save file)
          (setf keep 0))
        (when mapped
          (c:monitor-unmap keep))))))

(defun stop-at-exit ()
  "A program that ends while it is saved again and again is saved at its end."
  (handler-case (when *autosave* (stop))
    (error (condition) (format *error-output* "~&~A~%" condition))))

(push #'stop-at-exit si:*exit-hooks*)

(defun start-unless-active (options &optional file autosave)
  "Begin to count with OPTIONS, a list (MAX-CONTEXTS FLAGS), and to save to FILE
every AUTOSAVE seconds unless that is NIL, or to map it, if the flags say so.
False: the profiler counts already."
  (mp:with-lock (*lock*)
    (cond ((c:monitor-active-p) nil)
          (t
           (when (and *options* (not (equal options *options*)))
             (with-simple-restart
                 (continue "Go on counting with the options of before.")
               (error 'already-active
                      :reason "figures are kept, with other options"))
             (setf options *options*))
           (setf *options* options)
           (when (and file (or autosave (mapped-p options)))
             (begin-autosave file autosave (mapped-p options)))
           (check-status (apply #'c:monitor-start options)
                         'profiler-unavailable)
           t))))

(defun mapped-p (options)
  "True when OPTIONS, a list (MAX-CONTEXTS FLAGS), say that figures are mapped."
  (logtest +mapped+ (second options)))

(defun options (max-contexts &optional unfolded full-walk live mapped sites)
  "The list (MAX-CONTEXTS FLAGS) for arguments of START."
  (check-type max-contexts (integer 0 #.(1- (expt 2 32))))
  (list max-contexts (logior (if unfolded +unfolded+ 0)
                             (if full-walk +full-walk+ 0)
                             (if live +live+ 0)
                             (if mapped +mapped+ 0)
                             (if sites +sites+ 0))))

(defun start (&rest options &key (max-contexts 0) unfolded full-walk live file
              autosave mapped sites &allow-other-keys)
  "Begin to count every allocation, in all threads, and give back T.

Goes on with the figures that are there; RESET forgets them.

MAX-CONTEXTS (integer, default 0): how many call chains and kinds of objects to
keep apart in each thread; 0 is some eight million.  When three quarters are used
up, those of which the least was counted lately are taken together: they show as
[retired] below their callers, whose figures stay exact.
UNFOLDED (boolean, default NIL): keep every level of a recursion apart.  Totals
are the same either way.
FULL-WALK (boolean, default NIL): walk the whole stack at each allocation, to
check what is known of frames.  Slow for deep stacks.  All figures are the same.
LIVE (boolean, default NIL): follow each object until the garbage collector
finds it dead, also after STOP, until RESET.  Profiles say what was alive as of
the last collection; REPORT and SAVE take :COLLECT to begin with one.
AUTOSAVE (real > 0, default NIL): save every so many seconds to FILE (pathname
designator, of type .data or .pb.gz), and by STOP or when the program ends: what
was saved last is there when the program is killed.  FILE is always complete.
MAPPED (boolean, default NIL): count in a file, FILE with .mapped appended, that
is mapped into memory: all that was counted is there when the program is killed,
and `mprof recover' makes FILE of it.  STOP, and a program that ends by itself,
save FILE and remove it.
SITES (boolean, default NIL): tell calls on one line apart, for REPORT with :BY
:SITE, and lines in a recursion, for :BY :LINE.  Takes more contexts.
Other OPTIONS are errors.

Signals ALREADY-ACTIVE when the profiler counts already, or the figures kept
were counted with other options; the restart CONTINUE leaves these.

Example: (mprof:start) (compute) (mprof:stop) (mprof:report)"
  (check-keywords 'start
                  '(:max-contexts :unfolded :full-walk :live :file :autosave
                    :mapped :sites)
                  options)
  (check-autosave file autosave mapped)
  (when (and file (not (or autosave mapped)))
    (fail "START takes :FILE with :AUTOSAVE or :MAPPED; SAVE writes a file"))
  (with-simple-restart (continue "Let the profiler count on.")
    (unless (start-unless-active (options max-contexts unfolded full-walk
                                          live mapped sites)
                                 file autosave)
      (error 'already-active :reason "the profiler is counting already")))
  t)

(defun stop ()
  "Stop counting.  The figures stay until RESET.  Gives back T, or NIL when the
profiler did not count, and then does nothing.  After :AUTOSAVE it saves for the
last time, and may signal PROFILE-FILE-ERROR, with a restart CONTINUE.

Example: (mprof:stop)  =>  T"
  ;; Allocates nothing, so that only the program is counted.
  (mp:with-lock (*lock*)
    (when (c:monitor-active-p)
      (check-status (c:monitor-stop) 'mprof-error)
      (end-autosave)
      t)))

(defvar *before-reset* nil
  "A function to call before figures are forgotten, or NIL.")

(defun reset ()
  "Forget all figures and give back T.  A profiler that counts goes on
counting, from zero.

Example: (mprof:reset)  =>  T"
  (mp:with-lock (*lock*)
    (when *before-reset*
      (funcall *before-reset*))
    (check-status (c:monitor-reset) 'mprof-error)
    (unless (c:monitor-active-p)
      (setf *options* nil)))
  t)

(defun status ()
  "What the profiler does and how much it has counted, as a property list:

:ACTIVE (boolean): does it count now?
:ALLOCATIONS and :BYTES (integers): objects, and the bytes requested for them.
:CONTEXTS: distinct call chains, at the end of which each type, size and class
of objects is one of its own; :CONTEXT-BYTES: the memory that they take.
:THREADS: threads counted so far.
:OVERFLOWS: how often the contexts that START allows were found used up.

Example: (getf (mprof:status) :active)  =>  NIL"
  (list* :active (c:monitor-active-p)
         (loop for (name) on *counters* by #'cddr
               collect name
               collect (counter name))))

(defun allocations ()
  "How many objects were allocated while the profiler was counting; an integer.

Example: (mprof:allocations)  =>  300001"
  (counter :allocations))

(defun bytes ()
  "How many bytes were requested while the profiler was counting; an integer.

Example: (mprof:bytes)  =>  4800016"
  (counter :bytes))
