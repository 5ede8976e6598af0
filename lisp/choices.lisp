;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; choices.lisp -- what to show of a profile: keywords as the options of the
;;;; command mprof, which the C library behind it understands.
;;;;
;;;; Each choice is written once, here: lambda lists, docstrings, checks and
;;;; what errors say derive from the table.  A test compares it with `mprof help
;;;; report' and `mprof help export'.

(in-package #:mprof)

(eval-when (:compile-toplevel :load-toplevel :execute)
  (defparameter *choices*
    '((:collect (:collect) boolean
       "collect garbage first, for what is alive after START with :LIVE")
      (:holders (:collect) boolean
       "the same, and find out who holds what is alive")
      (:focus (:part) string
       "only what was allocated below a function with such a name")
      (:ignore (:part) string "nothing that was allocated below one")
      (:hide (:part) string "charge such functions to their callers")
      (:show (:part) string "charge all other functions to their callers")
      (:show-from (:part) string "call chains begin at such a function")
      (:hide-system (:part) boolean
       "charge ECL's own functions to those of the program")
      (:by (:part) (member :function :line :site :file :package :class)
       "what the rows are")
      (:sites (:part) boolean "the same as :BY :SITE")
      (:phase (:part) (list :compile :load :eval :run)
       "only what was allocated then")
      (:thread (:part) string "only what threads with such a name allocated")
      (:region (:part) string
       "only what was allocated in regions with such a path, or within")
      (:object-type (:part) string
       "only objects of types or classes with such a name" "type")
      (:category (:part) (list :cons :float :struct :other)
       "only objects of these categories")
      (:show-runtime (:part) boolean "show ECL's own C functions too")
      (:show-root (:part) boolean "show what called the profiled body, too")
      (:tables (:report)
       (list :advice :phases :threads :regions :bins :direct :flat :graph :types
        :type-functions :function-types :held :survival :reconciliation :leaks
        :peak :temporary)
       "these and not the usual ones; the last three are for C programs")
      (:type (:report) (member :flat :graph :held :survival)
       "the same for one of these, the first two as in sb-sprof" "tables")
      (:limit (:report :save :advise) (integer 1)
       "at most so many rows, or nodes")
      (:max (:report) (integer 1) "the same, as in sb-sprof" "limit")
      (:min-percent (:report :save :advise) real
       "leave out rows, or nodes, below this")
      (:sort-by (:report)
       (member :bytes :allocations :calls :self :inclusive :name :live :kept
        :peak :temporary)
       "the order of rows" "sort")
      (:value (:report :save)
       (member :bytes :allocations :live :live-allocations :held
        :held-allocations :kept :kept-allocations :peak :peak-allocations
        :temporary)
       "what is counted; live, held ones after START :LIVE, the last five in C")
      (:verbose (:report :advise) boolean
       "leave out no row; else those below 1 %")
      (:terse (:report) boolean "leave out rows below 5 %")
      (:offsets (:report) boolean "tell call sites apart in the table :LEAKS")
      (:averages (:report) boolean
       "give bytes an allocation and a call in :DIRECT and :TYPES")
      (:human (:report) boolean "separate the thousands of numbers in tables")
      (:width (:report) (integer 0)
       "cut names, and leave columns out, so that lines fit into it; 0: never")
      (:color (:report :advise) boolean "mark what to look at first"
       "color=always")
      (:types (:save) boolean "for :FOLDED, the type as the last frame")
      (:phases (:save) boolean "for :FOLDED, the phase as the first frame")
      (:threads (:save) boolean "for :FOLDED, the thread as the first frame")
      (:table (:save)
       (member :functions :arcs :types :survival :contexts :bins :regions
        :phases :threads :advice)
       "which one, for :CSV")
      (:base (:save) string
       "for a page, no expression but the file of a profile to compare with")
      (:no-source (:save) boolean
       "for a page, leave out lines of source files"))
    "What the keywords of REPORT, SAVE and PROFILE are: (KEYWORD GROUPS TYPE
DOCUMENTATION [OPTION]).  GROUPS says who takes it: :PART is for all, since it
says what a profile is and not how it is shown.  A TYPE of MEMBER is one of some
words, LIST one or several of them.  OPTION is that of the command mprof, if it
has another name.")

  (defun ensure-list (value)
    "VALUE if it is a list, else a list of it."
    (if (listp value) value (list value)))

  (defun filled (text)
    "TEXT, without tildes, in lines of less than 80 characters."
    (let ((*print-pretty* t) (*print-right-margin* 79))
      (format nil (format nil "~~@<~A~~:@>" text))))

  (defun choices-of (groups)
    "Those rows of *CHOICES* that are for one of GROUPS."
    (remove-if-not (lambda (row) (intersection groups (second row))) *choices*))

  (defun choices-documentation (groups)
    "What docstrings say of the choices for one of GROUPS."
    (format nil "CHOICES, all of them NIL by default; strings are regular ~
                 expressions that match~%a part of a name:~%~{~A~^~%~}"
            (loop for (keyword nil type text) in (choices-of groups)
                  collect (filled
                           (format nil "~A (~:[~(~A~)~*~;~*~{~S~^ ~}~]): ~A."
                                   keyword
                                   (keywordp (second (ensure-list type)))
                                   (first (ensure-list type))
                                   (rest (ensure-list type)) text))))))

