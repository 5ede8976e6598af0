;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; data.lisp -- rows of figures, and the readers of MPROF.DATA with their
;;;; meaning for all objects.  Methods for other objects are beside these
;;;; objects.
;;;;
;;;; Names are strings, as the tables show them.  Rows are never modified, since
;;;; profiles may share them.

(in-package #:mprof)

(defstruct (figures (:constructor make-figures (kind plist)) (:copier nil)
                    (:predicate nil))
  "A row.  KIND is a symbol; PLIST has the value of each reader, by keyword."
  kind plist)

(defun figure (key figures)
  "Return the value of KEY, a keyword, in FIGURES."
  (let ((value (getf (figures-plist figures) key '#1=#:none)))
    (if (eq value '#1#)
        (fail "~(~A~) have no ~A" (figures-kind figures) key)
        value)))

(defmacro define-readers (&body readers)
  "Define each of READERS, (NAME DOCUMENTATION EXAMPLE [UNKNOWN]), as a generic
function of one object, called X in its docstring.  If UNKNOWN is true, the
value is NIL where it is not known."
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
  (data:functions "The functions of X, a profile, the largest bytes first.  The
functions that changed in X, a comparison, as differences.  The functions that
allocated in the body that signalled X, an ALLOCATION-BUDGET-EXCEEDED, as
differences."
   "(functions p)  =>  (#<function-figures APP::PARSE ...> ...)")
  (data:arcs "The arcs of the graph of X, a profile, the largest bytes first."
   "(arcs p)  =>  (#<arc-figures APP::MAIN > APP::PARSE ...> ...)")
  (data:types "The types allocated in X, a profile, a bin or a function itself,
the largest bytes first.  The types that changed in X, a comparison, as
differences."
   "(types (row :functions 'app::parse))  =>  (#<type-figures CONS ...>)")
  (data:survival "Rows by function and type for the objects of X, a profile or a
function in it, the largest bytes first.  DIED and ALIVE of a row say how long
these objects lived.  NIL if that is not known: see :LIVE of START."
   "(mapcar #'died (survival f))  =>  (((0 90 1440) (1 10 160)))")
  (data:bins "The object sizes allocated in X, a profile, in ascending order."
   "(mapcar #'size (bins p))  =>  (16 32 48 :LARGE)")
  (data:regions "The regions of X, a profile, the largest bytes first."
   "(regions p)  =>  (#<region-figures parse ...> ...)")
  (data:phases "The phases of X, a profile, the largest bytes first."
   "(mapcar #'name (phases p))  =>  (:RUN :COMPILE)")
  (data:threads "The threads of X, a profile, the largest bytes first."
   "(mapcar #'name (threads p))  =>  (\"top-level\" \"worker\")")
  (data:advice "Advice on X, a profile, the largest saving first.  See
MPROF:ADVISE."
   "(saved-bytes (first (advice p)))  =>  31968")
  (data:contexts "The contexts of X, a profile, as a fresh list, the largest
bytes first; MAP-CONTEXTS needs less memory.  For a comparison, the differences
between the allocations at the end of each call chain."
   "(first (contexts p))  =>  #<context-figures APP::MAIN > ...>")
  (data:comments "The comments in X, a profile, as a list of (KEY . VALUE)."
   "(first (comments p))  =>  (\"mprof.language\" . \"lisp\")"))

;;; Rows: a function F, a context C

(define-readers
  (data:name "The name of X, a row, as in the tables: a string, or a keyword for
a phase.  For a row of SURVIVAL and for a context, the name of the function that
allocated."
   "(name (row :types 'cons))  =>  \"CONS\"")
  (data:allocations "The number of objects in X, a row or a profile.  For a
function, it includes the callees, and recursion counts once.  For a difference
or a comparison, it is the increase."
   "(allocations (row :types 'cons))  =>  10")
  (data:bytes "The bytes requested for the objects of ALLOCATIONS."
   "(bytes p)  =>  4800016")
  (data:live-allocations "The number of objects of X, a function, a type, a bin
or a profile, that were alive at the last collection.  NIL if this is not known:
see :LIVE of START."
   "(live-allocations (row :types 'cons))  =>  2" t)
  (data:live-bytes "The bytes of the objects of LIVE-ALLOCATIONS and their
bodies."
   "(live-bytes p)  =>  88220" t)
  (data:self-live-allocations "LIVE-ALLOCATIONS of what X, a function,
allocated itself."
   "(self-live-allocations f)  =>  2" t)
  (data:self-live-bytes "The bytes of the objects of SELF-LIVE-ALLOCATIONS."
   "(self-live-bytes f)  =>  32" t)
  (data:died "The dead objects of X, a row of SURVIVAL or a profile, as a list
of (COLLECTIONS OBJECTS BYTES): OBJECTS with BYTES in all survived COLLECTIONS
before they died.  COLLECTIONS is 0, 1, 2 (for 2 to 3), 4 (4 to 7) or 8 (8 or
more); empty entries are left out.  NIL also if this is not known."
   "(died p)  =>  ((0 9200 147200) (1 12 192) (8 1 88))" t)
  (data:alive "The objects of X that were alive at the last collection, in the
form of DIED.  The entry for 0 has the objects made since then, dead or alive.
DIED and ALIVE add up to ALLOCATIONS and BYTES."
   "(alive p)  =>  ((0 4 64) (2 100 3200))" t)
  (data:self-allocations "The number of objects that X, a function, allocated
itself."
   "(self-allocations f)  =>  10")
  (data:self-bytes "The bytes requested for the objects of SELF-ALLOCATIONS."
   "(self-bytes f)  =>  160")
  (data:calls "The number of calls of X, a function, an arc or the end of a
context, that led to an allocation, or the number of times that X, a region, was
entered.  NIL if this is not known, as for C functions of other libraries.
Contexts of one chain that differ in type or size share their calls."
   "(calls (row :arcs '(app::main app::parse)))  =>  3")
  (data:file "The source file of X, a function or advice, a string; or NIL."
   "(file f)  =>  \"/home/me/app.lisp\"")
  (data:line "The line where the form of X, a function, begins; or the line
that X, advice, refers to; or NIL."
   "(line f)  =>  12")
  (data:cycle "The number of the cycle of functions that contains X, or NIL."
   "(cycle f)  =>  1")
  (data:callers "The arcs to X, a function, the largest bytes first."
   "(mapcar #'caller (callers f))  =>  (\"APP::MAIN\")")
  (data:callees "The arcs from X, a function, the largest bytes first."
   "(mapcar #'callee (callees f))  =>  (\"APP::LEX\")")
  (data:caller "The name of the function that X, an arc, comes from.  For
advice, the name of the caller that accounts for most of the objects concerned,
or NIL."
   "(caller (first (callers f)))  =>  \"APP::MAIN\"" t)
  (data:callee "The name of the function that X, an arc, goes to."
   "(callee (first (callees f)))  =>  \"APP::LEX\"")
  (data:type "The Lisp type of the objects of X, a type, a row of SURVIVAL or a
context; a string."
   "(type (row :types 'app::widget))  =>  \"INSTANCE\"")
  (data:class "The class of the objects of X, as for TYPE, or NIL."
   "(class (row :types 'app::widget))  =>  \"APP::WIDGET\"")
  (data:category "The category of X, as for TYPE: \"cons\", \"float\",
\"struct\" or \"other\"."
   "(category (row :types 'cons))  =>  \"cons\"")
  (data:size "The bytes of each object of X, a bin or a context.  :LARGE stands
for more than 1,024 bytes (2,048 for contexts), :GROWN for bodies that grew,
which are not objects, and :UNKNOWN for a file that does not count objects."
   "(size c)  =>  16")
  (data:chain "The call chain of X, a context or a difference of contexts:
names, the root first.  Recursion is folded: see mprof-limits(7)."
   "(chain c)  =>  (\"APP::MAIN\" \"APP::PARSE\")")
  (data:phase "The phase of X, a context: :COMPILE, :LOAD, :EVAL or :RUN."
   "(phase c)  =>  :RUN")
  (data:thread "The name of the thread of X, a context."
   "(thread c)  =>  \"worker#2\"")
  (data:category-bytes "The bytes of X, a region, a phase or a thread, by
category: conses, floats, structures and others."
   "(category-bytes (row :phases :run))  =>  (240 0 0 0)")
  (data:nanoseconds "How long X, a region, was active, summed over all threads."
   "(nanoseconds (row :regions :parse))  =>  1200000"))

;;; A row of advice, A, whose name is that of the function to change

(define-readers
  (data:rule "The name of the rule that X, advice, comes from, a string."
   "(rule a)  =>  \"generic-float\"")
  (data:grade "How reliable X, advice, is: :CERTAIN if the figures prove it, or
:CHECK."
   "(grade a)  =>  :CERTAIN")
  (data:saved-bytes "The number of bytes that following X, advice, saves; an
upper bound if the grade is :CHECK."
   "(saved-bytes a)  =>  31968")
  (data:objects "The number of objects that X, advice, refers to."
   "(objects a)  =>  1998")
  (data:called "The name of the ECL function through which the function of X,
advice, allocates; NIL if it allocates the objects itself."
   "(called a)  =>  \"ecl_plus\"" t)
  (data:fault "The fault that X, advice, found in its function."
   "(fault a)  =>  \"computes with floats using generic arithmetic\"")
  (data:remedy "The change that X, advice, recommends." "(remedy a)")
  (data:example "An example of that change, or NIL." "(example a)" t)
  (data:unknown "A doubt about the change that mprof cannot resolve, or NIL."
   "(unknown a)" t))

;;; A difference D, and a condition C

(define-readers
  (data:old "The old side of X, a difference or a comparison: a row or NIL, or a
profile."
   "(old d)  =>  #<type-figures CONS ...>")
  (data:new "The new side of X, a difference or a comparison, as for OLD."
   "(new d)  =>  #<type-figures CONS ...>")
  (data:old-allocations "The number of objects on the old side of X, a
difference."
   "(old-allocations d)  =>  120")
  (data:new-allocations "The number of objects on the new side of X, a
difference."
   "(new-allocations d)  =>  25")
  (data:old-bytes "The bytes of the objects of OLD-ALLOCATIONS."
   "(old-bytes d)  =>  1920")
  (data:new-bytes "The bytes of the objects of NEW-ALLOCATIONS."
   "(new-bytes d)  =>  400")
  (data:budget "The limits of the body that signalled X, an
ALLOCATION-BUDGET-EXCEEDED.  BYTES and ALLOCATIONS of X return what the body
used, FUNCTIONS the functions that used it."
   "(budget c)  =>  (:BYTES 160 :ALLOCATIONS NIL :FUNCTION NIL)")
  (data:profile-of "The profile that ends with the body that signalled X, an
ALLOCATION-BUDGET-EXCEEDED."
   "(mprof:report :profile (profile-of c))")
  (data:holders "The holders of the live objects of X, a profile taken with
:HOLDERS, as a profile.  Its functions are holders, and their callers hold
them.  BYTES is what a holder retains, SELF-BYTES its own objects.  The chains
of its contexts begin at a root.  For X, an ALLOCATION-BUDGET-EXCEEDED, such a
profile or NIL."
   "(functions (holders (mprof:profile nil :holders t)))")
  (data:offset "The byte offset of the fault in the file of X, a
PROFILE-FILE-ERROR, or NIL.  CL:FILE-ERROR-PATHNAME returns the file."
   "(offset c)  =>  197"))
