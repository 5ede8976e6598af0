;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; conditions.lisp -- the conditions of mprof.  Every report gives advice.

(in-package #:mprof)

(define-condition mprof-error (error)
  ((reason :initarg :reason :initform "unknown reason" :reader reason)
   (advice :initarg :advice :initform nil :reader advice
           :documentation "A sentence that tells the user what to do, or NIL.")
   (figures :initarg :figures :initform '() :reader condition-figures
            :documentation "A property list for FIGURE of MPROF.DATA."))
  (:documentation "The root of all errors of mprof.  Errors in the options of a
command have the same message as the command mprof.

Example: (handler-case (mprof:save \"a.data\")
           (mprof:mprof-error (c) (princ c)))")
  (:report (lambda (condition stream)
             (format stream "mprof: ~A~@[.~%~A~]" (reason condition)
                     (advice condition)))))

(defmethod data:figure (key (x mprof-error))
  (getf-figure key (condition-figures x) (type-of x)))

(defun fail (control &rest arguments)
  "Signal an MPROF-ERROR whose reason is CONTROL formatted with ARGUMENTS."
  (error 'mprof-error :reason (let ((*print-pretty* nil))
                                (format nil "~?" control arguments))))

(defmacro check-argument (variable type)
  "Signal an MPROF-ERROR unless VARIABLE, a parameter of the caller, is of TYPE."
  `(unless (typep ,variable ',type)
     (fail "~S is ~S, which is not of type ~S"
           ,(intern (symbol-name variable) '#:keyword) ,variable ',type)))

(defun options-p (options)
  "True if OPTIONS is a property list of keywords."
  (and (listp options)
       (loop for (key . rest) on options by #'cddr
             always (and rest (keywordp key)))))

(defun check-head (valid-p form usage)
  "Signal an MPROF-ERROR with the USAGE of the macro of FORM, unless FORM has a
first argument and VALID-P says that it is valid."
  (unless (and (rest form) valid-p)
    (fail "~A takes ~A before its body~@[, not ~S~]"
          (first form) usage (second form))))

(defun check-options (name options keys)
  "Signal an MPROF-ERROR unless the keys of OPTIONS, of the function or macro
NAME, are some of KEYS."
  (loop for (key) on options by #'cddr
        unless (member key keys)
          do (fail "~A has no option ~S; it has ~{~S~^, ~}" name key keys)))

(define-condition profiler-unavailable (mprof-error) ()
  (:documentation
   "The profiler cannot work in this Lisp: its libraries are missing, or ECL has
no allocation hooks.  Signalled when the system is loaded, and by START if the
kernel or the processor lacks a required feature.

Example: (handler-case (require :mprof) (error (c) (princ c)))")
  (:report (lambda (condition stream)
             (format stream
                     "mprof is not available in this Lisp (~A ~A):~@
                      ~A.~@
                      It needs the patched ECL: start mprof-ecl of the package,~@
                      or run `make' in mprof's source and start build/bin/ecl."
                     (lisp-implementation-type) (lisp-implementation-version)
                     (reason condition)))))

(when *failure*
  (error 'profiler-unavailable :reason *failure*))

(define-condition already-active (mprof-error) ()
  (:default-initargs
   :advice "Call (mprof:stop), then (mprof:reset), to start over.")
  (:documentation
   "The profiler is already counting, or the figures in memory were counted with
other options, or a nested WITH-PROFILING has a :FILE.  The restart CONTINUE
continues with the present figures and options, and without the file.

Example: (handler-bind ((mprof:already-active #'continue)) (mprof:start))"))

(define-condition profile-file-error (mprof-error file-error) ()
  (:default-initargs :pathname nil)
  (:documentation
   "A profile could not be written or read; FILE-ERROR-PATHNAME and the figure
:OFFSET say where.  Figures in memory are unchanged.  The restart USE-VALUE
takes another file.  CONTINUE, where available, goes on without a file.

Example: (handler-bind ((mprof:profile-file-error
                          (lambda (c) (use-value \"b.data\" c))))
           (mprof:save \"/nowhere/a.data\"))"))

(define-condition profile-incomplete (warning)
  ((overflows :initarg :overflows :initform 0 :reader overflows))
  (:documentation
   "Every allocation was counted, but some could not be charged to their
functions, because the room for call chains was used up.

Example: (handler-bind ((mprof:profile-incomplete #'muffle-warning))
           (mprof:load-profile))")
  (:report (lambda (condition stream)
             (format stream
                     "mprof: the room for call chains was used up ~D time~:P; ~
                      the totals are exact,~@
                      but some allocations show as [over the budget].~@
                      To allow more, call (mprof:reset), then ~
                      (mprof:start :max-contexts N)."
                     (overflows condition)))))

(define-condition allocation-budget-exceeded (mprof-error) ()
  (:documentation
   "The body of a WITH-ALLOCATION-BUDGET exceeded a limit on its allocations or
on the objects that it left alive.  Its figures are :BYTES and :ALLOCATIONS,
what the body used; :BUDGET, the limits; :FUNCTIONS, the functions responsible,
as differences; :PROFILE, what was counted until then; and :HOLDERS, a profile
of what holds the live objects, or NIL.  The restart CONTINUE returns the values
of the body.

Example: (handler-case (mprof:with-allocation-budget (:bytes 0) (list 1))
           (mprof:allocation-budget-exceeded (c)
             (mprof.data:figure :bytes c)))")
  (:report (lambda (condition stream)
             (apply #'report-budget stream (condition-figures condition)))))

(defun report-budget (stream &key allocations bytes budget functions holders
                      &allow-other-keys)
  "Print the figures of an ALLOCATION-BUDGET-EXCEEDED to STREAM."
  (destructuring-bind (&key ((:bytes most-bytes))
                         ((:allocations most-allocations)) live function)
      budget
    (format stream "mprof: ~@[~A and what it called: ~]" function)
    (if live
        (format stream
                "~D object~:P of ~D byte~:P left alive; the budget is ~D.~%"
                allocations bytes live)
        (format stream
                "~D byte~:P in ~D allocation~:P; the budget is ~
                 ~@[~D byte~:P~]~:[~; and ~]~@[~D allocation~:P~].~%"
                bytes allocations most-bytes
                (and most-bytes most-allocations) most-allocations))
    (print-rows functions 3 stream "~11D byte~:P in ~7D allocation~:P by ~A~%")
    (when (and holders (null function))
      (print-rows (data:figure :contexts holders) 3 stream
                  "~11D byte~:P in ~7D object~:P held by ~{~A~^ > ~}~%"
                  :chain)))
  (format stream "(mprof:report) prints their callers.  Raise the budget if ~
                  this is intended."))