(defmacro define-choosing (name (&rest lambda-list) groups documentation
                           &body body)
  "Define the function NAME, which takes the arguments of LAMBDA-LIST and all
choices for one of GROUPS, by keyword.  In BODY, CHOICES is the list of all its
keywords and values.  In DOCUMENTATION ~A stands for what is said of these."
  (let ((variables (loop for (keyword) in (choices-of groups)
                         collect (intern (symbol-name keyword) '#:mprof)))
        (key (or (position '&key lambda-list) (length lambda-list))))
    `(defun ,name (,@(subseq lambda-list 0 key) &rest choices
                   &key ,@(nthcdr (1+ key) lambda-list) ,@variables)
       ,(format nil documentation (choices-documentation groups))
       (declare (ignore ,@variables))
       ,@body)))

(defun chosen (group choices)
  "Those of CHOICES, a property list, that are for GROUP and not NIL."
  (loop for (keyword value) on choices by #'cddr
        when (and value (member group (second (assoc keyword *choices*))))
          collect keyword and collect value))

;;; As options of the command

(defun option-name (row)
  "What the command mprof calls the choice of ROW, one of *CHOICES*."
  (or (fifth row) (string-downcase (first row))))

(defun word (keyword)
  "What the command mprof calls the value KEYWORD."
  (case keyword
    (:flat "direct")
    (:allocations "allocs")
    (:live-allocations "live-allocs")
    (:held-allocations "held-allocs")
    (:kept-allocations "kept-allocs")
    (:peak-allocations "peak-allocs")
    (t (string-downcase keyword))))

(defun choice-option (keyword value)
  "The option of the command mprof that KEYWORD with VALUE, not NIL, stands
for; a string."
  (let* ((row (assoc keyword *choices*))
         (type (third row))
         (values (ensure-list value)))
    (flet ((option (control &rest arguments)
             (format nil "--~A~?" (option-name row) control arguments)))
      (case (if (consp type) (first type) type)
        (boolean (option ""))
        ((member list)
         (dolist (each values)
           (unless (member each (rest type))
             (fail "~S is no value for ~S, which takes ~{~S~^, ~}" each keyword
                   (rest type))))
         (option "=~{~A~^,~}" (mapcar #'word values)))
        (t
         (unless (typep value type)
           (fail "~S is no value for ~S, which takes a value of type ~(~S~)"
                 value keyword type))
         (when (and (stringp value) (find #\Newline value))
           (fail "the value of ~S must be one line" keyword))
         (if (eq type 'real)
             (option "=~,4F" value)
             (option "=~A" value)))))))

(defun choice-options (choices)
  "The options of the command mprof for CHOICES, a property list."
  (loop for (keyword value) on choices by #'cddr
        when value
          collect (choice-option keyword value)))

;;; And back: what the C library says to people in a shell

(defun keyword-for-option (name)
  "What stands here for the option NAME of the command mprof, a string; or NIL."
  (let ((row (find name *choices* :key #'option-name :test #'string=)))
    (cond (row (format nil "~(~S~)~:[~; t~]" (first row)
                       (eq (third row) 'boolean)))
          ((string= name "format") ":format"))))

(defun word-in-keywords (word)
  "WORD of a text with a keyword if it begins with an option."
  (let* ((from (or (position #\- word :test-not #'eql) 0))
         (to (or (position-if-not (lambda (character)
                                    (or (char<= #\a character #\z)
                                        (char= character #\-)))
                                  word :start from)
                 (length word)))
         (keyword (and (plusp from)
                       (keyword-for-option (subseq word from to)))))
    (if keyword
        (format nil "~A~A" keyword (substitute #\Space #\= (subseq word to)
                                               :count 1))
        word)))

(defun in-keywords (text)
  "TEXT of the C library with keywords for the options that it names: `:width 0'
for `--width=0'."
  (with-output-to-string (result)
    (loop for start = 0 then (1+ end)
          for end = (position-if (lambda (character)
                                   (find character '(#\Space #\Newline)))
                                 text :start start)
          do (write-string (word-in-keywords (subseq text start end)) result)
          while end
          do (write-char (char text end) result))))
