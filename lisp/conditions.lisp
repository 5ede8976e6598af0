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

(setf (documentation 'profile-file-error-pathname 'function)
      "The pathname of the file that CONDITION, a PROFILE-FILE-ERROR, is about."
      (documentation 'profile-file-error-offset 'function)
      "The offset in bytes at which the file that CONDITION, a
PROFILE-FILE-ERROR, is about was found wrong, or NIL when it has none.")
