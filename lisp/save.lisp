;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; save.lisp -- write a profile to a file, in any format.
;;;;
;;;; The C library writes all of them, and knows most of their types.

(in-package #:mprof)

(defun format-of-file (file)
  "The format that the name of FILE, a pathname designator, stands for: a
keyword, or NIL when `mprof export' is to find out."
  (let ((type (pathname-type file))
        (within (pathname-type (pathname-name file))))
    (cond ((or (null type) (member type '("data" "pprof") :test #'equalp)
               (and (string-equal type "gz") (equalp within "pb")))
           :pprof)
          ((string-equal type "svg") :svg)
          ((string-equal type "txt") :text))))

(defun format-command (format profile)
  "The command mprof that writes PROFILE in FORMAT, a keyword or NIL, as a list
of arguments."
  (cond ((and (eq format :pprof)
              (null (profile-choices profile)) (null (profile-samples profile)))
         '("merge"))                    ; leaves nothing out
        ((eq format :text) '("report"))
        ((eq format :svg) '("graph"))
        (format (list "export" (format nil "--format=~(~A~)" format)))
        (t '("export"))))

(defun write-profile (name before)
  "Write what was counted to the file NAME, a string; BEFORE is that of
BEFORE-WRITING."
  (mp:with-lock (*lock*)
    (check-status (c:monitor-write (c:arguments name before))
                  'profile-file-error
                  :pathname (pathname name) :advice *advice-on-writing*))
  (warn-if-incomplete))

(defun save-profile (profile name format choices)
  "Write PROFILE to the file NAME, a string, in FORMAT, with CHOICES that are
about FORMAT."
  (multiple-value-bind (done status message offset)
      (apply #'run-on #'c:string-of profile
             (append (format-command format profile) (list "-o" name)
                     (choice-options choices)))
    (unless done
      (signal-failure status message offset name *advice-on-writing*))))

(define-choosing save (&optional (file "mprof.data") &key format profile)
    (:part :save :collect)
  "Write what was counted until now to FILE, in the format that its type names,
and give back its pathname.

FILE (pathname designator, default \"mprof.data\"): its type is .data or .pb.gz
for a gzip-compressed pprof profile, which the command mprof reads and so does
every tool for pprof; .folded, .speedscope.json, .dhat.json, .callgrind, .dot,
.json, .csv or .lisp for what `mprof export' writes; .html for a page with a
flame graph; .svg for a picture of the call graph, which takes Graphviz; .txt
for the tables of REPORT.  Without a type it is a pprof profile.
FORMAT (keyword, default NIL): this format, whatever the type of FILE: :PPROF,
:SVG, :TEXT, or one that `mprof help export' lists.
PROFILE (default NIL): write this object of type PROFILE instead.
~A
Formats with room for all measures show VALUE first.  FILE is complete or not
touched.  The profiler may be counting meanwhile.

Signals PROFILE-FILE-ERROR when FILE cannot be written; the restart USE-VALUE
takes another one.  Signals MPROF-ERROR when the type of FILE says nothing, and
for choices that make no sense for the format.  Warns with PROFILE-INCOMPLETE.

Example:

   (mprof:save \"app.folded\" :types t :focus \"^APP::\")"
  (loop
    (restart-case
        (let ((format (or format (format-of-file file)))
              (name (file-name file))
              (own (chosen :save choices)))
          (if (and (eq format :pprof) (null profile) (null own)
                   (null (chosen :part choices)))
              ;; nothing has to be in memory twice
              (write-profile name (before-writing choices))
              (call-with-profile (lambda (profile)
                                   (save-profile profile name format own))
                                 nil profile choices))
          (return (pathname name)))
      (use-value (other)
        :report "Write to another file."
        :interactive (lambda ()
                       (ask-for-file (lambda (file)
                                       (probe-file (make-pathname
                                                    :name nil :type nil
                                                    :defaults file)))))
        (setf file other)))))

(defun flamegraph (&optional file &rest choices)
  "Write a page with a flame graph of what was counted until now, say where on
*STANDARD-OUTPUT*, and give back the pathname.  The page needs nothing but a
browser.

FILE (pathname designator, default NIL, for \"mprof.html\"): where to write.
With a type other than .html it is what SAVE writes.
CHOICES: keywords, as for SAVE.  Signals what SAVE signals.

Example:

   (mprof:flamegraph nil :focus \"^APP::\" :hide-system t)"
  (let ((pathname (apply #'save (or file "mprof.html") choices)))
    (format t "~&The flame graph is in ~A~%" (namestring pathname))
    pathname))
