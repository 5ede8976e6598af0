;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; profile.lisp -- the figures as Lisp data.
;;;;
;;;; The C library reduces a profile to functions, arcs and types, as for the
;;;; tables, and writes them as one Lisp expression; here it becomes structures.
;;;; Names are strings, as the tables show them.  Nothing is computed here.

(in-package #:mprof)

(defmacro define-figures (name (prefix argument) documentation &body slots)
  "Define NAME as a structure that is made from a property list, and a reader
for each slot.  Each of SLOTS is (SLOT DOCUMENTATION); its reader begins with
PREFIX, a string, and takes ARGUMENT."
  ;; The accessors of DEFSTRUCT are closures in ECL, which take no docstring.
  (flet ((symbol-of (&rest parts)
           (intern (format nil "~{~A~}" parts) '#:mprof)))
    `(progn
       (defstruct (,name (:conc-name ,(symbol-of "%" prefix))
                         (:constructor ,(symbol-of '#:make- name)
                             (&key ,@(mapcar #'first slots)
                              &allow-other-keys))
                         (:copier nil)
                         (:predicate nil))
         ,documentation
         ,@(mapcar #'first slots))
       ,@(loop for (slot documentation) in slots
               collect `(defun ,(symbol-of prefix slot) (,argument)
                          ,documentation
                          (,(symbol-of "%" prefix slot) ,argument))))))

(define-figures type-figures ("TYPE-" figures)
    "How much was allocated of one Lisp type, and of one class if it is the type
of instances or structures."
  (name "The Lisp type that FIGURES, a TYPE-FIGURES, is about; a string such as
\"CONS\", \"DOUBLE-FLOAT\" or \"INSTANCE\".")
  (class "The class of the instances or structures that FIGURES, a TYPE-FIGURES,
is about, a string such as \"CL-USER::WIDGET\"; else NIL.")
  (category "\"cons\", \"float\", \"struct\" or \"other\": the column of the tables
that FIGURES, a TYPE-FIGURES, belongs to.")
  (allocations "How many objects FIGURES, a TYPE-FIGURES, counts; an integer.")
  (bytes "The bytes of the objects that FIGURES, a TYPE-FIGURES, counts, with
their bodies, as requested; an integer."))

(define-figures function-figures ("FUNCTION-" figures)
    "What one function allocated, itself and with all that it called."
  (name "The name of the function that FIGURES, a FUNCTION-FIGURES, is about; a
string such as \"CL-USER::FOO\" or \"(LAMBDA :IN CL-USER::FOO)\".")
  (self-allocations "How many objects the function of FIGURES, a
FUNCTION-FIGURES, allocated itself; an integer.")
  (self-bytes "The bytes that the function of FIGURES, a FUNCTION-FIGURES,
requested itself; an integer.")
  (inclusive-allocations "How many objects the function of FIGURES, a
FUNCTION-FIGURES, and everything below it allocated; an integer.  Recursion
counts once.")
  (inclusive-bytes "The bytes that the function of FIGURES, a FUNCTION-FIGURES,
and everything below it requested; an integer.  Recursion counts once.")
  (activations "How many calls of the function of FIGURES, a FUNCTION-FIGURES,
led to an allocation; an integer.")
  (cycle "The number of the cycle of mutually recursive functions that the
function of FIGURES, a FUNCTION-FIGURES, is in; or NIL.")
  (file "The source file of the function of FIGURES, a FUNCTION-FIGURES, as a
string; or NIL when it is not known.")
  (line "The line in FUNCTION-FILE where the top-level form of FIGURES, a
FUNCTION-FIGURES, begins; or NIL.")
  (types "What the function of FIGURES, a FUNCTION-FIGURES, allocated itself, as
a list of TYPE-FIGURES, the largest first."))

(define-figures arc-figures ("ARC-" figures)
    "What one function allocated on behalf of one caller."
  (caller "The name of the caller in FIGURES, an ARC-FIGURES; a string.")
  (callee "The name of the called function in FIGURES, an ARC-FIGURES; a string.")
  (calls "How many calls from ARC-CALLER to ARC-CALLEE led to an allocation in
FIGURES, an ARC-FIGURES; an integer.")
  (allocations "How many objects were allocated below the calls that FIGURES, an
ARC-FIGURES, is about; an integer.")
  (bytes "The bytes requested below the calls that FIGURES, an ARC-FIGURES, is
about; an integer."))

(define-figures phase-figures ("PHASE-" figures)
    "How much was allocated in one phase of the program's life."
  (name "The phase that FIGURES, a PHASE-FIGURES, is about: :COMPILE, :LOAD, :EVAL
or :RUN.")
  (allocations "How many objects FIGURES, a PHASE-FIGURES, counts; an integer.")
  (bytes "The bytes requested for the objects of FIGURES, a PHASE-FIGURES; an
integer.")
  (category-bytes "The bytes of FIGURES, a PHASE-FIGURES, by category: a list of
four integers, for conses, floats, structures and others."))

(define-figures thread-figures ("THREAD-" figures)
    "How much one thread allocated."
  (name "The name of the thread that FIGURES, a THREAD-FIGURES, is about, as the
tables show it: \"worker\", and \"worker#2\" for the second with that name.")
  (allocations "How many objects FIGURES, a THREAD-FIGURES, counts; an integer.")
  (bytes "The bytes requested for the objects of FIGURES, a THREAD-FIGURES; an
integer.")
  (category-bytes "The bytes of FIGURES, a THREAD-FIGURES, by category: a list of
four integers, for conses, floats, structures and others."))

(define-figures profile ("PROFILE-" profile)
    "All that was counted: totals, functions, arcs of the call graph, types, phases
and threads."
  (allocations "How many objects PROFILE counts; an integer.")
  (bytes "The bytes requested for all objects of PROFILE; an integer.")
  (functions "The functions of PROFILE as a list of FUNCTION-FIGURES, the largest
inclusive bytes first.")
  (arcs "The arcs of PROFILE's call graph as a list of ARC-FIGURES, the largest
bytes first.")
  (types "What was allocated in PROFILE as a list of TYPE-FIGURES, the largest
bytes first.")
  (phases "What was allocated in each phase of PROFILE as a list of PHASE-FIGURES,
the largest bytes first.")
  (threads "What each thread of PROFILE allocated as a list of THREAD-FIGURES, the
largest bytes first.")
  (comments "What the profiler said about PROFILE, as a list of (KEY . VALUE), both
strings; see PROFILE-COMMENT."))

(defmethod print-object ((figures type-figures) stream)
  (print-unreadable-object (figures stream :type t)
    (format stream "~A ~D allocations, ~D bytes"
            (or (type-class figures) (type-name figures))
            (type-allocations figures) (type-bytes figures))))

(defmethod print-object ((figures function-figures) stream)
  (print-unreadable-object (figures stream :type t)
    (format stream "~A ~D self, ~D inclusive bytes" (function-name figures)
            (function-self-bytes figures) (function-inclusive-bytes figures))))

(defmethod print-object ((figures arc-figures) stream)
  (print-unreadable-object (figures stream :type t)
    (format stream "~A > ~A ~D calls, ~D bytes" (arc-caller figures)
            (arc-callee figures) (arc-calls figures) (arc-bytes figures))))

(defmethod print-object ((figures phase-figures) stream)
  (print-unreadable-object (figures stream :type t)
    (format stream "~S ~D allocations, ~D bytes" (phase-name figures)
            (phase-allocations figures) (phase-bytes figures))))

(defmethod print-object ((figures thread-figures) stream)
  (print-unreadable-object (figures stream :type t)
    (format stream "~A ~D allocations, ~D bytes" (thread-name figures)
            (thread-allocations figures) (thread-bytes figures))))

(defmethod print-object ((profile profile) stream)
  (print-unreadable-object (profile stream :type t)
    (format stream "~D allocations, ~D bytes, ~D functions"
            (profile-allocations profile) (profile-bytes profile)
            (length (profile-functions profile)))))

(defun profile-of (data)
  "The profile that DATA is: what `mprof export --format=lisp' wrote."
  (destructuring-bind (tag &rest plist &key functions arcs types phases
                       threads &allow-other-keys)
      data
    (assert (eq tag :mprof-profile))
    (flet ((make-types (plists)
             (loop for plist in plists
                   collect (apply #'make-type-figures
                                  :name (getf plist :type) plist))))
      (apply #'make-profile
             :functions (loop for plist in functions
                              for types = (make-types (getf plist :types))
                              collect (apply #'make-function-figures
                                             :types types plist))
             :arcs (loop for plist in arcs
                         collect (apply #'make-arc-figures plist))
             :types (make-types types)
             :phases (loop for plist in phases
                           collect (apply #'make-phase-figures
                                          :name (intern (string-upcase
                                                         (getf plist :phase))
                                                        '#:keyword)
                                          plist))
             :threads (loop for plist in threads
                            collect (apply #'make-thread-figures plist))
             plist))))

(defun read-profile (options file)
  "The profile in FILE, a string, under OPTIONS, strings.  Signals
PROFILE-FILE-ERROR."
  (multiple-value-bind (status text message offset)
      (apply #'mprof.bindings:run-command "export" "--format=lisp"
             (append options (list "--" file)))
    (when (eql status 2)
      (error 'mprof-error :reason message))
    (unless (eql status 0)
      (error 'profile-file-error
             :reason message :pathname (pathname file) :offset offset
             :advice *advice-on-reading*))
    (with-standard-io-syntax
      (let ((*read-eval* nil))
        (profile-of (read-from-string text))))))

(defun profile (&optional file
                &rest choices
                &key focus ignore hide hide-system by phase thread
                  show-runtime show-root)
  "The figures as Lisp data, an object of type PROFILE.

FILE (pathname designator, default NIL): a profile file to read; NIL takes what
was counted in this Lisp until now.
CHOICES: FOCUS, IGNORE, HIDE, HIDE-SYSTEM, BY, PHASE, THREAD, SHOW-RUNTIME and
SHOW-ROOT, as for REPORT (default NIL).

PROFILE-FUNCTIONS, PROFILE-ARCS, PROFILE-TYPES, PROFILE-PHASES and
PROFILE-THREADS give lists; FIND-FUNCTION, FIND-ARC, FIND-TYPE, FIND-PHASE and
FIND-THREAD look things up by name.

Signals PROFILE-FILE-ERROR when FILE cannot be read or is no profile; the
restart USE-VALUE takes another one.  Signals MPROF-ERROR for choices that make
no sense.  Warns with PROFILE-INCOMPLETE."
  (declare (ignore focus ignore hide hide-system by phase thread
                   show-runtime show-root))
  (let ((options (choice-options choices)))
    (if (null file)
        (call-with-profile-file (lambda (name) (read-profile options name)))
        (loop
          (restart-case (return (read-profile options (file-name file)))
            (use-value (other)
              :report "Read another file."
              :interactive read-file-name
              (setf file other)))))))

;;; Looking things up

(defun print-name (name stream)
  "Print NAME, a symbol, a list or another object, as it shows in profiles."
  (cond ((consp name)
         (write-char #\( stream)
         (loop for (element . more) on name
               do (print-name element stream)
                  (when more (write-char #\Space stream)))
         (write-char #\) stream))
        ((or (not (symbolp name)) (null (symbol-package name)))
         (prin1 name stream))
        (t
         (let* ((*package* (symbol-package name))
                (package (package-name *package*)))
           (unless (or (keywordp name) (string= package "COMMON-LISP"))
             (format stream "~A~:[::~;:~]"
                     (if (string= package "COMMON-LISP-USER")
                         "CL-USER"
                         package)
                     (eq :external
                         (nth-value 1 (find-symbol (symbol-name name)
                                                   *package*)))))
           (prin1 name stream)))))

(defun displayed-name (name)
  "NAME, a string, a symbol or a list such as (SETF FOO) or (METHOD AREA
(INTEGER)), as the string that profiles show for it."
  (if (stringp name)
      name
      (with-standard-io-syntax
        (let ((*print-readably* nil))
          (with-output-to-string (stream)
            (print-name name stream))))))

(defun find-function (name &optional (profile (profile)))
  "The FUNCTION-FIGURES of the function NAME in PROFILE, or NIL.

NAME: a string as in the tables, a symbol, or a list such as (SETF FOO) or
(METHOD AREA :AROUND (INTEGER)).
PROFILE (default: what was counted in this Lisp until now)."
  (find (displayed-name name) (profile-functions profile)
        :key #'function-name :test #'string=))

(defun find-arc (caller callee &optional (profile (profile)))
  "The ARC-FIGURES from CALLER to CALLEE in PROFILE, or NIL.

CALLER, CALLEE: names as for FIND-FUNCTION.
PROFILE (default: what was counted in this Lisp until now)."
  (let ((caller (displayed-name caller))
        (callee (displayed-name callee)))
    (find-if (lambda (arc)
               (and (string= caller (arc-caller arc))
                    (string= callee (arc-callee arc))))
             (profile-arcs profile))))

(defun find-type (name &optional (profile (profile)))
  "The TYPE-FIGURES of the type or class NAME in PROFILE, or NIL.

NAME: a string as in the tables, a symbol, or a list such as
(SIMPLE-ARRAY DOUBLE-FLOAT).  Classes and structures go by their own names.
PROFILE (default: what was counted in this Lisp until now)."
  (let ((name (displayed-name name)))
    (find-if (lambda (type)
               (string= name (or (type-class type) (type-name type))))
             (profile-types profile))))

(defun type-functions (name &optional (profile (profile)))
  "Who allocated objects of the type or class NAME in PROFILE, and how much: a
list of (FUNCTION-FIGURES . TYPE-FIGURES), the largest bytes first.  The
TYPE-FIGURES are those of FUNCTION-TYPES: what that function itself allocated
of NAME.

NAME: as for FIND-TYPE.
PROFILE (default: what was counted in this Lisp until now)."
  (let ((name (displayed-name name)))
    (sort (loop for function in (profile-functions profile)
                nconc (loop for type in (function-types function)
                            when (string= name (or (type-class type)
                                                   (type-name type)))
                              collect (cons function type)))
          (lambda (a b)
            (if (= (type-bytes a) (type-bytes b))
                (> (type-allocations a) (type-allocations b))
                (> (type-bytes a) (type-bytes b))))
          :key #'cdr)))

(defun find-phase (phase &optional (profile (profile)))
  "The PHASE-FIGURES of PHASE in PROFILE, or NIL when nothing was allocated in it.

PHASE: :COMPILE, :LOAD, :EVAL or :RUN.
PROFILE (default: what was counted in this Lisp until now)."
  (find phase (profile-phases profile) :key #'phase-name))

(defun find-thread (name &optional (profile (profile)))
  "The THREAD-FIGURES of the thread NAME in PROFILE, or NIL.

NAME: a string as in the tables, such as \"worker\" or \"worker#2\"; a symbol
stands for its name as the tables show it.
PROFILE (default: what was counted in this Lisp until now)."
  (find (displayed-name name) (profile-threads profile)
        :key #'thread-name :test #'string=))

(defun profile-comment (key profile)
  "What the profiler said about KEY in PROFILE: a string, or NIL.  When KEY is
there more than once, the second value is a list of all.

KEY: a string, for example \"mprof.residual_bytes\".
PROFILE: an object that the function PROFILE gave back."
  (let ((values (loop for (name . value) in (profile-comments profile)
                      when (string= name key)
                        collect value)))
    (values (first values) values)))
