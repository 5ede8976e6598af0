;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; options.lisp -- the options of the command mprof, as keywords.
;;;;
;;;; `--by=package' is :BY :PACKAGE, `--verbose' is :VERBOSE T.  The command
;;;; checks names and values, and its messages are used, with keywords.

(in-package #:mprof)

(defvar *options* '()
  "The options that REPORT, ADVISE and SAVE begin with, a property list; what a
command does not know is left out of it, and a call's own options come first.
SAVE does not apply it to files of type .data and .pb.gz, which are complete.

Example: (setf mprof:*options* '(:system :hide :limit 20))")

(defun selecting-p (keyword)
  "True if the option KEYWORD selects a part of a profile.  The profile that
REPORT returns keeps such options."
  (= 2 (option-kind (octets-of (string-downcase keyword)))))

(defun options-if (predicate options)
  "Return the part of OPTIONS, a property list, with keywords of PREDICATE."
  (loop for (keyword value) on options by #'cddr
        when (funcall predicate keyword)
          collect keyword and collect value))

(defun with-defaults (command options)
  "Return OPTIONS, of COMMAND of mprof, and what *OPTIONS* adds to them."
  (unless (options-p *options*)
    (fail "MPROF:*OPTIONS* is ~S, not a list of keywords and values" *options*))
  (let ((known (run-command command "--help")))
    (append options
            (options-if (lambda (keyword)
                          (and (eq (getf options keyword '#1=#:none) '#1#)
                               (search (option keyword t) known)))
                        *options*))))

(defun ensure-list (value)
  "Return VALUE if it is a list, else a list of VALUE."
  (if (listp value) value (list value)))

;;; The names of files are octets.  ECL 24 encodes the characters of a pathname
;;; in UTF-8.  ECL 21.2.1 takes them for octets: a pathname that it got from the
;;; system has a character for each octet, and one that was typed has those that
;;; were meant, which OPEN refuses beyond U+00FF.

(defun ecl-encodes-names-p ()
  "True if ECL encodes the characters of pathnames."
  (find-symbol "OCTETS-TO-STRING" '#:ext))

(defun name-octets (name)
  "Return NAME, of a file or folder, as octets: unchanged if its characters are
the octets of one that exists, or of valid UTF-8; else encoded in UTF-8.  Parts
between slashes are treated separately."
  (let ((octets (and (every (lambda (character) (< (char-code character) 256))
                            name)
                     (coerce name 'simple-base-string)))
        (slash (position #\/ name :from-end t :end (1- (length name)))))
    (cond ((and octets (eql (char name 0) #\/) (probe-file octets)) octets)
          (slash (joined (list (name-octets (subseq name 0 (1+ slash)))
                               (name-octets (subseq name (1+ slash))))
                         ""))
          ((and octets (utf-8-p octets)) octets)
          (t (octets-of name)))))

(defun file-name (file)
  "Return the absolute name of FILE, a pathname designator, as octets: a base
string.  Relative names are within *DEFAULT-PATHNAME-DEFAULTS*, as for OPEN."
  (check-argument file (or pathname string file-stream))
  (let* ((pathname (merge-pathnames
                    (merge-pathnames (translate-logical-pathname file))
                    (ext:getcwd)))
         (name (namestring pathname)))
    (when (or (find (code-char 0) name) (wild-pathname-p pathname))
      (fail "~S is not the name of one file, since it has a NUL, * or ?" name))
    (coerce (si:coerce-to-filename
             (if (or (plain-p name) (ecl-encodes-names-p))
                 pathname
                 (pathname (name-octets name))))
            'simple-base-string)))

(defun named-file (octets)
  "Return the pathname by which OPEN finds the file whose name is OCTETS."
  (pathname (if (ecl-encodes-names-p) (string-of octets) octets)))

(defun absolute (file)
  "Return FILE, a pathname designator, as an absolute pathname, which stands for
the same file in other folders."
  (named-file (file-name file)))

(defun option (keyword value)
  "Return the option KEYWORD of the command mprof with VALUE, as octets: T stands
for an option without a value, a symbol for its name in lower case, a pathname
for the name of its file, and a list for values with commas between them."
  (flet ((text (value)
           (if (pathnamep value)
               (file-name value)
               (octets-of (format nil (typecase value
                                        (symbol "~(~A~)")
                                        ((or ratio float) "~,4F")
                                        (t "~D"))
                                  value)))))
    (with-standard-io-syntax
      (let ((*print-readably* nil)
            (name (octets-of (format nil "--~(~A~)" keyword))))
        (if (member value '(t nil))
            name
            (joined (list name (joined (mapcar #'text (ensure-list value)) ","))
                    "="))))))

(defun regular-expression (value)
  "Return VALUE, of an option that takes a regular expression, as such: what
names a function or type, or is a function, matches it, or its methods."
  (typecase value
    (generic-function (regular-expression (clos:generic-function-name value)))
    (function (regular-expression
               (or (ext:compiled-function-name value)
                   (fail "~S has no name to look for" value))))
    ((or keyword string (eql t)) value)
    ((or symbol cons) (exact-regex (displayed-name value)))
    (t (fail "~S does not name a function" value))))

(defun with-keywords (text)
  "Return TEXT, which the command mprof printed, with its options as keywords."
  (with-output-to-string (stream)
    (loop for start = 0 then end
          for dashes = (search "--" text :start2 start)
          for end = (and dashes
                         (or (position-if-not (lambda (character)
                                                (or (alpha-char-p character)
                                                    (eql character #\-)))
                                              text :start dashes)
                             (length text)))
          do (write-string text stream :start start :end dashes)
          while dashes
          do (let ((name (string-left-trim "-" (subseq text dashes end))))
               (cond ((or (and (zerop (option-kind (octets-of name)))
                               (not (eql (search "option '" text :from-end t
                                                            :end2 dashes)
                                         (- dashes 8)))) ; "unknown option '"
                          (not (or (zerop dashes)
                                   (find (char text (1- dashes))
                                         '(#\Space #\Newline #\' #\()))))
                      (write-string text stream :start dashes :end end))
                     ((eql end (position #\= text :start end))
                      (incf end)
                      (format stream ":~A ~:[~;:~]" name
                              (member name '("by" "phase" "sort" "system"
                                             "tables" "value")
                                      :test #'string=)))
                     (t         ; "--verbose shows them", but "see --callers"
                      (format stream ":~A~:[~; t~]" name
                              (eql end (search " show" text
                                               :start2 end)))))))))
