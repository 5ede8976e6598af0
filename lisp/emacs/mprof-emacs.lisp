;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; mprof-emacs.lisp -- the functions that mprof.el calls.
;;;;
;;;; Emacs loads this file on first use, after mprof, into a Lisp with SWANK, of
;;;; SLIME, or SLYNK, of Sly.  An error is returned as a line, (:ERROR LINE), so
;;;; that Emacs shows no debugger.  Functions are named by strings, as in the
;;;; tables of mprof.

(defpackage #:mprof.emacs
  (:use #:common-lisp)
  (:import-from #:mprof.data #:figure #:reader #:row)
  (:documentation "The profiles of mprof in Emacs."))

(in-package #:mprof.emacs)

(defvar *shown* '()
  "What Emacs shows: for each table, :FUNCTIONS, :CHANGES and :ADVICE, three
functions, that find a row by its identity, its details and its source.")

(defmacro define-command (name lambda-list &body body)
  "Define the function NAME, for Emacs: it returns the value of BODY, or the
message of an error in it."
  `(progn
     (export ',name)
     (defun ,name ,lambda-list
       (handler-bind ((warning #'muffle-warning))
         (handler-case (progn ,@body)
           (error (condition)
             (list :error (substitute #\Space #\Newline
                                      (princ-to-string condition)))))))))

;;; Counting.  One monitor counts in all threads, so these functions may run in
;;; threads of their own.

(define-command start (live)
  (cond ((getf (mprof:status) :active) "mprof is already counting")
        (t (mprof:start :live live) "mprof is counting")))

(define-command stop ()
  (if (mprof:stop)
      (format nil "mprof has stopped at ~:D bytes, including the editor's own"
              (getf (mprof:status) :bytes))
      "mprof was not counting"))

(define-command reset ()
  (mprof:reset)
  "mprof has cleared all figures")

;;; SLIME and Sly allocate in the Lisp that is profiled, for each key typed.
;;; The user's work are chains without a function of SWANK or SLYNK, and those
;;; of files that they load and forms that they evaluate, (TOP-LEVEL-FORM).
;;; Forms that Emacs sends for itself call them at once, in new threads: what
;;; ECL allocates before a thread calls its function is left out as well.

(defun ide-name-p (name)
  "True if NAME is a function of a package of SWANK's or SLYNK's, or of this."
  (let ((start (some (lambda (package) (search package name))
                     '("SWANK" "SLYNK" "MPROF.EMACS"))))
    (and start
         (or (= start 0) (find (char name (1- start)) "( "))
         (find #\: name :start start)
         t)))

(defun beside-p (chain)
  "True if CHAIN is of a thread that has not called its function yet, or of a
finalizer that closes a profile."
  (if (string= (first chain) "[finalizers]")
      (some (lambda (name) (search "MPROF" name)) chain)
      (member (first chain) '("[runtime]" "SI:BIND-SIMPLE-RESTARTS")
              :test #'string=)))

(defun for-user-p (chain)
  "True if CHAIN, which has functions of theirs, is the user's work."
  (loop for (caller name callee) on (cons "" chain)
          thereis (cond ((equal name "(TOP-LEVEL-FORM)")
                         (not (and callee (ide-name-p callee))))
                        ((equal name "LOAD")
                         (ide-name-p caller)))))

(defun own-work-p (context)
  "True if CONTEXT is the user's own work."
  (let ((chain (figure :chain context)))
    (if (some #'ide-name-p chain)
        (for-user-p chain)
        (not (beside-p chain)))))

(defun counted (options)
  "Return what was counted so far, as OPTIONS need it, and mprof's warning, a
string or NIL."
  (let* ((warning nil)
         (value (getf options :value))
         (profile (handler-bind ((warning (lambda (condition)
                                            (setf warning (princ-to-string
                                                           condition)))))
                    (mprof:load-profile nil :collect (eq value :live)
                                            :value value))))
    (when (zerop (figure :allocations profile))
      (error "Nothing has been counted: M-x mprof-start starts counting"))
    (values profile warning)))

(defun own-work (profile options)
  "Return the part of PROFILE that is the user's own work, or all if :EDITOR of
OPTIONS says so."
  (if (getf options :editor)
      profile
      (mprof:load-profile profile :predicate #'own-work-p)))

(defun shown (own-work options)
  "Return what OPTIONS, which are those of Emacs, show of OWN-WORK."
  (apply #'mprof:load-profile
         (mprof:load-profile
          own-work :hide (and (not (getf options :editor))
                              "(^|[( ])(SWANK|SLYNK|MPROF.EMACS)[^ ()]*:"))
         (mprof::options-if (lambda (key) (not (eq key :editor))) options)))

(define-command regions ()
  (remove-duplicates
   (loop for region in (figure :regions (mprof:load-profile))
         for name = (figure :name region)
         for last = (subseq name (1+ (or (position #\; name :from-end t) -1)))
         collect name
         when (find #\= last)
           collect last)
   :test #'string=))

(define-command save (file options)
  (format nil "mprof has written ~A"
          (mprof:save file
                      :profile (if (mprof::complete-type-p file)
                                   (own-work (counted '()) options)
                                   (shown (own-work (counted options) options)
                                          options)))))

;;; Tables.  Columns with texts have negative widths.

(defun table (name functions &rest more)
  "Return the table NAME for Emacs; FUNCTIONS are those for *SHOWN*.  MORE has
:ROWS, lists of an identity and cells: numbers, NIL if not known, and texts."
  (setf (getf *shown* name) functions
        (getf more :rows) (mapcar #'texts (getf more :rows)))
  more)

(defun texts (row)
  "Return ROW of a table with texts in the place of numbers."
  (cons (first row)
        (loop for cell in (rest row)
              collect (cond ((stringp cell) cell)
                            (cell (format nil "~:D" cell))
                            (t "-")))))

(defun share (part all)
  "Return PART of ALL in per cent, in two characters, as in mprof's tables."
  (let ((percent (if (member part '(0 nil)) 0 (floor (* 100 part) all))))
    (cond ((member part '(0 nil)) "")
          ((= percent 100) "**")
          ((zerop percent) ".")
          (t (format nil "~D" percent)))))

(defun key (key options)
  "Return the figure that has the place of KEY if OPTIONS ask for live objects."
  (if (eq (getf options :value) :live) (mprof::live-key key) key))

(defun by-name (rows)
  "Return ROWS sorted by name."
  (sort (copy-list rows) #'string< :key (reader :name)))

(define-command functions (options)
  (multiple-value-bind (all warning) (counted options)
    (let* ((own-work (own-work all options))
           (profile (shown own-work options))
           (bytes (figure (key :bytes options) profile)))
      (table :functions
             (list (lambda (name) (row :functions name profile))
                   (lambda (row) (function-details row options))
                   #'function-location)
             :head (format nil "~:D ~@[~(~A~) ~]bytes in ~:D~@[ in ~A~]; ~
                                ~:[stopped~;counting~]; ~:[with~;without~] ~
                                ECL's functions (x), ~:[without ~:D bytes of ~
                                the editor's~;with the editor's~] (w)"
                           bytes (getf options :value)
                           (figure (key :allocations options) profile)
                           (or (getf options :region) (getf options :label))
                           (getf (mprof:status) :active)
                           (getf options :system) (getf options :editor)
                           (- (figure :bytes all) (figure :bytes own-work)))
             :warning warning
             :columns '(("Own bytes" 14) ("%" 2) ("Own allocs" 12)
                        ("With callees" 14) ("%" 2) ("Calls" 9)
                        ("Function" -30))
             :rows (loop for row in (by-name (figure :functions profile))
                         for own = (figure (key :self-bytes options) row)
                         for inclusive = (figure (key :bytes options) row)
                         collect (list (figure :name row)
                                       own (share own bytes)
                                       (figure (key :self-allocations options)
                                               row)
                                       inclusive (share inclusive bytes)
                                       (figure :calls row)
                                       (figure :name row)))))))

(defun function-details (row options)
  "Return rows for callers and callees of ROW, and types it allocates itself."
  (flet ((arcs (relation end arcs)
           (loop for arc in arcs
                 for bytes = (figure (key :bytes options) arc)
                 collect (list (list (figure end arc)) "" "" "" bytes
                               (share bytes (figure (key :bytes options) row))
                               (figure :calls arc)
                               (format nil "  ~A ~A" relation
                                       (figure end arc))))))
    (append (arcs "called by" :caller (figure :callers row))
            (arcs "calls" :callee (figure :callees row))
            (loop for type in (figure :types row)
                  for bytes = (figure :bytes type)
                  collect (list '(nil) bytes
                                (share bytes (figure :self-bytes row))
                                (figure :allocations type) "" "" ""
                                (format nil "  allocates ~A"
                                        (figure :name type)))))))

(defun change-row (id row prefix)
  "Return the row ID for ROW, a difference, whose name PREFIX is put before."
  (list id
        (format nil "~:@D" (figure :bytes row))
        (format nil "~:@D" (figure :allocations row))
        (figure :old-bytes row) (figure :new-bytes row)
        (format nil "~A~A" prefix (figure :name row))))

(define-command changes (options file)
  (let* ((old (shown (own-work (mprof:load-profile file) options) options))
         (new (shown (own-work (counted options) options) options))
         (rows (by-name (mprof::differences
                         (figure :functions old) (figure :functions new)
                         :bytes (key :self-bytes options)
                         :allocations (key :self-allocations options)))))
    (flet ((growth (key)
             (- (figure (key key options) new) (figure (key key options) old))))
      (table :changes
             (list (lambda (name)
                     (find name rows :key (reader :name) :test #'string=))
                   #'change-details
                   (lambda (row)
                     (function-location (or (figure :new row)
                                            (figure :old row)))))
             :head (format nil "~:@D ~@[~(~A~) ~]bytes, ~:@D allocations since ~
                                ~A was saved"
                           (growth :bytes) (getf options :value)
                           (growth :allocations) (file-namestring file))
             :columns '(("Change" 14) ("Allocations" 14) ("Old bytes" 14)
                        ("New bytes" 14) ("Function" -30))
             :rows (loop for row in rows
                         collect (change-row (figure :name row) row ""))))))

(defun change-details (row)
  "Return rows for the types of ROW, a difference."
  (flet ((types (row) (and row (figure :types row))))
    (loop for type in (mprof::differences (types (figure :old row))
                                          (types (figure :new row)))
          collect (change-row '(nil) type "  of "))))

;;; Sources.  SWANK and SLYNK know where a form is in a buffer that is not
;;; saved, but not which of several methods is meant; mprof knows the line of
;;; each in its file.

(defun file-location (file line)
  "Return the LINE of FILE, a string or NIL; NIL if the file is missing."
  (let ((file (and file line (ignore-errors
                              (probe-file (mprof::absolute file))))))
    (and file
         `(:location (:file ,(mprof::string-of (mprof::file-name file)))
                     (:line ,line) nil))))

(defun read-name (name)
  "Return NAME, a string of the tables, as Lisp data, or NIL."
  (let ((by (search " by " name)))      ; holders are called CONS by F
    (ignore-errors
     (mprof::read-data (make-string-input-stream name (if by (+ by 4) 0))))))

(defun definition-name (name)
  "Return the name of the definition that contains the function NAME, data."
  (cond ((or (atom name) (eq (first name) 'setf)) name)
        ((member :in name) (definition-name (second (member :in name))))
        (t (second name))))

(defun definition-locations (name)
  "Return the locations of definitions of NAME, data, as SWANK or SLYNK knows."
  (let ((function (find-symbol "FIND-DEFINITIONS"
                               (or (find-package "SWANK/BACKEND")
                                   "SLYNK-BACKEND"))))
    (loop for (nil location) in (and name
                                     (ignore-errors (funcall function name)))
          when (and (eq (first location) :location)
                    (member (first (second location)) '(:file :buffer))
                    (mprof::plain-p (second (second location)))) ; else garbled
            collect location)))

(defun function-location (row)
  "Return the source location of the function of ROW, or NIL."
  (let* ((name (read-name (figure :name row)))
         (locations (definition-locations (definition-name name))))
    (or (and (atom name) (null (rest locations)) (first locations))
        (file-location (figure :file row) (figure :line row))
        (first locations))))

;;; Advice

(defun advice-location (advice profile)
  "Return the place that ADVICE on PROFILE is about, or NIL."
  (let ((row (row :functions (figure :name advice) profile)))
    (or (file-location (figure :file advice) (figure :line advice))
        (and row (function-location row)))))

(defun advice-details (advice)
  "Return texts that explain ADVICE."
  (remove nil
          (list (format nil "~:D object~:P~@[, in ~:D call~:P~]~@[, mostly for ~
                             ~A~]; rule ~A."
                        (figure :objects advice) (figure :calls advice)
                        (figure :caller advice) (figure :rule advice))
                (figure :remedy advice)
                (figure :example advice)
                (and (figure :unknown advice)
                     (format nil "Not known: ~A." (figure :unknown advice))))))

(define-command advice (options)
  (let* ((profile (own-work (counted '()) options))
         (rows (figure :advice profile)))
    (table :advice
           (list (lambda (number) (nth number rows))
                 #'advice-details
                 (lambda (advice) (advice-location advice profile)))
           :head (format nil "~D piece~:P of advice; TAB: what to do, c: clear ~
                              advice beside the source"
                         (length rows))
           :columns '(("Saves bytes" 14) ("Grade" -7) ("Function" -30)
                      ("Fault" -30))
           :rows (loop for advice in rows
                       for id from 0
                       collect (list id (figure :saved-bytes advice)
                                     (string-downcase (figure :grade advice))
                                     (figure :name advice)
                                     (figure :fault advice)))
           :beside (loop for advice in rows
                         for location = (advice-location advice profile)
                         when location
                           collect (list location
                                         (format nil "saves ~:[up to ~;~]~:D ~
                                                      bytes: ~A"
                                                 (eq (figure :grade advice)
                                                     :certain)
                                                 (figure :saved-bytes advice)
                                                 (figure :fault advice))
                                         (format nil "~{~A~^~%~}"
                                                 (advice-details advice))
                                         (figure :saved-bytes advice)
                                         (figure :grade advice))))))

;;; Details and sources of rows

(defun about (place table id)
  "Return the value of the function at PLACE in *SHOWN* for the row ID of TABLE,
and the row."
  (let* ((functions (getf *shown* table))
         (row (and functions (funcall (first functions) id))))
    (unless row
      (error "This table is gone: g makes it anew"))
    (values (funcall (nth place functions) row) row)))

(define-command details (table id)
  (loop for detail in (about 1 table id)
        collect (if (stringp detail) detail (texts detail))))

(define-command source (table id)
  (multiple-value-bind (location row) (about 2 table id)
    (or location
        (error "The source of ~A is not known" (figure :name row)))))

;;; What a change saves

(define-command try-advice (package definition form)
  (let ((*package* (or (find-package (string (read-from-string package)))
                       *package*)))
    (with-output-to-string (*standard-output*)
      (eval `(mprof:try-advice (,(read-from-string definition))
               ,(read-from-string form))))))
