;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; package.lisp -- what the user sees (MPROF) and the C side (MPROF.BINDINGS).

(defpackage #:mprof
  (:use #:common-lisp)
  (:documentation
   "An exact allocation profiler: every allocation is counted, and every byte
is charged to the function that allocated it, to all its callers, and to the
type of object that it became.

   (mprof:with-profiling () (my-program))

prints where the memory went.  START, STOP, RESET and REPORT do the same step
by step; SAVE writes a file for the command mprof and for tools that read
pprof; PROFILE gives the figures as Lisp data.")
  (:export
   ;; counting
   #:with-profiling #:start #:stop #:reset #:status
   #:allocations #:bytes
   ;; looking at the result
   #:report #:save #:out-of-line
   ;; the result as data
   #:profile #:profile-allocations #:profile-bytes #:profile-functions
   #:profile-arcs #:profile-types #:profile-comments #:profile-comment
   #:profile-phases #:profile-threads
   #:find-function #:find-arc #:find-type #:find-phase #:find-thread
   #:function-figures #:function-name #:function-self-allocations
   #:function-self-bytes #:function-inclusive-allocations
   #:function-inclusive-bytes #:function-activations #:function-cycle
   #:function-file #:function-line #:function-types
   #:arc-figures #:arc-caller #:arc-callee #:arc-calls #:arc-allocations
   #:arc-bytes
   #:type-figures #:type-name #:type-class #:type-category
   #:type-allocations #:type-bytes #:type-functions
   #:phase-figures #:phase-name #:phase-allocations #:phase-bytes
   #:phase-category-bytes
   #:thread-figures #:thread-name #:thread-allocations #:thread-bytes
   #:thread-category-bytes
   ;; what may go wrong
   #:mprof-error #:profiler-unavailable #:already-active #:not-active
   #:profile-file-error #:profile-file-error-pathname
   #:profile-file-error-offset #:profile-incomplete))

(defpackage #:mprof.bindings
  (:use #:common-lisp)
  (:documentation
   "The two C libraries behind MPROF, function by function: the monitor, which
counts, and the reducer, which reads profiles and prints tables.  Reached
through ECL's dynamic foreign function interface, so no C compiler is needed.
No policy: statuses are given back as they come.")
  (:export
   #:monitor-start #:monitor-stop #:monitor-reset #:monitor-write
   #:monitor-counter #:monitor-active-p #:monitor-message
   #:run-command))
