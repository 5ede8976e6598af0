;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; data.lisp -- the readers of MPROF.DATA: what each means for all objects.
;;;; The methods are where the objects are.

(in-package #:mprof)

(defmacro define-readers (&body readers)
  "Define each of READERS, (NAME DOCUMENTATION EXAMPLE VALUE), as a generic
function of one object, X in its docstring."
  `(progn
     ,@(loop for (name documentation example value) in readers
             collect `(defgeneric ,name (x)
                        (:documentation
                         ,(format nil "~A~2%Example: ~A  =>  ~A"
                                  documentation example value))))))

;;; Rows

(define-readers
  (data:functions "The functions of X, a profile, a list, the largest bytes first;
or those that changed in X, a comparison, or allocated in the body that X, an
ALLOCATION-BUDGET-EXCEEDED, is about, as differences."
   "(functions (mprof:profile))" "(#<function-figures APP::PARSE ...> ...)")
  (data:arcs "The arcs of the call graph of X, a profile: what one function
allocated on behalf of one caller; a list, the largest bytes first."
   "(arcs (mprof:profile))" "(#<arc-figures APP::MAIN > APP::PARSE ...> ...)")
  (data:types "The types and classes of what was allocated in X, a profile, a
function or a size, the largest bytes first; or, as differences, those of which
there is more or less in X, a comparison.  Those of a function are what it
allocated itself."
   "(types (row :functions 'app::parse))" "(#<type-figures CONS ...> ...)")
  (data:bins "The sizes of what was allocated in X, a profile, the smallest first."
   "(mapcar #'size (bins (mprof:profile)))" "(16 32 48 :LARGE)")
  (data:regions "The regions of X, a profile, each before those in it."
   "(regions (mprof:profile))" "(#<region-figures parse ...> ...)")
  (data:phases "The phases of X, a profile, the largest bytes first."
   "(mapcar #'name (phases (mprof:profile)))" "(:RUN :COMPILE)")
  (data:threads "The threads of X, a profile, the largest bytes first."
   "(mapcar #'name (threads (mprof:profile)))" "(\"top-level\" \"worker\")")
  (data:contexts "The contexts of X, a profile, as a fresh list, the largest bytes
first; MAP-CONTEXTS needs less memory.  Of X, a comparison, the call chains at whose
end more or less was allocated, as differences."
   "(first (contexts (mprof:profile)))" "#<context-figures APP::MAIN > ...>")
  (data:comments "What the profiler said about X, a profile, as a list of
(KEY . VALUE), both strings."
   "(first (comments (mprof:profile)))" "(\"mprof.language\" . \"lisp\")"))

;;; What is in a row

