;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; save.lisp -- write a profile to a file, in any format.
;;;;
;;;; The C library writes all formats, and knows most file types.

(in-package #:mprof)

(defun format-of-file (file)
  "Return the format for the name of FILE, a pathname designator: a keyword, or
NIL to let `mprof export' decide."
  (let ((type (pathname-type file))
        (within (pathname-type (or (pathname-name file)
                                   (fail "~A is a folder; name a file in it"
                                         file)))))
    (cond ((or (null type) (member type '("data" "pprof") :test #'equalp)
               (and (string-equal type "gz") (equalp within "pb")))
           :pprof)
          ((string-equal type "svg") :svg)
          ((string-equal type "txt") :text))))

(defun format-command (format profile)
  "Return the arguments of the command mprof for writing PROFILE in FORMAT, a
keyword or NIL."
  (cond ((and (eq format :pprof)
              (null (profile-choices profile)) (null (profile-samples profile)))
         '("merge"))                    ; leaves nothing out
        ((eq format :text) '("report"))
        ((eq format :svg) '("graph"))
        (format (list "export" (format nil "--format=~(~A~)" format)))
        (t '("export"))))

(defun save-profile (profile name format choices)
  "Write PROFILE to the file NAME, a string, in FORMAT, with the CHOICES for
that format."
  (multiple-value-bind (done status message offset)
      (mp:without-interrupts            ; FILE is written completely or not
        (apply #'run-on #'c:string-of profile
               (append (format-command format profile) (list "-o" name)
                       (choice-options choices))))
    (unless done
      (let ((base (getf choices :base)))
        (if (and base (search (file-name base) message))
            (signal-failure status message offset base *advice-on-reading*
                            profile)
            (signal-failure status message offset name *advice-on-writing*
                            profile))))))

(define-choosing save (&optional (file "mprof.data") &key format profile)
    (:part :save :collect)
  "Write everything counted so far to FILE, in the format of its type, and
return its pathname.

FILE (pathname designator, default \"mprof.data\"): the type .data or .pb.gz, or
no type, stands for a gzip-compressed pprof profile, which the command mprof and
every tool for pprof can read; .folded, .speedscope.json,
.callgrind, .dot, .json, .csv and .lisp for the formats of `mprof export';
.html for a page with a flame graph; .svg for a picture of the call graph,
which needs Graphviz; .txt for the tables of REPORT.
FORMAT (keyword, default NIL): the format, whatever the type of FILE: :PPROF,
:SVG, :TEXT, or one that `mprof help export' lists.
PROFILE (default NIL): write this object of type PROFILE instead.
~A
Formats with all measures show VALUE first.  FILE is either written completely
or left unchanged.  The profiler may be counting.

Signals PROFILE-FILE-ERROR if FILE cannot be written; the restart USE-VALUE
takes another file.  Signals MPROF-ERROR if the type of FILE is unknown, and for
choices that are invalid for the format.  May signal the warning
PROFILE-INCOMPLETE.

Example:

   (mprof:save \"app.folded\" :frames :types :focus \"^APP::\")"
  (loop
    (restart-case
        (let ((format (or format (format-of-file file)))
              (name (file-name file))
              (own (chosen :save choices)))
          (call-with-profile (lambda (profile)
                               (save-profile profile name format own))
                             nil profile choices)
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
  "Write a page with a flame graph of everything counted so far.  Print its
pathname to *STANDARD-OUTPUT*, and return it.  The page only needs a browser.

FILE (pathname designator, default NIL, for \"mprof.html\"): where to write.
With a type other than .html, the format is that of SAVE.  It may be omitted.
CHOICES: keywords, as for SAVE.  Signals the conditions of SAVE.

Example:

   (mprof:flamegraph :focus \"^APP::\" :hide-system t)"
  (when (keywordp file)
    (setf choices (cons file choices)
          file nil))
  (let ((pathname (apply #'save (or file "mprof.html") choices)))
    (format t "~&The flame graph is in ~A~%" (namestring pathname))
    pathname))
