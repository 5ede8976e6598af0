;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; report.lisp -- the tables, and files of all formats, made by the C library.

(in-package #:mprof)

(defvar *explained* '()
  "The tables whose columns have been explained in this session, by their names
in the command mprof; \"t\" stands for the usual tables.")

(defun explained-p (tables)
  "True if all columns of TABLES, a value of :TABLES, have been explained; from
now on they have."
  (let ((tables (mapcar #'princ-to-string (ensure-list tables))))
    (or (subsetp tables *explained* :test #'string-equal)
        (null (setf *explained* (append tables *explained*))))))

(defun line-width (stream)
  "Return the width of the terminal that STREAM writes to, or NIL."
  (typecase stream
    (synonym-stream (line-width (symbol-value (synonym-stream-symbol stream))))
    (two-way-stream (line-width (two-way-stream-output-stream stream)))
    (file-stream (find-if #'plusp (list (terminal-width
                                         (ext:file-stream-fd stream)))))))

(defun print-report (command tables arguments)
  "Print the output of COMMAND, which explains TABLES, unless :TABLES names
others.  ARGUMENTS and values are those of REPORT."
  (let* ((source-p (and arguments (not (keywordp (first arguments)))))
         (given (if source-p (rest arguments) arguments))
         (options (if (and (options-p given)
                           (not (and source-p (getf given :profile))))
                      (with-defaults command given)
                      (fail "~:@(~A~) takes a file or a list of files, first ~
                             or as :PROFILE, then keywords and values, not ~S"
                            command arguments)))
         (source (if source-p (first arguments) (getf options :profile)))
         (stream (getf options :stream t))
         (stream (if (eq stream t) *standard-output* stream))
         (help (getf options :help))
         (legend (getf options :no-legend (if help t :once)))
         (profile (part (open-profile source options)
                        (options-if #'selecting-p options)))
         (shown (part profile
                      (list* :no-legend (if (eq legend :once)
                                            (explained-p
                                             (or (getf options :tables) tables))
                                            legend)
                             :width (getf options :width
                                          (and (eq tables t)
                                               (or *print-right-margin*
                                                   (line-width stream))))
                             (options-if (complement #'selecting-p) options))))
         (output (progn (check-argument stream (or stream boolean))
                        (command-output shown command)))
         (text (cond (help output)
                     ((or source *counted-with*) (with-keywords output))
                     (t (format nil "Nothing has been counted: (mprof:start) ~
                                     starts counting, and ~
                                     (mprof:with-profiling () ...) counts and ~
                                     reports.~%")))))
    (cond (stream (write-string text stream) profile)
          (t (values text profile)))))

(defun report (&rest arguments)
  "Print tables of everything counted so far, and return the PROFILE shown.

SOURCE (optional): report on this instead: an object of type PROFILE, or a file,
a folder or a list of files, as for LOAD-PROFILE.  :PROFILE SOURCE is the same.
STREAM (default *STANDARD-OUTPUT*): where to print; T is the same.  With NIL,
the tables are returned as a string, and the PROFILE as the second value.
OPTIONS: those of `mprof report', as keywords and values: `--by=package' is :BY
:PACKAGE, `--tables=direct,types' :TABLES '(:DIRECT :TYPES), `--verbose'
:VERBOSE T.  (mprof:report :help t) lists them.  :FOCUS, :IGNORE, :HIDE, :SHOW
and :SHOW-FROM also take a function or its name, :TYPE the name of a type.
COLLECT, HOLDERS (booleans, default NIL): as for LOAD-PROFILE.
The options of *OPTIONS* are added.

The legend is printed the first time that a table is; :NO-LEGEND T leaves it
out, and :NO-LEGEND NIL prints it.  Without :WIDTH, lines fit into
*PRINT-RIGHT-MARGIN*, or else into the terminal if STREAM is one.

Signals MPROF-ERROR for invalid options, and PROFILE-FILE-ERROR if a file cannot
be read; the restart USE-VALUE takes another file.  May signal the warning
PROFILE-INCOMPLETE.

Example:

   (mprof:report :tables '(:direct :types) :focus 'parse :limit 20)
   (mprof:report \"before.data\" :by :package)"
  (print-report "report" t arguments))

(defun advise (&rest arguments)
  "Print advice on how to make the program allocate less, the largest saving
first.  Return the PROFILE concerned.

Advice is certain if the figures prove it; otherwise check it before following
it.  mprof-advice(7) explains the rules.  (mprof.data:figure :advice profile)
returns the same as data.

SOURCE, STREAM: as for REPORT.
OPTIONS: the options of the command `mprof advise', as for REPORT.

Signals the conditions of REPORT.

Example:

   (mprof:with-profiling (:report nil) (my-program))
   (mprof:advise :limit 3)"
  (print-report "advise" :advise arguments))

(dolist (name '(report advise))         ; for editors
  (ext:annotate name :lambda-list nil
                '(&optional source &rest options
                  &key (stream *standard-output*) profile &allow-other-keys)))

(defun complete-type-p (file)
  "True if FILE, a pathname designator, has no type or one of whole profiles."
  (let ((type (pathname-type file)))
    (or (null type)
        (member type '("data" "pprof") :test #'string-equal)
        (and (string-equal type "gz")
             (string-equal (pathname-type (pathname-name file)) "pb")))))

(defun save-command (file profile format)
  "Return the command mprof, and further options of it, that write PROFILE to
FILE in FORMAT, the value of an option or NIL."
  (cond (format '("export"))
        ((complete-type-p file)
         (if (or (profile-options profile) (profile-samples profile))
             '("export" "--format=pprof")
             '("merge")))               ; leaves nothing out
        ((member (pathname-type file) '("svg" "png" "pdf")
                 :test #'string-equal)
         '("graph"))
        ((string-equal (pathname-type file) "txt") '("report"))
        (t '("export"))))

(defun save (file &rest options &key profile format &allow-other-keys)
  "Write everything counted so far to FILE, in the format of its type, and
return its pathname.

FILE (pathname designator): the type .data or .pb.gz, or no type, stands for a
gzip-compressed pprof profile, which the command mprof and every tool for pprof
can read; .html for a page with a flame graph; .txt for the tables of REPORT;
.svg for a picture of the call graph, which needs Graphviz; .folded, .csv and
others for the formats of `mprof export'.
PROFILE (default NIL): write this instead, as for REPORT.
FORMAT (keyword, default NIL): a format of `mprof export', whatever the type of
FILE.
COLLECT, HOLDERS (booleans, default NIL): as for LOAD-PROFILE.
OPTIONS: the options of the command `mprof export', as for REPORT.

FILE is either written completely or left unchanged.

Signals PROFILE-FILE-ERROR if FILE cannot be written; the restart USE-VALUE
takes another file.  Signals MPROF-ERROR if the type of FILE is unknown, and for
invalid options.  May signal the warning PROFILE-INCOMPLETE.

Example:

   (mprof:save \"app.html\" :focus \"^APP::\" :system :hide)"
  (let* ((file (absolute file))
         (options (if (and (complete-type-p file) (null format))
                      options
                      (with-defaults (first (save-command file nil format))
                        options)))
         (part (part (open-profile profile options) options)))
    (loop
      (restart-case
          (progn
            (apply #'command-output part
                   (append (save-command file part format)
                           (list (option :o file))))
            (return file))
        (use-value (other)
          :report "Write to another file."
          :interactive ask-for-file
          (setf file (absolute other)))))))
