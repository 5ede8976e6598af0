;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; choices.lisp -- keywords for the options of the command mprof, which select
;;;; parts of a profile.
;;;;
;;;; Each choice is defined once, here: lambda lists, docstrings, checks and
;;;; error messages derive from the table.  A test compares it with `mprof help
;;;; report' and `mprof help export'.

(in-package #:mprof)

(eval-when (:compile-toplevel :load-toplevel :execute)
  (defparameter *choices*
    '((:collect (:collect) boolean
       "collect garbage first, for live figures after START with :LIVE")
      (:holders (:collect) boolean
       "the same, and find what holds the live objects")
      (:focus (:part) string
       "only allocations below a function with such a name")
      (:ignore (:part) string "no allocations below such a function")
      (:hide (:part) string "charge such functions to their callers")
      (:show (:part) string "charge all other functions to their callers")
      (:show-from (:part) string "begin call chains at such a function")
      (:hide-system (:part) boolean
       "charge ECL's own functions to those of the program")
      (:by (:part) (member :function :line :site :file :package :class)
       "what each row stands for")
      (:phase (:part) (list :compile :load :eval :run)
       "only allocations in these phases")
      (:thread (:part) string "only allocations of threads with such a name")
      (:region (:part) string
       "only allocations in regions with such a path, or within them")
      (:object-type (:part) string
       "only objects of types or classes with such a name" "type")
      (:category (:part) (list :cons :float :struct :other)
       "only objects of these categories")
      (:show-runtime (:part) boolean "show ECL's own C functions too")
      (:show-root (:part) boolean "show the callers of the profiled body, too")
      (:rules (:part) file "rules of advice to try before those of mprof")
      (:tables (:report)
       (list :advice :phases :threads :regions :bins :direct :flat :graph :types
        :type-functions :function-types :held :survival :reconciliation :leaks
        :peak :temporary)
       "these instead of the usual tables; the last three are for C programs")
      (:type (:report) (member :flat :graph :held :survival)
       "the same for one table; :FLAT and :GRAPH are as in sb-sprof" "tables")
      (:limit (:report :save :advise) (integer 1)
       "the maximum number of rows or nodes")
      (:max (:report) (integer 1) "the same, as in sb-sprof" "limit")
      (:min-percent (:report :save :advise) real
       "leave out rows or nodes below this percentage")
      (:sort-by (:report)
       (member :bytes :allocations :calls :self :inclusive :name :live :kept
        :peak :temporary)
       "the order of rows" "sort")
      (:value (:report :save)
       (member :bytes :allocations :live :live-allocations :held
        :held-allocations :kept :kept-allocations :peak :peak-allocations
        :temporary :lost :lost-allocations)
       "the measure; live and held need START :LIVE, the last seven are for C")
      (:verbose (:report :advise) boolean
       "show all rows, including those below 1 %")
      (:width (:report) (integer 0)
       "write tables for people, in lines of this width; 0: for programs")
      (:color (:report :advise) boolean "highlight what to look at first"
       "color=always")
      (:frames (:save) (list :types :phases :threads)
       "for :FOLDED, add these to each chain as frames")
      (:table (:save)
       (member :functions :arcs :types :survival :contexts :bins :regions
        :phases :threads :advice)
       "the table to write, for :CSV")
      (:base (:save) file
       "for a page, the file of a profile to compare with, not an expression")
      (:no-source (:save) boolean
       "for a page, leave out lines of source files"))
    "The keywords of REPORT, SAVE and PROFILE: a list of (KEYWORD GROUPS TYPE
DOCUMENTATION [OPTION]).  GROUPS are the groups of functions that take KEYWORD;
all functions take those of :PART, which select a part of a profile rather than
how it is shown.  A TYPE of MEMBER stands for one of several words, LIST for one
or more of them, FILE for a pathname designator.  OPTION is the option of the
command mprof, if it has another name.")

  (defun ensure-list (value)
    "Return VALUE if it is a list, else a list of VALUE."
    (if (listp value) value (list value)))

  (defun filled (text)
    "Fill TEXT, which has no tildes, to lines of fewer than 80 characters."
    (let ((*print-pretty* t) (*print-right-margin* 79))
      (format nil (format nil "~~@<~A~~:@>" text))))

  (defun choices-of (groups)
    "Return the rows of *CHOICES* that belong to one of GROUPS."
    (remove-if-not (lambda (row) (intersection groups (second row))) *choices*))

  (defun choices-documentation (groups)
    "Return the documentation of the choices for GROUPS, for docstrings."
    (format nil "CHOICES, all of them NIL by default; strings are regular ~
                 expressions that match~%part of a name:~%~{~A~^~%~}"
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
choices of GROUPS as keyword arguments.  In BODY, CHOICES is the list of these
keywords and values.  ~A in DOCUMENTATION stands for their documentation.  An
optional argument in LAMBDA-LIST is a file, which may be omitted before
keywords."
  (let* ((variables (loop for (keyword) in (choices-of groups)
                          collect (intern (symbol-name keyword) '#:mprof)))
         (key (or (position '&key lambda-list) (length lambda-list)))
         (positional (subseq lambda-list 0 key))
         (keys (append (nthcdr (1+ key) lambda-list) variables)))
    (destructuring-bind (&optional file default)
        (ensure-list (second (member '&optional positional)))
      `(progn
         (defun ,name (,@positional &rest choices)
           ,(format nil documentation (choices-documentation groups))
           ,@(when file
               `((when (keywordp ,file)
                   (push ,file choices)
                   (setf ,file ,default))))
           (check-keywords ',name
                           ',(loop for variable in keys
                                   collect (intern
                                            (symbol-name
                                             (first (ensure-list variable)))
                                            '#:keyword))
                           choices)
           (destructuring-bind (&key ,@keys) choices
             (declare (ignore ,@variables))
             ,@body))
         (ext:annotate ',name :lambda-list nil '(,@positional &key ,@keys))))))

(defun chosen (group choices)
  "Return the part of CHOICES, a property list, that is for GROUP and not NIL."
  (loop for (keyword value) on choices by #'cddr
        when (and value (member group (second (assoc keyword *choices*))))
          collect keyword and collect value))

;;; As options of the command

(defun option-name (row)
  "Return the name of the mprof option for ROW, an element of *CHOICES*."
  (or (fifth row) (string-downcase (first row))))

(defun word (keyword)
  "Return the name that the command mprof uses for the value KEYWORD."
  (case keyword
    (:flat "direct")
    (:allocations "allocs")
    (:live-allocations "live-allocs")
    (:held-allocations "held-allocs")
    (:kept-allocations "kept-allocs")
    (:peak-allocations "peak-allocs")
    (:lost-allocations "lost-allocs")
    (t (string-downcase keyword))))

(defun choice-option (keyword value)
  "Return the option of the command mprof for KEYWORD with VALUE, which is not
NIL; a string."
  (let* ((row (assoc keyword *choices*))
         (type (third row))
         (values (ensure-list value)))
    (flet ((option (control &rest arguments)
             (format nil "--~A~?" (option-name row) control arguments)))
      (case (if (consp type) (first type) type)
        (boolean (option ""))
        (file (option "=~A" (file-name value)))
        ((member list)
         (dolist (each values)
           (unless (member each (rest type))
             (fail "~S is not valid for ~S, which takes ~{~S~^, ~}" each keyword
                   (rest type))))
         (option "=~{~A~^,~}" (mapcar #'word values)))
        (t
         (unless (typep value type)
           (fail "~S is not valid for ~S, which takes a value of type ~(~S~)"
                 value keyword type))
         (when (and (stringp value) (find #\Newline value))
           (fail "the value of ~S must be one line" keyword))
         (if (eq type 'real)
             (option "=~,4F" value)
             (option "=~A" value)))))))

(defun choice-options (choices)
  "Return the options of the command mprof for CHOICES, a property list."
  (loop for (keyword value) on choices by #'cddr
        when value
          collect (choice-option keyword value)))

;;; And back: messages of the C library, which are written for the shell

(defun keyword-for-option (name)
  "Return the keyword for the option NAME of the command mprof, as a string; or
NIL."
  (let ((row (find name *choices* :key #'option-name :test #'string=)))
    (cond (row (format nil "~(~S~)~:[~; t~]" (first row)
                       (eq (third row) 'boolean)))
          ((string= name "format") ":format"))))

(defun word-in-keywords (word)
  "Return WORD with a keyword for the option that it begins with, if any."
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
  "Replace the options in TEXT, which the C library wrote, by keywords:
`--width=0' becomes `:width 0'."
  (with-output-to-string (result)
    (loop for start = 0 then (1+ end)
          for end = (position-if (lambda (character)
                                   (find character '(#\Space #\Newline)))
                                 text :start start)
          do (write-string (word-in-keywords (subseq text start end)) result)
          while end
          do (write-char (char text end) result))))
