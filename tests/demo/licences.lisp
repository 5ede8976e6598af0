;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; licences.lisp -- the real program of the demo: look through the licence
;;;; texts that every Debian system has, with CL-PPCRE.
;;;;
;;;; It does what programs do with a regular expression library: rules from a
;;;; table against each paragraph, all words, a scanner for each of many
;;;; words, replacement, splitting, register groups.  It has a flaw that is
;;;; common and easy to miss, and the demo finds it.

(defpackage #:licences
  (:use #:common-lisp)
  (:export #:read-texts #:make-rules #:survey #:serve))

(in-package #:licences)

;;; Texts

(defun read-lines (file)
  (with-open-file (stream file :external-format :utf-8)
    (loop for line = (read-line stream nil)
          while line
          collect line)))

(defun read-texts (folder)
  "The texts in FOLDER in order of their names, each a list of lines.  Links to
others of them, such as GPL, are left out."
  (let ((files (loop for name in (directory (merge-pathnames "*.*" folder)
                                            :resolve-symlinks nil)
                     when (eq (ext:file-kind name nil) :file)
                       collect name)))
    (mapcar #'read-lines (sort files #'string< :key #'namestring))))

(defun join (lines)
  (format nil "~{~A~%~}" lines))

(defun paragraphs (text)
  (cl-ppcre:split "\\n\\s*\\n" text))

;;; What a paragraph is about: a table of rules, each a name and a pattern.

(defparameter *patterns*
  '(("grant"      "(?i)\\b(grants?|permission|permitted|licensed)\\b")
    ("condition"  "(?i)\\b(provided that|as long as|subject to|conditions?)\\b")
    ("warranty"   "(?i)\\b(warrant(y|ies)|as is|merchantability|fitness)\\b")
    ("liability"  "(?i)\\b(liable|liability|damages|negligence)\\b")
    ("patent"     "(?i)\\bpatents?\\b")
    ("trademark"  "(?i)\\b(trade\\s*(mark|name)s?|logos?)\\b")
    ("source"     "(?i)\\b(source|object|executable)(\\s+code|\\s+form)?\\b")
    ("copyright"  "(?i)copyright\\s+(\\(c\\))?\\s*\\d{4}")
    ("heading"    "^\\s*(\\d+|[A-Z])[.)]\\s+\\S")
    ("end"        "(?i)^\\s*end of (the )?(terms|licen[cs]e)")))

(defstruct rule
  name
  regex)                                ; what CL-PPCRE:SCAN takes

(defun make-rules (&optional (prepare #'identity))
  "The rules of the table.  PREPARE makes of a pattern what SCAN is to take."
  (loop for (name pattern) in *patterns*
        collect (make-rule :name name :regex (funcall prepare pattern))))

(defun classify (paragraph rules)
  "The names of those of RULES that match PARAGRAPH."
  (loop for rule in rules
        when (cl-ppcre:scan (rule-regex rule) paragraph)
          collect (rule-name rule)))

(defun topics (paragraphs rules)
  "How many of PARAGRAPHS each of RULES matches: a list of (NAME . COUNT)."
  (let ((counts (loop for rule in rules
                      collect (cons (rule-name rule) 0))))
    (dolist (paragraph paragraphs counts)
      (dolist (name (classify paragraph rules))
        (incf (cdr (assoc name counts :test #'string=)))))))

;;; Words

(defun words (text)
  (cl-ppcre:all-matches-as-strings "[A-Za-z]+(?:-[A-Za-z]+)*" text))

(defun frequent-words (text n)
  "The N most frequent words of TEXT that have five letters or more."
  (let ((counts (make-hash-table :test #'equal))
        (entries '()))
    (dolist (word (words text))
      (when (>= (length word) 5)
        (incf (gethash (string-downcase word) counts 0))))
    (maphash (lambda (word count) (push (cons count word) entries)) counts)
    (setf entries (sort entries #'string< :key #'cdr)
          entries (stable-sort entries #'> :key #'car))
    (loop for (nil . word) in entries
          repeat n
          collect word)))

(defun word-scanner (word)
  "A scanner for WORD and words that begin with it, whatever their case."
  (cl-ppcre:create-scanner
   `(:sequence :word-boundary ,word
               (:greedy-repetition 0 nil :word-char-class))
   :case-insensitive-mode t))

(defun concordance (text words)
  "For each of WORDS how often it begins a word of TEXT."
  (loop for word in words
        collect (cons word (cl-ppcre:count-matches (word-scanner word) text))))

;;; Headings, addresses, years

(defun headings (lines)
  "The numbered headings of LINES: a list of (NUMBER . TITLE)."
  (loop for line in lines
        for heading = (cl-ppcre:register-groups-bind ((#'parse-integer number)
                                                      title)
                          ("^\\s*(\\d+)\\.\\s+([A-Z][^.]*)" line)
                        (cons number title))
        when heading
          collect heading))

(defun addresses (text)
  (let ((result '()))
    (cl-ppcre:do-register-groups (scheme host path)
        ("(https?)://([\\w.-]+)(/[\\w./-]*)?" text (nreverse result))
      (push (list scheme host path) result))))

;;; Text for the terminal

(defun tidy (text)
  "TEXT with one kind of quotes, one kind of dashes and single blanks."
  (let* ((quoted (cl-ppcre:regex-replace-all "``([^'`\"]*)''|`([^'`\"]*)'" text
                                             "\"\\1\\2\""))
         (dashed (cl-ppcre:regex-replace-all "(\\w) ?--? (\\w)" quoted
                                             "\\1 - \\2")))
    (cl-ppcre:regex-replace-all "[ \\t]+" dashed " ")))

(defun shout (text)
  "TEXT with all defined terms in capitals."
  (cl-ppcre:regex-replace-all
   "(?i)\\b(licen[cs]e|program|work|library|document)s?\\b" text
   (lambda (match term)
     (declare (ignore term))
     (string-upcase match))
   :simple-calls t))

;;; All of it

(defun survey-text (lines rules)
  "What there is to say about one text: a property list."
  (let ((text (join lines)))
    (list :topics (topics (paragraphs text) rules)
          :concordance (concordance text (frequent-words text 40))
          :headings (headings lines)
          :addresses (addresses text)
          :tidied (length (cl-ppcre:split "\\s+" (shout (tidy text)))))))

(defun survey (texts rules)
  "What there is to say about each of TEXTS."
  (loop for lines in texts
        collect (survey-text lines rules)))

;;; A service that is asked about words.  It keeps each answer, for it may be
;;; asked again, and never drops one: a leak.

(defvar *answers* (make-hash-table :test #'equal) "By what was asked.")

(defun find-answer (word paragraphs)
  "Those of PARAGRAPHS that have WORD, with all such words in brackets."
  (let ((scanner (word-scanner word)))
    (loop for paragraph in paragraphs
          when (cl-ppcre:scan scanner paragraph)
            collect (cl-ppcre:regex-replace-all scanner paragraph
                                                "[\\&]"))))

(defun answer (text-number word paragraphs)
  (let ((question (list text-number word)))
    (or (gethash question *answers*)
        (setf (gethash question *answers*)
              (find-answer word paragraphs)))))

(defun serve (texts n)
  "Answer what N words of each of TEXTS are about; how many paragraphs that
took."
  (loop for lines in texts
        for text-number from 1
        for text = (join lines)
        sum (loop with paragraphs = (paragraphs text)
                  for word in (frequent-words text n)
                  sum (length (answer text-number word paragraphs)))))
