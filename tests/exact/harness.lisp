;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; harness.lisp -- run a form under the profiler and compare every figure
;;;; with one that was computed by hand.  Exact equality; there is no
;;;; tolerance.
;;;;
;;;; A program is a file of functions and of MEASURING forms.  It is compiled, or
;;;; byte-compiled as well, and run in two ways of counting, by frame words and
;;;; by whole walks; run.sh compares what the two ways leave in their dumps.
;;;; Each check prints one line, `ok - ...' or `not ok - ...'.

(require :mprof)

(defpackage #:exact
  (:use #:common-lisp))

(in-package #:exact)

(defvar *variant* (intern (string-upcase (ext:getenv "EXACT_VARIANT"))
                          '#:keyword)
  ":COMPILED or :BYTECODE.")

(defvar *full-walk* (string= (ext:getenv "EXACT_WALK") "full"))

(defvar *dump* (ext:getenv "EXACT_DUMP")
  "The file that gets all chains of all measurements.")

(defvar *saved* (namestring (ext:mkstemp "TMP:exact-"))
  "The file with the profile of the last measurement.  The length of its name
does not depend on the way of counting: writing it may be counted.")

(defvar *dump-only* nil
  "A string: only chains with it go to the dump.  For programs with threads,
whose beginnings and ends do not allocate the same each time.")

(defvar *missing-callers* nil
  "What the profile says about callers that are missing in chains.")

(defvar *missing-classes* nil
  "What it says about objects whose class is not known.")

(setf *print-pretty* nil)

(defvar *title* "")
(defvar *profile* nil)
(defvar *failures* 0)

(defvar *kept* nil
  "Where programs put objects that nobody needs, so that a compiler that knows
LIST to have no effect does not leave it out.")

(defmacro keep (form)
  `(setf *kept* ,form))

(defmacro by-release (old new)
  "OLD in ECL 21.2.1, NEW in 24.5.10."
  (if (eql (search "21." (lisp-implementation-version)) 0) old new))

(defun by-variant (compiled bytecode)
  (ecase *variant*
    (:compiled compiled)
    (:bytecode bytecode)))

;;; Sizes in bytes, as requested: sizeof of the structures in ecl/object.h on
;;; x86-64, where a header is 8 bytes and a pointer 8.

(defconstant +cons+ 16)           ; car and cdr, no header (ECL_SMALL_CONS)
(defconstant +double-float+ 16)   ; header, double
(defconstant +ratio+ 24)          ; header, numerator, denominator
(defconstant +complex+ 24)        ; header, real, imaginary
(defconstant +instance+ 64)       ; header, length, class, entry, slotds, slots,
                                  ; two stamps; then 8 for each slot
(defconstant +vector+ 48)         ; header, displaced, dim, fillp, self, offset
(defconstant +array+ 48)          ; header, displaced, dims, dim, self, offset
(defconstant +string+ 40)         ; header, displaced, dim, fillp, self
(defconstant +bignum+ 24)         ; then 8 for each limb
(defconstant +symbol+ (by-release 64 88))
(defconstant +stream+ (by-release 352 408)) ; with its own table of functions
(defconstant +closure+ 48)        ; header, env, block, entry, file, position
(defconstant +interpreted-closure+ 32) ; header, code, environment, entry
(defconstant +hash-table+ 136)
(defconstant +hash-table-entry+ 16) ; key and value
(defconstant +word+ 8)

;;; The byte-code interpreter keeps lexical variables in an association list:
;;; two conses for each variable that is bound, one for each local function.  A
;;; function that can see any of these is a closure.  In 24.5.10 the list is on
;;; the interpreter's stack, which saves a cons for each; and a closure is only
;;; what refers to one of these, and has a vector of them.

(defun b (variables)
  "The conses that the interpreter makes for so many VARIABLES."
  (* (by-release 2 1) variables))

(defun v (variables)
  "The same, where a program is interpreted."
  (by-variant 0 (b variables)))

(defmacro cells (n)
  "A list of N conses.  A LIST of several would be a call of that function."
  (if (zerop n) nil `(cons nil (cells ,(1- n)))))

;;; Checks

(defun check (what expected actual &optional (summary expected))
  (cond ((equal expected actual)
         (format t "ok - ~A: ~A: ~A~%" *title* what summary))
        (t
         (incf *failures*)
         (format t "not ok - ~A: ~A~%# expected ~S, got ~S~%" *title* what
                 expected actual)))
  (finish-output))

(defun shown (name)
  (if (stringp name) name (mprof::displayed-name name)))

(defun self (name allocations bytes)
  "NAME itself made ALLOCATIONS objects of BYTES bytes in all."
  (let ((f (mprof.data:row :functions name *profile*)))
    (check (format nil "~A itself" (shown name))
           (list allocations bytes)
           (and f (list (mprof.data:figure :self-allocations f)
                        (mprof.data:figure :self-bytes f))))))

(defun conses (name n)
  "NAME itself made N conses and nothing else."
  (self name n (* n +cons+)))

(defun inclusive (name allocations bytes)
  "NAME and all below it made ALLOCATIONS objects of BYTES bytes in all."
  (let ((f (mprof.data:row :functions name *profile*)))
    (check (format nil "~A with callees" (shown name))
           (list allocations bytes)
           (and f (list (mprof.data:figure :allocations f)
                        (mprof.data:figure :bytes f))))))

;; C functions of a library have no frame word; their names are strings.

(defun known-calls (name n)
  "What a profile says where NAME was called N times."
  (if (and (stringp name) (lower-case-p (char name 0)))
      nil
      n))

(defun calls (name n)
  "N calls of NAME led to an allocation."
  (let ((f (mprof.data:row :functions name *profile*)))
    (check (format nil "calls of ~A" (shown name))
           (known-calls name n) (and f (mprof.data:figure :calls f)))))

(defun arc (caller callee n &optional allocations bytes)
  "N calls of CALLEE by CALLER led to allocations."
  (let ((a (mprof.data:row :arcs (list caller callee) *profile*)))
    (check (format nil "calls of ~A by ~A" (shown callee) (shown caller))
           (known-calls callee n) (and a (mprof.data:figure :calls a)))
    (when allocations
      (check (format nil "~A below ~A" (shown callee) (shown caller))
             (list allocations bytes)
             (and a (list (mprof.data:figure :allocations a)
                          (mprof.data:figure :bytes a)))))))

(defun conses-of (caller callee calls n)
  "CALLER called CALLEE so often, and N conses were made below."
  (arc caller callee calls n (* n +cons+)))

(defun no-arc (caller callee)
  (check (format nil "~A never calls ~A" (shown caller) (shown callee))
         nil (mprof.data:row :arcs (list caller callee) *profile*)))

(defun absent (name)
  (check (format nil "~A is not in the profile" (shown name))
         nil (mprof.data:row :functions name *profile*)))

(defun type-total (name allocations bytes
                   &optional (key (mprof.data:reader :type)))
  "ALLOCATIONS objects of the type (or, by KEY, class) NAME, of BYTES in all."
  (loop for type in (mprof.data:figure :types *profile*)
        when (equal (shown name) (funcall key type))
          sum (mprof.data:figure :allocations type) into n
          and sum (mprof.data:figure :bytes type) into b
        finally (check (format nil "objects of type ~A" (shown name))
                       (list allocations bytes) (list n b))))

(defun class-total (name allocations bytes)
  (type-total name allocations bytes (mprof.data:reader :class)))

(defun total (allocations bytes)
  (check "everything" (list allocations bytes)
         (list (mprof.data:figure :allocations *profile*)
               (mprof.data:figure :bytes *profile*))))

(defun residual (bytes)
  (check "residual against the collector" (format nil "~D" bytes)
         (mprof.data:comment "mprof.residual_bytes" *profile*))
  (format t "~{# ~A~%~}"
          (nth-value 1 (mprof.data:comment "mprof.residual_note"
                                              *profile*))))

(defun check-sum (what rows allocations bytes)
  (flet ((sum (key)
           (reduce #'+ rows :key key)))
    (check (format nil "sum over ~A is the plain counter" what)
           (list (mprof::allocations) (mprof::bytes))
           (list (sum allocations) (sum bytes)))))

(defvar *beyond-the-budget* nil
  "Whether there are more contexts than the budget has room for.")

(defun over-the-budget ()
  "How many allocations are said to be over the budget."
  (let ((row (mprof.data:row :functions "[over the budget]" *profile*)))
    (if (and row *beyond-the-budget*)
        (format nil "~D" (mprof.data:figure :self-allocations row))
        "0")))

(defun check-sums ()
  "Each table adds up to the plain counters, and nothing is missing."
  (check-sum "functions" (mprof.data:figure :functions *profile*)
             (mprof.data:reader :self-allocations)
             (mprof.data:reader :self-bytes))
  (loop for (what rows) in `(("types" ,(mprof.data:figure :types *profile*))
                             ("phases" ,(mprof.data:figure :phases *profile*))
                             ("threads" ,(mprof.data:figure :threads
                                                            *profile*)))
        do (check-sum what rows (mprof.data:reader :allocations)
                      (mprof.data:reader :bytes)))
  (loop for (what expected comment)
          in `(("missing callers" ,*missing-callers* "chain_note")
               ("missing classes" ,*missing-classes* "class_note")
               ("over the budget" ,(over-the-budget) "unattributed_allocations")
               ("no chain cut short" "0" "cut_allocations")
               ("no frame forgotten" "0" "differing_walks"))
        do (check what expected
                  (mprof.data:comment (format nil "mprof.~A" comment)
                                      *profile*))))

;;; Chains

(defun split (line separator)
  (loop for start = 0 then (1+ end)
        for end = (position separator line :start start)
        collect (subseq line start end)
        while end))

(defun chains (&rest expected)
  "The measured form's chains are those EXPECTED and no others: each is a list
of names, root first, how many objects the last one made, and their bytes."
  (let ((table (make-hash-table :test #'equal)))
    (dolist (context (mprof.data:figure :contexts *profile*))
      ;; next to MEASURE comes the function around the form
      (let ((below (cddr (member "EXACT::MEASURE"
                                 (mprof.data:figure :chain context)
                                 :test #'string=))))
        (when below
          (let ((figures (or (gethash below table)
                             (setf (gethash below table) (list 0 0)))))
            (incf (first figures) (mprof.data:figure :allocations context))
            (incf (second figures) (mprof.data:figure :bytes context))))))
    (flet ((in-order (list)
             (sort list #'string< :key #'prin1-to-string)))
      (check "chains"
             (in-order (loop for (names n bytes) in expected
                             collect (list (mapcar #'shown names) n bytes)))
             (in-order (loop for names being each hash-key of table
                               using (hash-value figures)
                             collect (cons names figures)))
             (length expected)))))

;;; C functions that programs call, and that call back

(defvar *library* (ext:getenv "EXACT_LIBRARY")
  "What the C file beside the program has become, if there is one.")

(defun c-function (name &optional (library *library*))
  (si:find-foreign-symbol name library :pointer-void 0))

;;; Measuring

(defun lines (text)
  (sort (with-input-from-string (stream text)
          (loop for line = (read-line stream nil)
                while line
                collect line))
        #'string<))

(defun folded-lines (file value &rest options)
  (multiple-value-bind (text message)
      (apply #'mprof::run-command "export" "--format=folded"
             (format nil "--value=~A" value)
             (append options (list "--" file)))
    (when message
      (error "~A" message))
    (remove-if-not (lambda (line)
                     (or (null *dump-only*) (search *dump-only* line)))
                   (lines text))))

(defun runtime-chains (&optional (value "bytes"))
  "All chains, with the runtime's own functions and types."
  (folded-lines *saved* value "--frames=types" "--system=show"))

(defun dump ()
  "Add all chains with their figures to the dump."
  (with-open-file (out *dump* :direction :output :if-exists :append
                              :if-does-not-exist :create)
    (format out "== ~A~%~{~A~%~}~{~A~%~}" *title*
            (runtime-chains "bytes") (runtime-chains "allocs"))))

(defun close-profile (profile)
  "Close it now: a finalizer that did it at some time, perhaps in a thread that
calls C for the first time, would be in the figures of that time."
  (let ((source (mprof::profile-source profile)))
    (ext:set-finalizer source nil)
    (mprof::close-profile (list (mprof::source-address source)))))

(defun take-profile ()
  (when *profile*
    (close-profile *profile*))
  (setf *profile* (mprof:load-profile))
  (check-sums)
  (mprof:save *saved*)
  (dump))

(defvar *sites* nil
  "Whether calls on one line are told apart.")

(defun start ()
  (mprof:start :full-walk *full-walk* :sites *sites*))

(defun measure (title thunk)
  (setf *title* (format nil "~(~A~), ~A" *variant* title))
  (mprof:reset)
  (start)
  (multiple-value-prog1 (funcall thunk)
    (mprof:stop)
    (take-profile)))

(defmacro ten (form)
  "Make what FORM makes ten times."
  `(dotimes (i 10)
     (keep ,form)))

(defmacro measuring ((title &key (residual 0)) form &body checks)
  "Count what FORM allocates, then run CHECKS."
  `(progn
     (measure ,title (lambda () ,form))
     ,@(and residual `((residual ,residual)))
     ,@checks))

(defun add-compiler-flags (flags)
  (require :cmp)
  (let ((variable (find-symbol "*USER-CC-FLAGS*" "C")))
    (set variable (format nil "~@[~A ~]~A" (symbol-value variable) flags))))

(defun run (source)
  "Compile and load the program SOURCE, or just load it; exit with 1 if a check
failed.  The file EXACT_FAS is what the other way of counting has compiled."
  (ecase *variant*
    (:compiled
     (let ((fas (ext:getenv "EXACT_FAS"))
           (*compile-verbose* nil))
       (unless (probe-file fas)
         (add-compiler-flags (ext:getenv "EXACT_FLAGS"))
         (multiple-value-bind (output warnings failure)
             (compile-file source :output-file fas)
           ;; what the compiler says does not end with a newline
           (when warnings
             (terpri *error-output*)
             (finish-output *error-output*))
           (when (or failure (null output))
             (check "compiles" t nil))))
       (when (probe-file fas)
         (load fas :verbose nil))))
    (:bytecode (load source :verbose nil)))
  (delete-file *saved*)
  (ext:quit (if (zerop *failures*) 3 1)))
