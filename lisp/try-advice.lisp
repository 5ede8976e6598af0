;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; try-advice.lisp -- measure what a change to the program saves.
;;;;
;;;; Everything happens in a copy of the process, made by fork, so the program
;;;; stays as it is, whatever is defined and run.  The copy compiles the files
;;;; of the definitions as they are, but *MACROEXPAND-HOOK* replaces what is
;;;; tried: so direct calls, inline code, declarations and the package are those
;;;; of the edited file.
;;;;
;;;; ECL does not record where classes, variables and methods are defined.  They
;;;; are looked for in the text of the files with functions.

(in-package #:mprof)

;;; A copy of the process

(defun write-result (function file)
  "Write the value of FUNCTION to FILE, or a string that says which error it did
not handle."
  (let* ((result nil)
         (hook (lambda (condition hook)
                 (declare (ignore hook))
                 (setf result (if (typep condition 'mprof-error)
                                  (reason condition)
                                  (format nil "~S: ~A" (type-of condition)
                                          condition)))
                 (throw 'result nil)))
         (si::*handler-clusters* '())   ; not those of callers
         (*debugger-hook* hook)
         (ext:*invoke-debugger-hook* hook)
         ;; SLIME's streams need threads that the copy lacks
         (*standard-output* (if (si:instancep *standard-output*)
                                (make-broadcast-stream)
                                *standard-output*))
         (*error-output* *standard-output*))
    (catch 'result
      (setf result (funcall function)))
    (finish-output)
    (with-open-file (stream file :direction :output :if-exists :supersede)
      (with-standard-io-syntax
        (prin1 (if (stringp result) (octets-of result) result) stream)))))

(defun call-in-copy (function)
  "Call FUNCTION in a copy of the process, with a pathname for temporary files
of any type.  Return its value, a list that can be read.  Signal an MPROF-ERROR
if it ends otherwise."
  (let ((file (pathname (or (ext:mkstemp "TMP:mprof-")
                            (fail "cannot make a file in the folder for ~
                                   temporary files, which TMPDIR names"))))
        (result nil)
        (process -1))
    (finish-output)
    (protected
     (progn
       (setf process (process-fork))
       (when (eql process 0)
         (unwind-protect
              (let ((si:*interrupts-enabled* t))
                (write-result (lambda () (funcall function file)) file))
           (process-exit 1))))
     (progn
       (loop until (member (si:waitpid process t) '(:exited :signaled :error)))
       (setf process -1
             result (with-open-file (stream file)
                      (read-data stream))))
     (progn
       (unless (eql process -1)
         (process-kill process 9)
         (si:waitpid process t))
       (dolist (type '(nil "lsp" "fas" "c" "eclh" "data" "o"))
         (let ((file (make-pathname :type type :defaults file)))
           (when (probe-file file)
             (delete-file file))))))
    (if (stringp result)
        (fail "~A" (string-of result))
        result)))

;;; Definitions

(defun definition-key (form)
  "Return what FORM defines: a list of its operator, its name and, of a method,
its qualifiers and the classes of its parameters."
  (destructuring-bind (operator &optional name &rest rest) form
    (case operator
      ((defvar defparameter) (list 'defvar name))
      (defstruct (list operator (if (consp name) (first name) name)))
      (defmethod
       (let ((lambda-list (find-if #'listp rest)))
         (list* operator name
                (loop for parameter in lambda-list
                      until (member parameter lambda-list-keywords)
                      collect (if (consp parameter) (second parameter) t))
                (ldiff rest (member lambda-list rest)))))
      (t (list operator name)))))

(defun replacement (form definitions)
  "Return the element of DEFINITIONS that defines what FORM, another one, does;
or NIL."
  (and (consp form)
       (symbolp (first form))
       (eql 0 (search "DEF" (symbol-name (first form))))
       (not (member form definitions))
       (find (definition-key form) definitions
             :key #'definition-key :test #'equal :from-end t)))

;;; Their files

(defun named-function (name)
  "Return the function or macro function NAME, or NIL."
  (cond ((not (and (si:valid-function-name-p name) (fboundp name))) nil)
        ((consp name) (fdefinition name))
        ((macro-function name))
        ((not (special-operator-p name)) (fdefinition name))))

(defun true-file (file)
  "Return the truename of FILE, of a function; NIL if it is not there."
  (and file
       (or (ignore-errors (probe-file file))
           ;; ECL 21.2.1 can give it in UTF-8 twice
           (ignore-errors (probe-file (string-of (namestring file)))))))

(defun interpreted-p (function)
  "Return true if FUNCTION is byte-code."
  (and function (nth-value 1 (si::bc-split function)) t))

(defun program-files ()
  "Return lists (FILE INTERPRETED-P) for the files of all functions but ECL's."
  (let ((own (mapcar #'find-package '(#:cl #:si #:ext #:clos #:c #:mp #:ffi
                                      #:gray #:mprof)))
        (names '()))
    (do-all-symbols (symbol)
      (let ((function (named-function symbol)))
        (when (and function (not (member (symbol-package symbol) own)))
          (pushnew (list (ext:compiled-function-file function)
                         (interpreted-p function))
                   names :test #'equal))))
    (loop for (name interpreted) in names
          for file = (true-file name)
          when file
            collect (list file interpreted))))

(defun defines-p (file definition)
  "True if a line of FILE begins as what DEFINITION is to replace does."
  (destructuring-bind (operator name &rest rest) (definition-key definition)
    (declare (ignore rest))
    (let ((starts (loop for control in '("(~A ~A" "(~A (~A" "(DEFPARAMETER ~*~A")
                        with text = (if (symbolp name) (string name) name)
                        collect (format nil control (string operator) text))))
      (flet ((begins-p (line)
               (loop for start in starts
                     for end = (mismatch start line :test #'char-equal)
                       thereis (or (null end)
                                   (and (= end (length start))
                                        (find (char line end) " ()"))))))
        (with-open-file (stream file :external-format :latin-1)
          (loop for line = (read-line stream nil)
                while line
                  thereis (begins-p line)))))))

(defun file-of (definition files)
  "Return the element of FILES with what DEFINITION is to replace, or NIL."
  (let* ((function (named-function (second definition)))
         (file (and function
                    (true-file (ext:compiled-function-file function)))))
    (cond (file
           (assoc file files :test #'equal))
          ((not (member (first definition) '(defun defmacro)))
           (find-if (lambda (entry) (defines-p (first entry) definition))
                    files)))))

(defun files-that-ran (profile files)
  "Return the elements of FILES with functions of the program in PROFILE."
  (loop for row in (data:figure :functions (part profile '(:system :hide)))
        for name = (data:figure :file row)
        for file = (and name (probe-file (named-file (octets-of name))))
        for entry = (and file (assoc file files :test #'equal))
        when entry
          collect entry))

;;; In the copy

(defvar *tried* '()
  "The definitions that are tried in this copy; NIL in the program.")

(defvar *new* '()
  "Definitions that replace nothing, until they are compiled.")

(defmacro new-definitions ()
  "Expand into the definitions that replace nothing."
  `(progn ,@(shiftf *new* '())))

(defun load-again (file interpreted temporary definitions)
  "Load FILE, compiled unless INTERPRETED is true, with DEFINITIONS in the place
of its own, and *NEW* before the first of them.  Return those that replaced one.
The compiled file is called TEMPORARY, with another type."
  (let* ((expand *macroexpand-hook*)
         (replaced '())
         (*macroexpand-hook*
           (lambda (expander form environment)
             (let ((new (replacement form definitions)))
               (when (and (consp form) (eq (first form) 'defstruct))
                 ;; else ECL does not let its slots change
                 (dolist (key '(si::is-a-structure
                                si::structure-slot-descriptions))
                   (si:rem-sysprop (second (definition-key form)) key)))
               (cond (new
                      (push new replaced)
                      `(progn (new-definitions) ,new))
                     (t (funcall expand expander form environment))))))
         (*standard-output* (make-string-output-stream))
         (*error-output* *standard-output*)
         (output (make-pathname :type "fas" :defaults temporary)))
    (handler-bind ((warning #'muffle-warning))
      (let ((file (if interpreted
                      file
                      (or (compile-file file :output-file output)
                          (fail "~A does not compile:~%~A" file
                                (get-output-stream-string
                                 *standard-output*))))))
        ;; the rest of a script that tries advice has not run yet
        (catch *tried*
          (load file))))
    replaced))

(defun load-new (temporary)
  "Load *NEW*, if any: compiled, unless it replaces interpreted functions."
  (when *new*
    (let ((source (make-pathname :type "lsp" :defaults temporary))
          (interpreted (loop for (nil name) in *new*
                             always (interpreted-p (named-function name)))))
      (with-open-file (stream source :direction :output :if-exists :supersede)
        (format stream "(mprof::new-definitions)"))
      (load-again source interpreted temporary '()))))

(defun define-all (definitions profile temporary)
  "Make DEFINITIONS.  PROFILE is that of the program with the old ones.  Return
the names of the files that were compiled and loaded again for them."
  (let* ((files (program-files))
         (places (loop for definition in definitions
                       collect (file-of definition files)))
         (again (remove-duplicates
                 (append (remove nil places)
                         ;; other files may have copies of the rest
                         (when (or (set-difference
                                    (mapcar #'first definitions)
                                    '(defun defmethod defgeneric defvar
                                      defparameter defclass define-condition))
                                   (loop for (nil name) in definitions
                                           thereis (si:get-sysprop name
                                                                   'inline)))
                           (files-that-ran profile files)))
                 :from-end t))
         (*new* (loop for definition in definitions
                      for place in places
                      unless place
                        collect definition))
         (new *new*)
         (replaced '()))
    (loop for (nil name) in definitions
            thereis (or again (named-function name)
                        (and (symbolp name)
                             (or (boundp name) (find-class name nil))))
          finally (fail "~S is not defined yet, so there is nothing to compare ~
                         with" name))
    ;; the compiler expands DEFMACRO without the hook
    (require :cmp)
    (remhash 'defmacro (symbol-value (find-symbol "*T1-DISPATCH-TABLE*" "C")))
    (when (every #'null places)
      (load-new temporary))
    (loop for (file interpreted) in again
          do (setf replaced (append (load-again file interpreted temporary
                                                definitions)
                                    replaced)))
    (setf *new* (append *new* (set-difference definitions
                                              (append new replaced))))
    (load-new temporary)
    (loop for (file) in again
          collect (file-name file))))

(defun run-twice (function)
  "Return the allocations, the bytes, and the list of the values of FUNCTION.
The first run, which may fill caches, is not counted."
  (stop)
  (funcall function)
  (reset)
  (let ((values (multiple-value-list (call-counting function (options 0)))))
    (list (allocations) (bytes) values)))

(defun call-trying-advice (definitions function stream)
  "Run FUNCTION the way TRY-ADVICE runs its body, with DEFINITIONS."
  (when *tried*                         ; by a file that is loaded again
    (if (equal definitions *tried*)
        (throw *tried* nil)
        (return-from call-trying-advice nil)))
  (let ((definitions (loop for form in definitions
                           collect (if (and (eq (first form) 'defvar)
                                            (cddr form))
                                       (cons 'defparameter (rest form))
                                       form))))
    (destructuring-bind ((allocations bytes) (new-allocations new-bytes) same
                         files)
        (call-in-copy
         (lambda (temporary)
           (let* ((before (run-twice function))
                  (files (let ((*tried* definitions))
                           (define-all definitions (load-profile) temporary)))
                  (after (run-twice function)))
             (list (subseq before 0 2) (subseq after 0 2)
                   (equalp (third before) (third after)) files))))
      (let ((saved-bytes (- bytes new-bytes))
            (saved-allocations (- allocations new-allocations)))
        (format stream
                "~&before ~15D bytes ~12D allocations~@
                   after  ~15D bytes ~12D allocations~@
                   saved  ~15D bytes ~12D allocations~@[, ~D %~]~@
                   ~@[Compiled again: ~{~A~^, ~}.~%~]~
                   ~:[Warning: the body returned a different value.~%~;~]"
                bytes allocations new-bytes new-allocations
                saved-bytes saved-allocations
                (and (plusp bytes) (floor (* 100 saved-bytes) bytes))
                (mapcar #'string-of files) same)
        (values saved-bytes saved-allocations same)))))

(defmacro try-advice (&whole form &optional definitions &body body)
  "Count what BODY allocates with the present program, and then with DEFINITIONS
in it, and print both.  Return three values: the bytes and the allocations
saved, and whether BODY returned the same (by EQUALP) as before.

DEFINITIONS (a list of forms): DEFUN, DEFMETHOD, DEFCLASS, DEFSTRUCT, DEFVAR and
other forms, as they would be in the file.  Each replaces the definition of the
same name and, of a method, of the same qualifiers and classes; others are
added.  The files that they are in are compiled and loaded again, with all their
forms; for macros, structures and inline functions all files whose functions
ran.  A DEFVAR sets its variable.

All this happens in a copy of the process: the program stays as it is.  The copy
has only the calling thread.  BODY runs twice before and twice after, and the
second runs are counted.

Signals MPROF-ERROR if a file does not compile or BODY signals an error.

Example:

   (mprof:try-advice ((defun row (n)
                        (loop for i below n collect (float i 1.0d0))))
     (table 1000))"
  (check-head (and (consp definitions)
                   (every (lambda (form)
                            (and (consp form) (symbolp (first form))
                                 (consp (rest form))))
                          definitions))
              form "a list of definitions")
  `(call-trying-advice ',definitions (profiled-body ,@body) *standard-output*))