(define-readers
  (data:name "What X, a row, is called in the tables: a function, a type or class,
a thread, a region behind those around it (\"parse;lex\"), a string; or a phase,
a keyword.  Of a context, and of a difference of these, the function at its end."
   "(name (row :types 'cons))" "\"CONS\"")
  (data:allocations "How many objects X, a row or a profile, counts: of a function
those of all below it, too, with recursion counting once.  Of a difference or a
comparison, by how many they grew.  An integer."
   "(allocations (row :types 'cons))" "10")
  (data:bytes "The bytes requested for the objects that X counts, as ALLOCATIONS
does; an integer."
   "(bytes (mprof:profile))" "4800016")
  (data:self-allocations "How many objects X, a function, allocated itself; an
integer."
   "(self-allocations (row :functions 'app::parse))" "10")
  (data:self-bytes "The bytes that X, a function, requested itself; an integer."
   "(self-bytes (row :functions 'app::parse))" "160")
  (data:calls "How many calls of X, a function, an arc or the end of a context, led
to an allocation; how often X, a region, was entered.  An integer, or NIL when that
is not known: calls of C functions of other libraries, say.  Contexts of one chain
that differ in type or size have the same calls."
   "(calls (row :arcs '(app::main app::parse)))" "3")
  (data:file "The source file of X, a function, a string; or NIL."
   "(file (row :functions 'app::parse))" "\"/home/me/app.lisp\"")
  (data:line "The line in FILE where the top-level form of X, a function, begins;
or NIL."
   "(line (row :functions 'app::parse))" "12")
  (data:cycle "The number of the cycle of mutually recursive functions that X, a
function, is in; or NIL."
   "(cycle (row :functions 'app::parse))" "1")
  (data:callers "The arcs to X, a function, the largest bytes first."
   "(mapcar #'caller (callers (row :functions 'app::parse)))" "(\"APP::MAIN\")")
  (data:callees "The arcs from X, a function, the largest bytes first."
   "(mapcar #'callee (callees (row :functions 'app::main)))" "(\"APP::PARSE\")")
  (data:caller "The name of the function that X, an arc, comes from."
   "(caller (first (arcs (mprof:profile))))" "\"APP::MAIN\"")
  (data:callee "The name of the function that X, an arc, goes to."
   "(callee (first (arcs (mprof:profile))))" "\"APP::PARSE\"")
  (data:type "The Lisp type of the objects that X, a type or a context, counts; a
string."
   "(type (row :types 'app::widget))" "\"INSTANCE\"")
  (data:class "The class of the objects that X, a type or a context, counts, a
string; NIL when they are no instances or structures."
   "(class (row :types 'app::widget))" "\"APP::WIDGET\"")
  (data:category "\"cons\", \"float\", \"struct\" or \"other\": the column of the
tables that X, a type or a context, belongs to."
   "(category (row :types 'cons))" "\"cons\"")
  (data:size "The bytes of each object that X, a bin or a context, counts; :LARGE for
all above 1,024 bytes (2,048 for contexts), :GROWN for bodies of objects that grew
after they were made, which are no objects of their own."
   "(size (first (bins (mprof:profile))))" "16")
  (data:chain "The call chain of X, a context or a difference of these: a fresh list
of names of functions, the root first.  Recursion is folded: see LIMITS in the manual
page of mprof."
   "(chain (first (contexts (mprof:profile))))" "(\"APP::MAIN\" \"APP::PARSE\")")
  (data:phase "The phase of X, a context: :COMPILE, :LOAD, :EVAL or :RUN."
   "(phase (first (contexts (mprof:profile))))" ":RUN")
  (data:thread "The name of the thread of X, a context, as NAME of a thread."
   "(thread (first (contexts (mprof:profile))))" "\"worker#2\"")
  (data:category-bytes "The bytes of X, a region, a phase or a thread, by category: a
list of four integers, for conses, floats, structures and others."
   "(category-bytes (row :phases :run))" "(240 0 0 0)")
  (data:nanoseconds "How long X, a region, was active, threads added up."
   "(nanoseconds (row :regions :parse))" "1200000"))

;;; Differences, and conditions

(define-readers
  (data:old "What X, a difference or a comparison, was: a row or a profile; NIL when
there was none, and for call chains."
   "(old (mprof:compare-profiles a b))" "#<profile ...>")
  (data:new "What X, a difference or a comparison, became, as OLD."
   "(new (mprof:compare-profiles a b))" "#<profile ...>")
  (data:old-allocations "How many objects X, a difference, had in the old profile."
   "(old-allocations (first (functions comparison)))" "120")
  (data:new-allocations "How many objects X, a difference, has in the new profile."
   "(new-allocations (first (functions comparison)))" "25")
  (data:old-bytes "How many bytes X, a difference, had in the old profile."
   "(old-bytes (first (functions comparison)))" "1920")
  (data:new-bytes "How many bytes X, a difference, has in the new profile."
   "(new-bytes (first (functions comparison)))" "400")
  (data:budget "What the body that X, an ALLOCATION-BUDGET-EXCEEDED, is about was
allowed: a property list of :BYTES, :ALLOCATIONS and :FUNCTION, a name.  What it used
is BYTES and ALLOCATIONS of X, and who did FUNCTIONS."
   "(budget condition)" "(:BYTES 160 :ALLOCATIONS NIL :FUNCTION NIL)")
  (data:profile-of "The profile of the body that X, an ALLOCATION-BUDGET-EXCEEDED, is
about; of all until its end, when that was part of a profile that goes on."
   "(mprof:report :profile (profile-of condition))" "#<profile ...>")
  (data:offset "The offset in bytes at which the file that X, a PROFILE-FILE-ERROR, is
about was found wrong; or NIL.  CL:FILE-ERROR-PATHNAME gives the file."
   "(offset condition)" "197"))
