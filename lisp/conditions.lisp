;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; conditions.lisp -- what mprof signals.  Every report says what to do.

(in-package #:mprof)

(define-condition mprof-error (error)
  ((reason :initarg :reason :initform "no reason is known" :reader reason)
   (advice :initarg :advice :initform nil :reader advice
           :documentation "What to do, a sentence, or NIL."))
  (:documentation "The root of all errors of mprof.

Example: (handler-case (mprof:save) (mprof:mprof-error (c) (princ c)))")
  (:report (lambda (condition stream)
             (format stream "mprof: ~A.~@[~%~A~]" (reason condition)
                     (advice condition)))))

(defun fail (control &rest arguments)
  "Signal an MPROF-ERROR whose reason is CONTROL with ARGUMENTS."
  (error 'mprof-error :reason (let ((*print-pretty* nil))
                                (format nil "~?" control arguments))))

(define-condition profiler-unavailable (mprof-error)
  ()
  (:documentation
   "The profiler cannot work in this Lisp: its libraries are not there, or ECL
has no allocation hooks.  Signalled while the system is loaded, and by START
when the kernel or the processor lacks something.

Example: (handler-case (require :mprof) (error (c) (princ c)))")
  (:report (lambda (condition stream)
             (format stream
                     "mprof is not available in this Lisp (~A ~A):~@
                      ~A.~@
                      It needs the patched ECL: run `make' in mprof's source,~@
                      then start build/bin/ecl and type (require :mprof).~@
                      In this one: `mprof run ecl --load FILE' in the shell."
                     (lisp-implementation-type) (lisp-implementation-version)
                     (reason condition)))))

(when (c:failure)
  (error 'profiler-unavailable :reason (c:failure)))

(define-condition already-active (mprof-error)
  ()
  (:default-initargs
   :advice "Call (mprof:stop), then (mprof:reset), to begin anew.")
  (:documentation
   "The profiler counts already, or figures are kept that were counted with
other options; or a WITH-PROFILING within another one is to write a file.  The
restart CONTINUE goes on with what is there, and without the file.

Example: (handler-bind ((mprof:already-active #'continue)) (mprof:start))"))

(define-condition profile-file-error (mprof-error file-error)
  ((offset :initarg :offset :initform nil :reader data:offset))
  (:default-initargs :pathname nil)
  (:documentation
   "A profile could not be written or read; FILE-ERROR-PATHNAME and
MPROF.DATA:OFFSET say where.  Figures in memory are as they were.  The restart
USE-VALUE takes another file; CONTINUE, where there is one, goes on without.

Example: (handler-bind ((mprof:profile-file-error
                          (lambda (c) (use-value \"b.data\" c))))
           (mprof:save \"/nowhere/a.data\"))"))

(define-condition profile-incomplete (warning)
  ((overflows :initarg :overflows :initform 0 :reader overflows))
  (:documentation
   "Every allocation was counted, but some could not be charged to their
functions: the room for call chains was used up.

Example: (handler-bind ((mprof:profile-incomplete #'muffle-warning))
           (mprof:profile))")
  (:report (lambda (condition stream)
             (format stream
                     "mprof: the room for call chains was used up ~D time~:P; ~
                      the totals are exact,~@
                      but some allocations show as [over the budget].~@
                      Begin anew with more of it: (mprof:reset), then ~
                      (mprof:start :max-contexts N)."
                     (overflows condition)))))

(define-condition allocation-budget-exceeded (mprof-error)
  ((allocations :initarg :allocations :reader data:allocations)
   (bytes :initarg :bytes :reader data:bytes)
   (budget :initarg :budget :reader data:budget)
   (functions :initarg :functions :initform '() :reader data:functions)
   (profile :initarg :profile :reader data:profile-of)
   (holders :initarg :holders :initform nil :reader data:holders))
  (:documentation
   "A body of WITH-ALLOCATION-BUDGET allocated more than it may, or left more
alive.  BYTES and ALLOCATIONS of MPROF.DATA say how much, BUDGET what was
allowed, FUNCTIONS who, and PROFILE-OF gives the profile; HOLDERS is one of what
holds what is alive, or NIL.  The restart CONTINUE gives back the body's values.

Example: (handler-case (mprof:with-allocation-budget (:bytes 0) (list 1))
           (mprof:allocation-budget-exceeded (c) (mprof.data:bytes c)))")
  (:report (lambda (condition stream) (report-budget condition stream))))

(defun report-holders (holders stream)
  "Print the chains of HOLDERS, a profile of these, that hold most to STREAM."
  (loop for context in (data:contexts holders)
        repeat 3
        do (format stream "~11D byte~:P in ~7D object~:P held by ~{~A~^ > ~}~%"
                   (data:bytes context) (data:allocations context)
                   (data:chain context))))

(defun report-budget (condition stream)
  "Print CONDITION, an ALLOCATION-BUDGET-EXCEEDED, to STREAM."
  (destructuring-bind (&key bytes allocations live function)
      (data:budget condition)
    (if live
        (format stream
                "mprof: ~@[~A and what it called: ~]~D object~:P of ~D byte~:P ~
                 left alive; the budget is ~D.~%"
                function (data:allocations condition) (data:bytes condition)
                live)
        (format stream
                "mprof: ~@[~A and what it called: ~]~D byte~:P in ~D ~
                 allocation~:P; the budget is ~
                 ~@[~D byte~:P~]~:[~; and ~]~@[~D allocation~:P~].~%"
                function (data:bytes condition) (data:allocations condition)
                bytes (and bytes allocations) allocations))
    (loop for function in (data:functions condition)
          repeat 3
          do (format stream "~11D byte~:P in ~7D allocation~:P by ~A~%"
                     (data:bytes function) (data:allocations function)
                     (data:name function)))
    (when (and (data:holders condition) (null function))
      (report-holders (data:holders condition) stream))
    (format stream
            "(mprof:report) prints who called these.  Raise the budget if it ~
             ought to be so.")))
