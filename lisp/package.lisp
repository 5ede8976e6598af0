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
   FLAMEGRAPH       write a page with a flame graph
   SAVE             write a file, in any format
As Lisp data:
   PROFILE          what was counted, or a file, as an object of type PROFILE
   PROFILE-ALLOCATIONS -BYTES -FUNCTIONS -ARCS -TYPES -BINS -REGIONS -PHASES
   -THREADS -CONTEXTS -COMMENTS   what is in it: numbers, and lists of the figures below
   MAP-CONTEXTS     walk over all call chains
   FIND-FUNCTION FIND-ARC FIND-TYPE FIND-REGION FIND-PHASE FIND-THREAD
   PROFILE-COMMENT TYPE-FUNCTIONS   look things up
   FILTER-PROFILE   a part of a profile
   COMPARE-PROFILES what changed between two
Figures and what is in them:
   FUNCTION-FIGURES FUNCTION-NAME -SELF-ALLOCATIONS -SELF-BYTES
   -INCLUSIVE-ALLOCATIONS -INCLUSIVE-BYTES -ACTIVATIONS -CYCLE -FILE -LINE -TYPES
   ARC-FIGURES      ARC-CALLER -CALLEE -CALLS -ALLOCATIONS -BYTES
   TYPE-FIGURES     TYPE-NAME -CLASS -CATEGORY -ALLOCATIONS -BYTES
   BIN-FIGURES      BIN-SIZE -ALLOCATIONS -BYTES -TYPES
   REGION-FIGURES   REGION-PATH -ALLOCATIONS -BYTES -CATEGORY-BYTES -ENTERED
   -NANOSECONDS
   PHASE-FIGURES    PHASE-NAME -ALLOCATIONS -BYTES -CATEGORY-BYTES
   THREAD-FIGURES   THREAD-NAME -ALLOCATIONS -BYTES -CATEGORY-BYTES
   CONTEXT-FIGURES  CONTEXT-FUNCTIONS -FUNCTION -TYPE -CLASS -CATEGORY -SIZE
   -PHASE -THREAD -ALLOCATIONS -BYTES -CALLS
   COMPARISON       COMPARISON-OLD -NEW -ALLOCATIONS -BYTES -FUNCTIONS -TYPES
   -CONTEXTS
   DIFFERENCE       DIFFERENCE-NAME -FUNCTIONS -ALLOCATIONS -BYTES -OLD -NEW
   -OLD-ALLOCATIONS -NEW-ALLOCATIONS -OLD-BYTES -NEW-BYTES
In unit tests:
   WITH-ALLOCATION-BUDGET   so much a body may allocate
   ALLOCATED-BY     how much a body allocates
What may go wrong:
   MPROF-ERROR      the root of all errors, these among them:
   PROFILER-UNAVAILABLE ALREADY-ACTIVE NOT-ACTIVE
   PROFILE-FILE-ERROR PROFILE-FILE-ERROR-PATHNAME -OFFSET
   ALLOCATION-BUDGET-EXCEEDED BUDGET-BYTES -ALLOCATIONS -FUNCTION -USED-BYTES
   -USED-ALLOCATIONS -FUNCTIONS -PROFILE
   PROFILE-INCOMPLETE   a warning")
  (:export
   ;; counting
   #:with-profiling #:start #:stop #:reset #:status
   #:allocations #:bytes #:with-region #:out-of-line
   ;; looking at the result
   #:report #:flamegraph #:save
   ;; the result as data
   #:profile #:profile-allocations #:profile-bytes #:profile-functions
   #:profile-arcs #:profile-types #:profile-bins #:profile-regions
   #:profile-phases
   #:profile-threads #:profile-contexts #:profile-comments #:profile-comment
   #:map-contexts #:filter-profile #:compare-profiles
   #:find-function #:find-arc #:find-type #:find-region
   #:find-phase #:find-thread
   #:type-functions
   ;; figures
   #:function-figures #:function-name #:function-self-allocations
   #:function-self-bytes #:function-inclusive-allocations
   #:function-inclusive-bytes #:function-activations #:function-cycle
   #:function-file #:function-line #:function-types
   #:arc-figures #:arc-caller #:arc-callee #:arc-calls #:arc-allocations
   #:arc-bytes
   #:type-figures #:type-name #:type-class #:type-category
   #:type-allocations #:type-bytes
   #:bin-figures #:bin-size #:bin-allocations #:bin-bytes #:bin-types
   #:region-figures #:region-path #:region-allocations #:region-bytes
   #:region-category-bytes #:region-entered #:region-nanoseconds
   #:phase-figures #:phase-name #:phase-allocations #:phase-bytes
   #:phase-category-bytes
   #:thread-figures #:thread-name #:thread-allocations #:thread-bytes
   #:thread-category-bytes
   #:context-figures #:context-functions #:context-function #:context-type
   #:context-class #:context-category #:context-size #:context-phase
   #:context-thread #:context-allocations #:context-bytes #:context-calls
   #:comparison #:comparison-old #:comparison-new #:comparison-allocations
   #:comparison-bytes #:comparison-functions #:comparison-types
   #:comparison-contexts
   #:difference #:difference-name #:difference-functions #:difference-old #:difference-new
   #:difference-allocations #:difference-bytes
   #:difference-old-allocations #:difference-new-allocations
   #:difference-old-bytes #:difference-new-bytes
   ;; unit tests
   #:with-allocation-budget #:allocated-by
   ;; what may go wrong
   #:mprof-error #:profiler-unavailable #:already-active #:not-active
   #:profile-file-error #:profile-file-error-pathname
   #:profile-file-error-offset #:profile-incomplete
   #:allocation-budget-exceeded #:budget-used-bytes
   #:budget-used-allocations #:budget-bytes #:budget-allocations
   #:budget-function #:budget-functions #:budget-profile))

(defpackage #:mprof.bindings
  (:use #:common-lisp)
  (:documentation
   "The two C libraries behind MPROF, function by function: the monitor, which
counts, and the reducer, which reads profiles and prints tables.  Reached
through ECL's dynamic foreign function interface, so no C compiler is needed.
No policy: statuses are given back as they come.")
  (:export
   #:monitor-start #:monitor-stop #:monitor-reset #:monitor-write
   #:monitor-counter #:monitor-active-p #:monitor-allocations #:monitor-bytes
   #:monitor-write-quietly #:delete-quietly #:file-arguments
   #:monitor-message
   #:region-begin #:region-end #:region-arguments
   #:run-command #:call-with-output #:string-of))
