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
  (plusp (option-selects (octets-of (string-downcase keyword)))))

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

(defun component-octets (component)
  "Return COMPONENT, a part of the name of a file, as octets: unchanged if its
characters are octets that are valid UTF-8, else encoded in UTF-8."
  (if (and (every (lambda (character) (< (char-code character) 256)) component)
           (utf-8-p (coerce component 'simple-base-string)))
      (coerce component 'simple-base-string)
      (octets-of component)))

(defun existing-p (name)
  "True if a file or folder has NAME, a string with a character for each octet."
  (and (every (lambda (character) (< (char-code character) 256)) name)
       (probe-file name)))

(defun components-octets (name)
  "Return NAME, a string with slashes, as octets; as it is if it exists."
  (if (existing-p name)
      (coerce name 'simple-base-string)
      (joined (loop for start = 0 then (1+ end)
                    for end = (position #\/ name :start start)
                    collect (component-octets (subseq name start end))
                    while end)
              #\/)))

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
             (if (or (plain-p name) (ecl-encodes-names-p) (existing-p name))
                 pathname
                 (let ((slash (1+ (or (position #\/ name :from-end t) -1))))
                   (pathname (joined (list (components-octets
                                            (subseq name 0 slash))
                                           (component-octets
                                            (subseq name slash))))))))
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
           (typecase value
             (pathname (file-name value))
             (symbol (octets-of (string-downcase value)))
             ((or ratio float) (octets-of (format nil "~,4F" value)))
             (t (octets-of (format nil "~D" value))))))
    (with-standard-io-syntax
      (let ((*print-readably* nil)
            (name (octets-of (format nil "--~(~A~)" keyword))))
        (if (member value '(t nil))
            name
            (joined (list name (joined (mapcar #'text (ensure-list value))
                                       #\,))
                    #\=))))))

(defun regular-expression (value)
  "Return VALUE, of an option that takes a regular expression, as such: what
names a function, or is one, matches this function or its methods."
  (typecase value
    (generic-function (regular-expression (clos:generic-function-name value)))
    (function (regular-expression
               (or (ext:compiled-function-name value)
                   (fail "~S has no name to look for" value))))
    ((or keyword string (eql t)) value)
    ((or symbol cons) (exact-regex (displayed-name value)))
    (t (fail "~S does not name a function" value))))

(defun chosen (options)
  "Return the part of OPTIONS, a property list, that is for the command."
  (loop for (keyword value) on options by #'cddr
        when (and value (not (member keyword '(:stream :profile :collect
                                               :holders :predicate))))
          collect keyword
          and collect (if (member keyword
                                  '(:focus :ignore :hide :show :show-from))
                          (regular-expression value)
                          value)))

(defun with-keywords (message &optional (start 0))
  "Return MESSAGE, of the command mprof, with its options from START on as
keywords."
  (let* ((dashes (search "--" message :start2 start))
         (end (and dashes
                   (position-if (lambda (character)
                                  (find character " =:;,.'"))
                                message :start dashes))))
    (cond ((null dashes) message)
          ((or (zerop dashes) (find (char message (1- dashes)) " '"))
           (with-keywords (format nil "~A:~:@(~A~)~@[~A~]"
                                  (subseq message 0 dashes)
                                  (subseq message (+ 2 dashes) end)
                                  (and end (subseq message end)))
             dashes))
          (t (with-keywords message (+ 2 dashes))))))
