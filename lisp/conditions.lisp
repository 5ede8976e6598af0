;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; conditions.lisp -- what mprof signals.  Every report says what to do.

(in-package #:mprof)

(define-condition mprof-error (error)
  ((reason :initarg :reason :initform "no reason is known" :reader reason))
  (:documentation "The root of all errors of mprof.")
  (:report (lambda (condition stream)
             (format stream "mprof: ~A." (reason condition)))))

(define-condition profiler-unavailable (mprof-error)
  ()
  (:documentation
   "The profiler cannot work in this Lisp: its libraries are not there, or ECL
has no allocation hooks.  Signalled while the system is loaded, and by START
when the kernel or the processor lacks something.")
  (:report (lambda (condition stream)
             (format stream
                     "mprof is not available in this Lisp (~A ~A):~@
                      ~A.~@
                      It needs the patched ECL that comes with it: run `make' ~
                      in mprof's source tree,~@
                      then start build/bin/ecl and type (require :mprof)."
                     (lisp-implementation-type) (lisp-implementation-version)
                     (reason condition)))))

(define-condition already-active (mprof-error)
  ()
  (:documentation
   "START was called while the profiler counts, or with other options than
those that the figures kept were counted with.  The restart CONTINUE goes on
with what is there.")
  (:report (lambda (condition stream)
             (format stream
                     "mprof: ~A.~@
                      Call (mprof:stop), then (mprof:reset), to begin anew."
                     (reason condition)))))

(define-condition not-active (mprof-error)
  ()
  (:documentation
   "STOP was called while the profiler does not count.  The restart CONTINUE
does nothing.")
  (:default-initargs :reason "the profiler is not counting")
  (:report (lambda (condition stream)
             (format stream "mprof: ~A.~@
                             (mprof:start) begins to count."
                     (reason condition)))))

(define-condition profile-file-error (mprof-error)
  ((pathname :initarg :pathname :initform nil
             :reader profile-file-error-pathname
             :documentation "The file, as it was given.")
   (offset :initarg :offset :initform nil
           :reader profile-file-error-offset
           :documentation "The byte at which it went wrong, or NIL.")
   (advice :initarg :advice :reader advice
           :documentation "What to do, a sentence."))
  (:documentation
   "A profile could not be written or read.  The figures in memory are as they
were.  The restart USE-VALUE takes another file; CONTINUE, where there is one,
goes on without a file.")
  (:report (lambda (condition stream)
             (format stream "mprof: ~A.~@
                             ~A"
                     (reason condition) (advice condition)))))

(define-condition profile-incomplete (warning)
  ((overflows :initarg :overflows :initform 0 :reader overflows))
  (:documentation
   "Every allocation was counted, but some could not be charged to their
functions: the room for call chains was used up.")
  (:report (lambda (condition stream)
             (format stream
                     "mprof: the room for call chains was used up ~D time~:P; ~
                      the totals are exact,~@
                      but some allocations show as [over the budget].~@
                      Begin anew with a larger one: (mprof:reset), then ~
                      (mprof:start :budget N)."
                     (overflows condition)))))

(define-condition allocation-budget-exceeded (mprof-error)
  ((used-allocations :initarg :used-allocations
                     :reader budget-used-allocations)
   (used-bytes :initarg :used-bytes :reader budget-used-bytes)
   (allocations :initarg :allocations :initform nil
                :reader budget-allocations)
   (bytes :initarg :bytes :initform nil :reader budget-bytes)
   (function :initarg :function :initform nil :reader budget-function)
   (functions :initarg :functions :initform '() :reader budget-functions)
   (profile :initarg :profile :reader budget-profile))
  (:documentation
   "A body of WITH-ALLOCATION-BUDGET allocated more than it may.  BUDGET-USED-BYTES
and BUDGET-USED-ALLOCATIONS say how much, BUDGET-FUNCTIONS who, BUDGET-PROFILE is
the profile.  The restart CONTINUE gives back the values of the body.")
  (:report (lambda (condition stream) (report-budget condition stream))))

(defun report-budget (condition stream)
  "Print CONDITION, an ALLOCATION-BUDGET-EXCEEDED, to STREAM."
  (let ((functions (budget-functions condition)))
    (format stream
            "mprof: ~@[~A and what it called: ~]~D byte~:P in ~D ~
             allocation~:P; the budget is ~
             ~@[~D byte~:P~]~:[~; and ~]~@[~D allocation~:P~].~%"
            (budget-function condition)
            (budget-used-bytes condition)
            (budget-used-allocations condition)
            (budget-bytes condition)
            (and (budget-bytes condition) (budget-allocations condition))
            (budget-allocations condition))
    (loop for function in functions
          repeat 3
          do (format stream "~11D byte~:P in ~7D allocation~:P by ~A~%"
                     (difference-bytes function)
                     (difference-allocations function)
                     (difference-name function)))
    (format stream
            "(mprof:report) prints who called these.  Raise the budget if it ~
             ought to be so.")))

(setf (documentation 'profile-file-error-pathname 'function)
      "The pathname of the file that CONDITION, a PROFILE-FILE-ERROR, is about."
      (documentation 'profile-file-error-offset 'function)
      "The offset in bytes at which the file that CONDITION, a
PROFILE-FILE-ERROR, is about was found wrong, or NIL when it has none.")

(loop for (reader text)
        in '((budget-used-allocations "How many objects the body that CONDITION,
an ALLOCATION-BUDGET-EXCEEDED, is about allocated; an integer.")
             (budget-used-bytes "How many bytes the body that CONDITION, an
ALLOCATION-BUDGET-EXCEEDED, is about requested; an integer.")
             (budget-allocations "How many objects the body that CONDITION, an
ALLOCATION-BUDGET-EXCEEDED, is about may allocate; an integer, or NIL.")
             (budget-bytes "How many bytes the body that CONDITION, an
ALLOCATION-BUDGET-EXCEEDED, is about may request; an integer, or NIL.")
             (budget-function "The name of the function whose allocations the
budget of CONDITION, an ALLOCATION-BUDGET-EXCEEDED, is for; a string, or NIL.")
             (budget-functions "Which functions allocated in the body that
CONDITION, an ALLOCATION-BUDGET-EXCEEDED, is about: a list of DIFFERENCE, the
most bytes first; DIFFERENCE-BYTES is what the function allocated itself.")
             (budget-profile "The PROFILE of the body that CONDITION, an
ALLOCATION-BUDGET-EXCEEDED, is about; of all that was counted until the end of
the body, when it was part of a profile that goes on."))
      do (setf (documentation reader 'function) text))
