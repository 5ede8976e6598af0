;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; save.lisp -- write a profile to a file, in any format.
;;;;
;;;; The C library writes all of them, complete or not at all, and knows which
;;;; type of file means which.

(in-package #:mprof)

(defparameter *file-types*
  '(("data" . :pprof) ("pb.gz" . :pprof) ("pprof" . :pprof)
    ("svg" . :svg) ("txt" . :text))
  "Formats that are not written by `mprof export', or not always, and the file
types that stand for them.")

(defun ends-in-p (name type)
  "True when NAME, a string, ends in a dot and TYPE."
  (let ((start (- (length name) (length type))))
    (and (plusp start)
         (char= (char name (1- start)) #\.)
         (string-equal type name :start2 start))))

(defun format-of-file (file)
  "The format that the name of FILE, a pathname designator, stands for: a keyword,
or NIL when `mprof export' is to find out."
  (let ((name (file-namestring file)))
    (or (cdr (assoc name *file-types* :test (lambda (name type)
                                              (ends-in-p name type))))
        (and (null (pathname-type file)) :pprof))))

(defun format-command (format profile)
  "The command mprof that writes PROFILE in FORMAT, a keyword or NIL, as a list of
arguments."
  (cond ((and (eq format :pprof) (whole-file-p profile))
         '("merge"))                    ; leaves nothing out
        ((eq format :text) '("report"))
        ((eq format :svg) '("graph"))
        (format (list "export" (format nil "--format=~(~A~)" format)))
        (t '("export"))))

(defun whole-file-p (profile)
  "True when PROFILE is all that its source holds."
  (and (null (profile-choices profile))
       (eq (profile-samples profile) t)))

(defun save-profile (profile name format choices)
  "Write PROFILE to the file NAME, a string, in FORMAT, with CHOICES that are
about FORMAT."
  (let ((command (format-command format profile)))
    (multiple-value-bind (done status message offset)
        (call-with-arguments
         (lambda (options files)
           (apply #'mprof.bindings:call-with-output #'mprof.bindings:string-of
                  (append command (list "-o" name) (choice-options choices)
                          options files)))
         profile)
      (cond (done)
            ((eql status 2)
             (error 'mprof-error :reason message))
            (t
             (error 'profile-file-error
                    :reason message :pathname (pathname name)
                    :offset offset :advice *advice-on-writing*))))))

(defun save (&optional (file "mprof.data")
             &rest choices
             &key format profile value types phases threads table
               min-percent max focus ignore hide show show-from hide-system
               by phase thread region show-runtime show-root)
  "Write what was counted until now to FILE, in the format that its type names,
and give back its pathname.

FILE (pathname designator, default \"mprof.data\"): its type is .data or .pb.gz
for a gzip-compressed pprof profile, which the command mprof reads and so does
every tool for pprof; .folded, .speedscope.json, .dhat.json, .callgrind, .dot,
.json, .csv or .lisp for what `mprof export' writes; .html for a page with a
flame graph; .svg for a picture of the call graph, which takes Graphviz; .txt for
the tables of REPORT.  Without a type it is a pprof profile.
FORMAT (keyword, default NIL): this format, whatever the type of FILE: :PPROF,
:SVG, :TEXT, or one that `mprof help export' lists.
PROFILE (default NIL): write this object of type PROFILE instead.
VALUE (default NIL): what is counted, as for REPORT; formats with room for all
measures show this one first.
TYPES, PHASES, THREADS (booleans, default NIL): for :FOLDED: show the type as the
last frame, the phase and the thread as the first ones.
TABLE (keyword, default NIL): for :CSV: :FUNCTIONS, :ARCS, :TYPES, :CONTEXTS,
:BINS, :REGIONS, :PHASES or :THREADS.
MIN-PERCENT, MAX (default NIL): for :DOT, :SVG and :TEXT: leave out functions
below this share, or beyond so many.
CHOICES: these, and FOCUS, IGNORE, HIDE, SHOW, SHOW-FROM, HIDE-SYSTEM, BY, PHASE,
THREAD, REGION, SHOW-RUNTIME and SHOW-ROOT, as for REPORT (default NIL).

FILE is complete or not touched.  The profiler may be counting meanwhile.

Signals PROFILE-FILE-ERROR when FILE cannot be written; the restart USE-VALUE
takes another one.  Signals MPROF-ERROR when the type of FILE says nothing, and
for choices that make no sense for the format.  Warns with PROFILE-INCOMPLETE.

Example:

   (mprof:save \"app.folded\" :types t :focus \"^APP::\")"
  (declare (ignore value types phases threads table min-percent max focus
                   ignore hide show show-from hide-system by phase thread
                   region show-runtime show-root))
  (loop
    (restart-case
        (let* ((format (or format (format-of-file file)))
               (name (file-name file))
               (own (loop for (keyword value) on choices by #'cddr
                          when (and value
                                    (not (member keyword
                                                 '(:format :profile)))
                                    (not (member keyword *selections*)))
                            collect keyword and collect value)))
          (if (and (eq format :pprof) (null profile) (null own)
                   (null (selections choices)))
              (write-profile name)      ; nothing has to be in memory twice
              (call-with-profile (lambda (profile)
                                   (save-profile profile name format own))
                                 nil profile choices))
          (return (pathname name)))
      (use-value (other)
        :report "Write to another file."
        :interactive read-file-name
        (setf file other)))))

(defun fresh-file (type)
  "The name of a new file of TYPE, a string, among the temporary files."
  (let ((name (namestring (ext:mkstemp "TMP:mprof-"))))
    (rename-file name (format nil "~A.~A" name type))
    (format nil "~A.~A" name type)))

(defun flamegraph (&optional file &rest choices)
  "Write a page with a flame graph of what was counted until now, say where on
*STANDARD-OUTPUT*, and give back the pathname.  The page needs nothing but a
browser.

FILE (pathname designator, default NIL): where to write; NIL takes a new file
among the temporary ones.  With a type other than .html it is what SAVE writes.
CHOICES: keywords, as for SAVE.

Signals what SAVE signals.

Example:

   (mprof:flamegraph nil :focus \"^APP::\" :hide-system t)"
  (let* ((fresh (and (null file) (fresh-file "html")))
         (done nil))
    (unwind-protect
         (let ((pathname (apply #'save (or file fresh) choices)))
           (format t "~&The flame graph is in ~A~%" (namestring pathname))
           (setf done pathname))
      (unless (or done (null fresh))
        (delete-file fresh)))))
