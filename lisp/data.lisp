;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; data.lisp -- rows of figures, and the readers of MPROF.DATA: what each
;;;; means for all objects.  The methods for other objects are where these are.
;;;;
;;;; Names are strings, as the tables show them.  Nothing is ever changed: rows
;;;; may be shared by profiles.

(in-package #:mprof)

(defstruct (figures (:constructor make-figures (kind plist)) (:copier nil)
                    (:predicate nil))
  "A row.  KIND is a symbol, PLIST has what the readers read, by keyword."
  kind plist)

(defun figure (key figures)
  "What FIGURES say of KEY, a keyword."
  (let ((value (getf (figures-plist figures) key '#1=#:none)))
    (if (eq value '#1#)
        (fail "~(~A~) have no ~A" (figures-kind figures) key)
        value)))

(defmacro define-readers (&body readers)
  "Define each of READERS, (NAME DOCUMENTATION EXAMPLE [UNKNOWN]), as a generic
function of one object, X in its docstring.  UNKNOWN (boolean): it is NIL where
that is not known."
  `(progn
     ,@(loop for (name documentation example unknown) in readers
             for key = (intern (symbol-name name) '#:keyword)
             collect `(defgeneric ,name (x)
                        (:documentation
                         ,(format nil "~A~2%Example: ~A" documentation
                                  example))
                        (:method ((x figures))
                          ,(if unknown
                               `(getf (figures-plist x) ,key)
                               `(figure ,key x)))))))

;;; Tables of a profile P

(define-readers
  (data:functions "The functions of X, a profile, the largest bytes first.  As
differences, those that changed in X, a comparison, or allocated in the body
that X, an ALLOCATION-BUDGET-EXCEEDED, is about."
   "(functions p)  =>  (#<function-figures APP::PARSE ...> ...)")
  (data:arcs "The arcs of the graph of X, a profile, the largest bytes first."
   "(arcs p)  =>  (#<arc-figures APP::MAIN > APP::PARSE ...> ...)")
  (data:types "The types of what was allocated in X, a profile, a size or a
function itself, the largest bytes first; as differences, of a comparison."
   "(types (row :functions 'app::parse))  =>  (#<type-figures CONS ...>)")
  (data:survival "What X, a profile or a function in it, allocated, by function
and type, the largest bytes first: rows of which DIED and ALIVE say what became
of the objects.  Empty where that is not known: see :LIVE of START."
   "(mapcar #'died (survival f))  =>  (((0 90 1440) (1 10 160)))")
  (data:bins "The sizes of what was allocated in X, a profile, in order."
   "(mapcar #'size (bins p))  =>  (16 32 48 :LARGE)")
  (data:regions "The regions of X, a profile, each before those in it."
   "(regions p)  =>  (#<region-figures parse ...> ...)")
  (data:phases "The phases of X, a profile, the largest bytes first."
   "(mapcar #'name (phases p))  =>  (:RUN :COMPILE)")
  (data:threads "The threads of X, a profile, the largest bytes first."
   "(mapcar #'name (threads p))  =>  (\"top-level\" \"worker\")")
  (data:advice "What to change, of X, a profile, what saves most first: see
MPROF:ADVISE."
   "(saved-bytes (first (advice p)))  =>  31968")
  (data:contexts "The contexts of X, a profile, as a fresh list, the largest
bytes first; MAP-CONTEXTS needs less memory.  Of a comparison, differences: of
what was allocated at the end of each call chain."
   "(first (contexts p))  =>  #<context-figures APP::MAIN > ...>")
  (data:comments "What the profiler said about X, a profile; (KEY . VALUE)."
   "(first (comments p))  =>  (\"mprof.language\" . \"lisp\")"))

;;; What is in a row: of a function F, a context C

(define-readers
  (data:name "What the tables call X, a row, a string; of a phase, a keyword; of
a row of SURVIVAL and of a context, the name of the function that allocated."
   "(name (row :types 'cons))  =>  \"CONS\"")
  (data:allocations "How many objects X, a row or a profile, counts: of a
function those of all below it, too, with recursion counting once.  Of a
difference or a comparison, by how many they grew."
   "(allocations (row :types 'cons))  =>  10")
  (data:bytes "The bytes requested for the objects of ALLOCATIONS."
   "(bytes p)  =>  4800016")
  (data:live-allocations "How many of ALLOCATIONS of X, a function, a type, a bin
or a profile, were alive as of the last collection; NIL when that is not known:
see :LIVE of START."
   "(live-allocations (row :types 'cons))  =>  2" t)
  (data:live-bytes "The bytes of LIVE-ALLOCATIONS, and of their bodies."
   "(live-bytes p)  =>  88220" t)
  (data:self-live-allocations "The same of what X, a function, allocated itself."
   "(self-live-allocations f)  =>  2" t)
  (data:self-live-bytes "The bytes of SELF-LIVE-ALLOCATIONS."
   "(self-live-bytes f)  =>  32" t)
  (data:died "What of X, a row of SURVIVAL or a profile, is dead, as a list of
(COLLECTIONS OBJECTS BYTES): how many objects of so many bytes had survived so
many collections.  These are 0, 1, 2 to 3, 4 to 7, and 8 or more, of which the
first is given; those of which there is nothing are left out.  NIL, too, where
that is not known."
   "(died p)  =>  ((0 9200 147200) (1 12 192) (8 1 88))" t)
  (data:alive "The same of what was alive at the last collection, but that 0
stands for what was made since, of which nothing is known.  DIED and ALIVE add
up to ALLOCATIONS and BYTES."
   "(alive p)  =>  ((0 4 64) (2 100 3200))" t)
  (data:self-allocations "How many objects X, a function, allocated itself."
   "(self-allocations f)  =>  10")
  (data:self-bytes "The bytes requested for the objects of SELF-ALLOCATIONS."
   "(self-bytes f)  =>  160")
  (data:calls "How many calls of X, a function, an arc or the end of a context,
led to an allocation; how often X, a region, was entered.  NIL when that is not
known: calls of C functions of other libraries, say.  Contexts of one chain that
differ in type or size have the same calls."
   "(calls (row :arcs '(app::main app::parse)))  =>  3")
  (data:file "The source file of X, a function or advice, a string; or NIL."
   "(file f)  =>  \"/home/me/app.lisp\"")
  (data:line "The line where the form of X, a function, begins; or that X, advice,
is about; or NIL."
   "(line f)  =>  12")
  (data:cycle "The number of the cycle of functions that X is in, or NIL."
   "(cycle f)  =>  1")
  (data:callers "The arcs to X, a function, the largest bytes first."
   "(mapcar #'caller (callers f))  =>  (\"APP::MAIN\")")
  (data:callees "The arcs from X, a function, the largest bytes first."
   "(mapcar #'callee (callees f))  =>  (\"APP::LEX\")")
  (data:caller "The name of the function that X, an arc, comes from; of the one
that had most of what X, advice, is about allocated, or NIL."
   "(caller (first (callers f)))  =>  \"APP::MAIN\"" t)
  (data:callee "The name of the function that X, an arc, goes to."
   "(callee (first (callees f)))  =>  \"APP::LEX\"")
  (data:type "The Lisp type of the objects of X, a type, a row of SURVIVAL or a
context; a string."
   "(type (row :types 'app::widget))  =>  \"INSTANCE\"")
  (data:class "The class of the objects of X, as for TYPE, or NIL."
   "(class (row :types 'app::widget))  =>  \"APP::WIDGET\"")
  (data:category "The column of tables for X, as for TYPE: \"cons\", \"float\",
\"struct\" or \"other\"."
   "(category (row :types 'cons))  =>  \"cons\"")
  (data:size "The bytes of each object of X, a bin or a context; :LARGE: above
1,024 (2,048 for contexts), :GROWN: of bodies that grew, which are no objects,
:UNKNOWN: of a file that does not count objects."
   "(size c)  =>  16")
  (data:chain "The call chain of X, a context or a difference of these: names,
the root first.  Recursion is folded: see mprof-limits(7)."
   "(chain c)  =>  (\"APP::MAIN\" \"APP::PARSE\")")
  (data:phase "The phase of X, a context: :COMPILE, :LOAD, :EVAL or :RUN."
   "(phase c)  =>  :RUN")
  (data:thread "The name of the thread of X, a context."
   "(thread c)  =>  \"worker#2\"")
  (data:category-bytes "The bytes of X, a region, a phase or a thread, by
category: for conses, floats, structures and others."
   "(category-bytes (row :phases :run))  =>  (240 0 0 0)")
  (data:nanoseconds "How long X, a region, was active, threads added up."
   "(nanoseconds (row :regions :parse))  =>  1200000"))

;;; What is in a row of advice, A, whose name is that of the function to change

(define-readers
  (data:rule "The name of the rule that X, advice, comes from, a string."
   "(rule a)  =>  \"generic-float\"")
  (data:grade "How sure X, advice, is: :CERTAIN when what was counted proves it,
or :CHECK."
   "(grade a)  =>  :CERTAIN")
  (data:saved-bytes "How many bytes less are allocated when what X, advice, says
is done; at most so many, where the grade is :CHECK."
   "(saved-bytes a)  =>  31968")
  (data:objects "How many objects X, advice, is about."
   "(objects a)  =>  1998")
  (data:called "The name of the function of ECL that the one that X, advice, is
about calls there; NIL: that allocates itself."
   "(called a)  =>  \"ecl_plus\"" t)
  (data:fault "What is wrong with the function that X, advice, is about."
   "(fault a)  =>  \"computes with floats by generic arithmetic\"")
  (data:remedy "What to change, as X, advice, says." "(remedy a)")
  (data:example "An example of it." "(example a)")
  (data:unknown "What is not known, and may speak against it." "(unknown a)"))

;;; A difference D, and a condition C

(define-readers
  (data:old "What X, a difference or a comparison, was: a row, a profile, NIL."
   "(old d)  =>  #<type-figures CONS ...>")
  (data:new "What X, a difference or a comparison, became, as OLD."
   "(new d)  =>  #<type-figures CONS ...>")
  (data:old-allocations "How many objects X, a difference, counted."
   "(old-allocations d)  =>  120")
  (data:new-allocations "How many objects X, a difference, counts."
   "(new-allocations d)  =>  25")
  (data:old-bytes "The bytes of OLD-ALLOCATIONS." "(old-bytes d)  =>  1920")
  (data:new-bytes "The bytes of NEW-ALLOCATIONS." "(new-bytes d)  =>  400")
  (data:budget "What the body that X, an ALLOCATION-BUDGET-EXCEEDED, is about
was allowed.  BYTES and ALLOCATIONS of X are what it used, FUNCTIONS who did."
   "(budget c)  =>  (:BYTES 160 :ALLOCATIONS NIL :FUNCTION NIL)")
  (data:profile-of "The profile of which the body that X, an
ALLOCATION-BUDGET-EXCEEDED, is about was all or the last part."
   "(mprof:report :profile (profile-of c))")
  (data:holders "What holds what is alive of X, a profile that was taken with
:HOLDERS, as a profile: its functions are holders, their callers what holds
them, BYTES what they retain and SELF-BYTES their own objects; the chains of its
contexts begin at a root.  Of X, an ALLOCATION-BUDGET-EXCEEDED, the same or NIL."
   "(functions (holders (mprof:profile nil :holders t)))")
  (data:offset "The byte at which the file that X, a PROFILE-FILE-ERROR, is
about was found wrong, or NIL.  CL:FILE-ERROR-PATHNAME gives the file."
   "(offset c)  =>  197"))
