;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; package.lisp -- the user interface (MPROF), the readers of profiles
;;;; (MPROF.DATA), and the C side (MPROF.BINDINGS).  MPROF uses the other two,
;;;; which are independent of it.

(defpackage #:mprof.bindings
  (:use #:common-lisp)
  (:documentation
   "Bindings to the C libraries behind MPROF: the monitor counts; the reducer
reads profiles and prints tables; the server and the shipper send profiles.
They use ECL's dynamic foreign function interface, so no C compiler is needed.
Functions return status codes and signal no conditions.")
  (:export
   #:failure #:arguments #:string-of
   #:monitor-start #:monitor-stop #:monitor-reset
   #:monitor-counter #:monitor-active-p #:monitor-allocations #:monitor-bytes
   #:monitor-message
   #:monitor-map #:monitor-unmap
   #:region-begin #:region-end
   #:take-snapshot #:free-snapshot #:open-snapshot
   #:find-late-functions #:serve-open #:serve-message #:serve-port #:serve-run
   #:serve-answer #:serve-stop #:serve-close
   #:ship-open #:ship-summary #:ship-run #:ship-note #:ship-stop #:ship-count
   #:ship-close
   #:open-files #:close-profile #:call-with-output #:run-command
   #:terminal-width))

(defpackage #:mprof.data
  (:use)
  (:documentation
   "Readers of profiles and of the figures in them.  Most are generic functions
of one object, with the same meaning for all types of objects:

   (mprof.data:bytes (mprof.data:row :functions 'foo))

For a profile or the result of MPROF:COMPARE-PROFILES, lists of rows:
   FUNCTIONS ARCS TYPES SURVIVAL BINS REGIONS PHASES THREADS CONTEXTS ADVICE
   ROW   one row
   MAP-CONTEXTS TYPE-FUNCTIONS COMMENTS COMMENT HOLDERS   a profile only
For a row:
   NAME ALLOCATIONS BYTES CALLS
   SELF-ALLOCATIONS SELF-BYTES FILE LINE CYCLE CALLERS CALLEES   functions
   LIVE-ALLOCATIONS LIVE-BYTES   functions, types, sizes; a profile
   SELF-LIVE-ALLOCATIONS SELF-LIVE-BYTES   functions
   DIED ALIVE   rows of SURVIVAL; a profile
   CALLER CALLEE; TYPE CLASS CATEGORY SIZE   arcs; types, sizes, contexts
   CHAIN PHASE THREAD; CATEGORY-BYTES NANOSECONDS   contexts; regions, ...
   OLD NEW OLD-ALLOCATIONS NEW-ALLOCATIONS OLD-BYTES NEW-BYTES   differences
   RULE GRADE SAVED-BYTES OBJECTS CALLED FAULT REMEDY EXAMPLE UNKNOWN   advice
For a condition:
   BUDGET PROFILE-OF HOLDERS OFFSET")
  (:export
   #:functions #:arcs #:types #:survival #:bins #:regions #:phases #:threads
   #:contexts #:advice
   #:row #:map-contexts #:type-functions #:comments #:comment
   #:name #:allocations #:bytes #:calls #:self-allocations #:self-bytes
   #:live-allocations #:live-bytes #:self-live-allocations #:self-live-bytes
   #:died #:alive
   #:file #:line #:cycle #:callers #:callees #:caller #:callee
   #:type #:class #:category #:size #:chain #:phase #:thread
   #:category-bytes #:nanoseconds
   #:old #:new #:old-allocations #:new-allocations #:old-bytes #:new-bytes
   #:rule #:grade #:saved-bytes #:objects #:called #:fault #:remedy #:example
   #:unknown
   #:budget #:profile-of #:holders #:offset))

(defpackage #:mprof
  (:use #:common-lisp)
  (:local-nicknames (#:c #:mprof.bindings) (#:data #:mprof.data))
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
   STATUS ALLOCATIONS BYTES   the totals so far
   WITH-REGION      name a part of the program
   OUT-OF-LINE      make CONS, LIST, ... appear as functions
To show the figures:
   REPORT           print tables
   ADVISE           print advice on what to change
   TRY-ADVICE       measure what a change saves
   FLAMEGRAPH       write a page with a flame graph
   SAVE             write a file, in any format
To watch a program from outside:
   SERVE STOP-SERVING   profiles over HTTP
   SHIP STOP-SHIPPING   differences, to Pyroscope, Parca or OpenTelemetry
As Lisp data, which the package MPROF.DATA reads:
   PROFILE          the figures so far, or a file, as an object of type PROFILE
   FILTER-PROFILE   a part of a profile
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
   #:with-profiling #:start #:stop #:reset #:status
   #:allocations #:bytes #:with-region #:out-of-line
   #:report #:advise #:try-advice #:flamegraph #:save
   #:serve #:stop-serving #:ship #:stop-shipping
   #:profile #:filter-profile #:compare-profiles
   #:with-allocation-budget #:allocated-by
   #:mprof-error #:profiler-unavailable #:already-active
   #:profile-file-error #:allocation-budget-exceeded #:profile-incomplete))
