;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; package.lisp -- the user interface (MPROF), and the figures of profiles
;;;; (MPROF.DATA).

(defpackage #:mprof.data
  (:use)
  (:documentation
   "The figures of profiles as Lisp data:

   (mprof.data:figure :bytes (mprof.data:row :functions 'foo))

   FIGURE           one figure, or a list of rows
   READER           the same as a function, for :KEY and MAPCAR
   ROW              a row by its name
   TYPE-FUNCTIONS   which functions allocated a type
   MAP-CONTEXTS     a walk over all call chains
   COMMENT          what else a profile says")
  (:export #:figure #:reader #:row #:type-functions #:map-contexts #:comment))

(defpackage #:mprof
  (:use #:common-lisp)
  (:local-nicknames (#:data #:mprof.data))
  (:documentation
   "An exact allocation profiler.  It counts every allocation, and charges every
byte to the function that allocated it, to all callers of that function, and to
the type of the object.

   (mprof:with-profiling () (my-program))

prints which functions allocated the memory.  Each name below has a docstring
with arguments, conditions and an example:
(documentation 'mprof:report 'function).

To count:
   WITH-PROFILING   run a body, print what it allocated
   START STOP RESET the same step by step; figures add up until RESET
   STATUS           the totals so far
   WITH-REGION      name a part of the program
   WITH-LABELS WITH-SAME-LABELS   whom it works for: a request, a user
   OUT-OF-LINE      make CONS, LIST, ... appear as functions
To show the figures:
   REPORT           print tables
   ADVISE           print advice on what to change
   TRY-ADVICE       measure what a change saves
   SAVE             write a file, in any format, such as a page for the browser
   *OPTIONS*        the options with which these begin
To watch a program from outside:
   SERVE STOP-SERVING   profiles over HTTP
As Lisp data, which the package MPROF.DATA reads:
   LOAD-PROFILE     the figures so far, a file, or a part of another profile,
                    as an object of type PROFILE
   COMPARE-PROFILES the differences between two profiles
In unit tests:
   WITH-ALLOCATION-BUDGET   limit what a body may allocate
   ALLOCATED-BY     count what a body allocates
Conditions:
   MPROF-ERROR      the root of all errors:
   PROFILER-UNAVAILABLE ALREADY-ACTIVE PROFILE-FILE-ERROR
   ALLOCATION-BUDGET-EXCEEDED
   PROFILE-INCOMPLETE   a warning")
  (:export
   #:with-profiling #:start #:stop #:reset #:status #:with-region #:with-labels
   #:with-same-labels #:out-of-line
   #:report #:advise #:try-advice #:save #:*options*
   #:serve #:stop-serving
   #:load-profile #:profile #:compare-profiles
   #:with-allocation-budget #:allocated-by
   #:mprof-error #:profiler-unavailable #:already-active
   #:profile-file-error #:allocation-budget-exceeded #:profile-incomplete))
