;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; package.lisp -- what the user types (MPROF), how to read what comes back
;;;; (MPROF.DATA), and the C side (MPROF.BINDINGS).  MPROF knows the other two,
;;;; and they know nobody.

(defpackage #:mprof.bindings
  (:use #:common-lisp)
  (:documentation
   "The two C libraries behind MPROF, function by function: the monitor, which
counts, and the reducer, which reads profiles and prints tables.  Reached
through ECL's dynamic foreign function interface, so no C compiler is needed.
No policy: statuses are given back as they come.")
  (:export
   #:failure #:arguments #:string-of
   #:monitor-start #:monitor-stop #:monitor-reset
   #:monitor-write
   #:monitor-counter #:monitor-active-p #:monitor-allocations #:monitor-bytes
   #:monitor-message #:autosave-every #:autosave
   #:monitor-map #:monitor-unmap #:autoname
   #:region-begin #:region-end
   #:take-snapshot #:free-snapshot #:open-snapshot
   #:find-late-functions #:serve-open #:serve-message #:serve-port #:serve-run
   #:serve-answer #:serve-stop #:serve-close
   #:ship-open #:ship-message #:ship-run #:ship-note #:ship-stop #:ship-count
   #:ship-close
   #:open-files #:close-profile #:call-with-output #:run-command
   #:terminal-width))

(defpackage #:mprof.data
  (:use)
  (:documentation
   "Readers of profiles and of the figures in them.  Each is a generic function
of one object, and means the same for all kinds of them:

   (mprof.data:bytes (mprof.data:row :functions 'foo))

Of a profile, or of what MPROF:COMPARE-PROFILES gives back, lists of rows:
   FUNCTIONS ARCS TYPES SURVIVAL BINS REGIONS PHASES THREADS CONTEXTS ADVICE
   one: ROW
   MAP-CONTEXTS TYPE-FUNCTIONS COMMENTS COMMENT; what holds it: HOLDERS
Of a row:
   NAME ALLOCATIONS BYTES CALLS
   SELF-ALLOCATIONS SELF-BYTES FILE LINE CYCLE CALLERS CALLEES   functions
   LIVE-ALLOCATIONS LIVE-BYTES   functions, types, sizes; a profile
   SELF-LIVE-ALLOCATIONS SELF-LIVE-BYTES   functions
   DIED ALIVE   of SURVIVAL; a profile
   CALLER CALLEE; TYPE CLASS CATEGORY SIZE   arcs; types, sizes, contexts
   CHAIN PHASE THREAD; CATEGORY-BYTES NANOSECONDS   contexts; regions, ...
   OLD NEW OLD-ALLOCATIONS NEW-ALLOCATIONS OLD-BYTES NEW-BYTES   differences
   RULE GRADE SAVED-BYTES OBJECTS CALLED FAULT REMEDY EXAMPLE UNKNOWN   advice
Of a condition:
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
   "An exact allocation profiler: every allocation is counted, and every byte
is charged to the function that allocated it, to all its callers, and to the
type of object that it became.

   (mprof:with-profiling () (my-program))

prints where the memory went.  Each name below has a docstring with arguments,
conditions and an example: (documentation 'mprof:report 'function).

To count:
   WITH-PROFILING   run a body, print what it allocated
   START STOP RESET the same step by step; figures add up until RESET
   STATUS ALLOCATIONS BYTES   how much so far
   WITH-REGION      name a part of the program
   OUT-OF-LINE      have CONS, LIST, ... show as functions
To look at it:
   REPORT           print tables
   ADVISE           say what to change
   TRY-ADVICE       whether a change saves what was said
   FLAMEGRAPH       write a page with a flame graph
   SAVE             write a file, in any format
To watch it from outside:
   SERVE STOP-SERVING   profiles over HTTP
   SHIP STOP-SHIPPING   differences, to Pyroscope, Parca or OpenTelemetry
As Lisp data, which the package MPROF.DATA reads:
   PROFILE          what was counted, or a file, as an object of type PROFILE
   FILTER-PROFILE   a part of a profile
   COMPARE-PROFILES what changed between two
In unit tests:
   WITH-ALLOCATION-BUDGET   so much a body may allocate
   ALLOCATED-BY     how much a body allocates
What may go wrong:
   MPROF-ERROR      the root of all errors, these among them:
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
