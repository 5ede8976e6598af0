;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; try-advice.lisp -- measure what a change to the program saves.
;;;;
;;;; The program is not changed: functions are replaced during further runs, and
;;;; their old definitions are restored even after a non-local exit.
;;;;
;;;; ECL compiles a call within one file to a direct call in C, of the old
;;;; function.  So each new function has a name of its own in profiles, and
;;;; counts its calls.  If an old name still appears, its callers in that file are
;;;; compiled again, and used only if a run with them and the old functions
;;;; allocates the same as the program.

(in-package #:mprof)

(defun name-defined-by (form)
  "Return the name of the function that FORM, a DEFUN, defines."
  (unless (and (consp form) (eq (first form) 'defun) (consp (rest form))
               (si:valid-function-name-p (second form)))
    (fail "TRY-ADVICE takes DEFUN forms, not ~S" form))
  (second form))

(defvar *in-hand* nil
  "A list (LAMBDA COUNTER), or NIL: what a file of NEW-FUNCTION takes from here,
since its text cannot name the objects in a form.")

(defmacro lambda-in-hand ()
  "Expand into the lambda expression that is compiled."
  (first *in-hand*))

(defun lambda-of (form counter)
  "Return FORM, a DEFUN, as a function that also counts its calls in the value of
the symbol that *IN-HAND* has when it is loaded.  COUNTER is its name."
  (destructuring-bind (name lambda-list &rest body) (rest form)
    (multiple-value-bind (declarations body) (si::find-declarations body)
      `(function
        (ext:lambda-block
         ,counter
         (,@lambda-list
          ,@(unless (member '&aux lambda-list) '(&aux))
          (,(gensym) (incf (symbol-value
                            (load-time-value (second *in-hand*))))))
         ,@declarations
         (block ,(si:function-block-name name) ,@body))))))

(defun compile-in-file (form)
  "Compile FORM, alone in a file, and load it.  Return false if that fails."
  (let ((names (list (or (ext:mkstemp "TMP:mprof-")
                         (fail "cannot make a file in the folder for temporary ~
                                files, which TMPDIR names")))))
    (flet ((name (type)
             (first (push (make-pathname :type type :defaults (first names))
                          names))))
      (unwind-protect
           (let ((source (name "lsp"))
                 (*readtable* (copy-readtable nil))
                 (*read-base* 10))
             (with-open-file (stream source :direction :output)
               (with-standard-io-syntax
                 (let ((*package* (find-package '#:keyword)))
                   (prin1 form stream))))
             (multiple-value-bind (file warnings-p failure-p)
                 (compile-file source :output-file (name "fas"))
               (declare (ignore warnings-p))
               (and file (not failure-p) (load file))))
        (mapc #'delete-file (remove-if-not #'probe-file names))))))

(defvar *new-function* nil
  "The function that COMPILE-IN-FILE has loaded.")

(defun new-function (form counter)
  "Compile FORM, a DEFUN, as COMPILE-FILE does, and return the function.  It
counts its calls in the value of COUNTER, a symbol without a package, which is
its name in profiles."
  (let* ((*standard-output* (make-broadcast-stream))
         (*error-output* *standard-output*)
         (*new-function* nil)
         (*in-hand* (list (lambda-of form counter) counter)))
    (set counter 0)
    (or (handler-bind ((warning #'muffle-warning))
          (and (compile-in-file '(setf *new-function* (lambda-in-hand)))
               *new-function*))
        (fail "The new definition of ~S does not compile" (second form)))))

(defstruct (trial (:copier nil) (:predicate nil))
  "The results of a run: its allocations and the list of its values."
  values allocations bytes
  profile                               ; of the run
  uncalled)                             ; names of new functions

(defun run-twice (function)
  "Return a TRIAL of FUNCTION.  The first run, which may fill caches, is not
counted."
  (funcall function)
  (reset)
  (let ((values (multiple-value-list (call-counting function (options 0)))))
    (make-trial :values values :allocations (allocations) :bytes (bytes)
                :profile (profile))))

(defun old-function (name)
  "Return the function NAME that a new definition is to replace."
  (cond ((not (fboundp name))
         (fail "~S is not a function yet, so there is nothing to compare with"
               name))
        ((and (symbolp name)
              (or (macro-function name) (special-operator-p name)))
         (fail "~S is a ~:[special operator~;macro~], not a function" name
               (macro-function name)))
        (t
         (fdefinition name))))

(defun define-all (names definitions)
  "Make DEFINITIONS the functions NAMES.  Whatever throws out of one of these
steps, the others follow."
  (when names
    (unwind-protect (setf (fdefinition (first names)) (first definitions))
      (define-all (rest names) (rest definitions)))))

(defun run-with (forms function)
  "Return a TRIAL of FUNCTION with the functions that FORMS define in place of
those of the program."
  (let* ((names (mapcar #'name-defined-by forms))
         (old (mapcar #'old-function names))
         (counters (loop for name in names
                         collect (make-symbol (displayed-name name))))
         (new (mapcar #'new-function forms counters)))
    (protected
     nil
     (progn
       (define-all names new)
       (let ((trial (run-twice function)))
         (setf (trial-uncalled trial)
               (loop for name in names
                     for counter in counters
                     when (eql 0 (symbol-value counter))
                       collect name))
         trial))
     (define-all names old))))

;;; Direct calls

(defun old-rows (names trial)
  "Return the rows of the functions in NAMES whose old definitions allocated in
TRIAL."
  (remove nil (mapcar (lambda (name)
                        (data:row :functions name (trial-profile trial)))
                      names)))

(defun direct-callers (rows profile)
  "Return the rows of PROFILE that may call the functions of ROWS directly:
their callers in the same file, the callers of these, and so on."
  (let ((found '()))
    (labels ((visit (row)
               (dolist (arc (data:figure :callers row))
                 (let ((caller (data:row :functions (data:figure :caller arc)
                                         profile)))
                   (when (and caller (data:figure :file row)
                              (equal (data:figure :file caller)
                                     (data:figure :file row))
                              (not (member caller rows))
                              (not (member caller found)))
                     (push caller found)
                     (visit caller))))))
      (mapc #'visit rows))
    (nreverse found)))

(defun package-at (stream position)
  "Return the package of the last IN-PACKAGE before POSITION of STREAM, a file;
CL-USER if none is found."
  (loop with package = "CL-USER"
        for line = (and (< (file-position stream) position)
                        (read-line stream nil))
        while line
        for start = (search "(in-package " line :test #'char-equal)
        do (when start
             (setf package
                   (second (read-from-string line t nil :start start))))
        finally (return (find-package package))))

(defun source-of (row)
  "Read the DEFUN of the function of ROW, or of the function that it is local
to, from its file.  Return NIL if it is not there."
  (ignore-errors
   (let ((name (with-standard-io-syntax
                 (read-from-string (data:figure :name row)))))
     (loop for inner = (and (consp name) (member :in name))
           while inner
           do (setf name (second inner)))
     (multiple-value-bind (file position)
         (ext:compiled-function-file (fdefinition name))
       ;; ECL 21.2.1 can give it in UTF-8 twice
       (with-open-file (stream (or (probe-file file)
                                   (string-of (namestring file))))
         (let ((*package* (package-at stream position)))
           (file-position stream position)
           (let ((form (read stream)))
             (and (equal name (name-defined-by form)) form))))))))

(defun callers-forms (rows names before trial function)
  "Return the DEFUN forms of the direct callers of ROWS in TRIAL, except NAMES.
Return NIL if FUNCTION does not run with them as it did in the trial BEFORE."
  (let ((forms (remove-duplicates
                (mapcar #'source-of (direct-callers rows
                                                    (trial-profile trial)))
                :test #'equal)))
    (unless (member nil forms)
      (let* ((more (remove-if (lambda (form) (member (second form) names
                                                     :test #'equal))
                              forms))
             (trial (and more (ignore-errors (run-with more function)))))
        (and trial
             (eql (trial-allocations before) (trial-allocations trial))
             (eql (trial-bytes before) (trial-bytes trial))
             (equalp (trial-values before) (trial-values trial))
             more)))))

;;; Output

(defun listed (names)
  "Return NAMES of functions as a list in a sentence."
  (format nil "~{~A~#[~; and ~:;, ~]~}" (mapcar #'displayed-name names)))

(defun print-not-run (rows names trial stream)
  "Print why TRIAL is inconclusive: the functions of ROWS ran with their old
definitions or, if ROWS is NIL, NAMES were not called."
  (let ((names (listed (if rows (mapcar (data:reader :name) rows) names)))
        (callers (mapcar (data:reader :name)
                         (direct-callers rows (trial-profile trial)))))
    (format stream "~&after   unknown: ~:[the new ~A was never called~;~
                                          the old ~A still ran~].~%~
                    ~@[Direct callers: ~A.~%~]"
            rows names (and callers (listed callers)))
    (format stream "~:[If the body does call it, ~;~
                       If all of them are DEFUNs, add them to TRY-ADVICE.  ~
                       Otherwise~%~]~
                    declare ~A NOTINLINE at the top of its file,~@
                    then compile and load that file.~%"
            callers names)))

(defun print-trial (before trial names more stream)
  "Print what TRIAL saved, compared with BEFORE, with new definitions of NAMES
and of the functions that MORE, forms, define.  Return three values: the bytes
and the allocations saved, and whether the body returned the same."
  (let ((saved-bytes (- (trial-bytes before) (trial-bytes trial)))
        (saved-allocations (- (trial-allocations before)
                              (trial-allocations trial)))
        (same (equalp (trial-values before) (trial-values trial)))
        (uncalled (intersection names (trial-uncalled trial) :test #'equal)))
    (format stream
            "~&after  ~15D bytes ~12D allocations~@
               saved  ~15D bytes ~12D allocations~@[, ~D %~]~%~
               ~@[Compiled again, to call the new definitions: ~A.~%~]~
               ~@[Note: the new ~A was never called.~%~]~
               ~:[Warning: the body returned a different value.~%~;~]"
            (trial-bytes trial) (trial-allocations trial)
            saved-bytes saved-allocations
            (and (plusp (trial-bytes before))
                 (floor (* 100 saved-bytes) (trial-bytes before)))
            (and more (listed (mapcar #'second more)))
            (and uncalled (listed uncalled))
            same)
    (values saved-bytes saved-allocations same)))

(defun call-trying-advice (forms function stream)
  "Run FUNCTION the way TRY-ADVICE runs its body, with the definitions FORMS."
  (when (active-p)
    (error 'already-active
           :reason "TRY-ADVICE needs a profile of its own, but one is running"
           :advice "Call (mprof:stop) first."))
  (unless forms
    (fail "TRY-ADVICE takes at least one definition"))
  (let* ((names (mapcar #'name-defined-by forms))
         (before (run-twice function))
         (trial (run-with forms function))
         (more (callers-forms (old-rows names trial) names before trial
                              function)))
    (when more
      (setf trial (run-with (append forms more) function)))
    (format stream "~&before ~15D bytes ~12D allocations~%"
            (trial-bytes before) (trial-allocations before))
    (let ((rows (old-rows names trial)))
      (cond ((or rows (subsetp names (trial-uncalled trial) :test #'equal))
             (print-not-run rows names trial stream)
             nil)
            (t
             (print-trial before trial names more stream))))))

(defmacro try-advice (definitions &body body)
  "Count what BODY allocates, first with the present functions and then with
DEFINITIONS, which are DEFUN forms, and print both.  Return three values: the
bytes and the allocations saved, and whether BODY returned the same (by EQUALP)
as before.

BODY runs twice each time, and the second run is counted.  The old definitions
are restored.  In profiles, new functions are named without a package.

Functions of one file call each other directly, without their names, unless they
are declared NOTINLINE.  If an old definition still ran, its callers are
compiled again from their file, and BODY runs four more times.  If the program
then allocates something else than before, a message names the callers, no
savings are printed, and the value is NIL.

Signals ALREADY-ACTIVE if a profile is running, and MPROF-ERROR if a definition
does not compile or its name has no function yet.

Example:

   (mprof:try-advice ((defun row (n)
                        (loop for i below n collect (float i 1.0d0))))
     (table 1000))"
  (check-head (and (listp definitions) (every #'consp definitions))
              'try-advice "a list of DEFUN forms" definitions)
  `(call-trying-advice ',definitions (lambda () ,@body) *standard-output*))
