;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; swank-mprof.lisp -- the functions that slime-mprof.el calls.
;;;;
;;;; Emacs loads this file on first use, after mprof.  An error is returned as a
;;;; line, (:ERROR LINE), so that Emacs shows no debugger.  Functions are named
;;;; by strings, as in the tables.

(defpackage #:swank-mprof
  (:use #:common-lisp)
  (:import-from #:swank #:defslimefun)
  (:import-from #:mprof.data #:figure #:row)
  (:documentation "The profiles of mprof in Emacs."))

(in-package #:swank-mprof)

(defvar *profile* nil
  "The profile that Emacs shows, or NIL.")

(defun one-line (condition)
  "Return the message of CONDITION in one line."
  (substitute #\Space #\Newline (princ-to-string condition)))

(defmacro answering (&body body)
  "Return the value of BODY, or the message of an error in it."
  `(handler-bind ((warning #'muffle-warning))
     (handler-case (progn ,@body)
       (error (condition) (list :error (one-line condition))))))

;;; Counting.  One monitor counts in all threads, so these functions may run in
;;; threads of their own.

(defslimefun start ()
  (answering
    (cond ((getf (mprof:status) :active) "mprof is already counting")
          (t (mprof:start) "mprof is counting"))))

(defslimefun stop ()
  (answering
    (if (mprof:stop)
        (format nil "mprof has stopped at ~:D bytes, including SLIME's own"
                (getf (mprof:status) :bytes))
        "mprof was not counting")))

(defslimefun reset ()
  (answering
    (mprof:reset)
    "mprof has cleared all figures"))

;;; SLIME allocates in the Lisp that is profiled, for each key that is typed.
;;; The user's work are chains without a function of SWANK, and those of files
;;; that SWANK loads and forms that it evaluates, (TOP-LEVEL-FORM).  Forms that
;;; Emacs sends for itself call SWANK at once, in new threads: what ECL allocates
;;; before a thread calls its function is left out as well.

(defun swank-name-p (name)
  "True if NAME is a function of a package of SWANK's."
  (let ((start (search "SWANK" name)))
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
  "True if CHAIN, which has functions of SWANK, is the user's work."
  (loop for (caller name callee) on (cons "" chain)
          thereis (cond ((equal name "(TOP-LEVEL-FORM)")
                         (not (and callee (swank-name-p callee))))
                        ((equal name "LOAD")
                         (swank-name-p caller)))))

(defun own-work-p (context)
  "True if CONTEXT is the user's own work."
  (let ((chain (figure :chain context)))
    (if (some #'swank-name-p chain)
        (for-user-p chain)
        (not (beside-p chain)))))

(defun own-work (profile)
  "Return the part of PROFILE that is not SLIME's own work."
  (mprof:load-profile profile :predicate #'own-work-p))

;;; Functions

(defun function-line (row)
  "Return (NAME SELF-BYTES BYTES SELF-ALLOCATIONS CALLS) of ROW."
  (list (figure :name row) (figure :self-bytes row) (figure :bytes row)
        (figure :self-allocations row) (figure :calls row)))

(defun profile ()
  "Return the figures counted so far, and mprof's warning, a string or NIL."
  (let* ((warning nil)
         (profile (handler-bind ((warning (lambda (condition)
                                            (setf warning
                                                  (princ-to-string
                                                   condition)))))
                    (mprof:load-profile))))
    (when (zerop (figure :allocations profile))
      (error "Nothing has been counted: slime-mprof-start starts counting"))
    (values profile warning)))

(defslimefun functions (hide-system swank)
  "List the functions counted so far: without ECL's if HIDE-SYSTEM is true, with
SLIME's own work if SWANK is true."
  (answering
    (multiple-value-bind (all warning) (profile)
      (setf *profile* (mprof:load-profile (if swank all (own-work all))
                                          :hide (and (not swank)
                                                     "(^|[( ])SWANK[^ ()]*:")
                                          :system (and hide-system :hide)))
      (list :bytes (figure :bytes *profile*)
            :allocations (figure :allocations *profile*)
            :left-out (- (figure :bytes all) (figure :bytes *profile*))
            :active (getf (mprof:status) :active)
            :warning warning
            :functions (mapcar #'function-line
                               (figure :functions *profile*))))))

(defun shown-row (name)
  "Return the row of the function NAME in the profile that Emacs shows."
  (or (and *profile* (row :functions name *profile*))
      (error "This profile is gone: g takes a new one")))

(defun arc-lines (arcs end)
  "Return a list of (NAME BYTES CALLS) for the functions at END of ARCS, a
keyword."
  (loop for arc in arcs
        collect (list (figure end arc) (figure :bytes arc)
                      (figure :calls arc))))

(defslimefun node (name)
  "Return the callers and callees of the function NAME, and the types that it
allocates itself."
  (answering
    (let ((row (shown-row name)))
      (list :callers (arc-lines (figure :callers row) :caller)
            :callees (arc-lines (figure :callees row) :callee)
            :types (loop for type in (figure :types row)
                         collect (list (figure :name type) (figure :bytes type)
                                       (figure :allocations type)))))))

;;; Sources.  SWANK knows where a form is in a buffer that is not saved, but not
;;; which of several methods is meant; mprof knows the line of each in its file.

(defun file-location (file line)
  "Return the LINE of FILE, a string or NIL; NIL if the file is missing."
  (let ((file (and file line (ignore-errors
                              (probe-file (mprof::absolute file))))))
    (and file
         `(:location (:file ,(mprof::string-of (mprof::file-name file)))
                     (:line ,line) nil))))

(defun read-name (name)
  "Return NAME, a string of the tables, as Lisp data, or NIL."
  (ignore-errors
   (with-standard-io-syntax
     (let ((*read-eval* nil)
           (*package* (find-package "COMMON-LISP-USER")))
       (read-from-string name)))))

(defun definition-name (name)
  "Return the name of the definition that contains the function NAME, data."
  (cond ((or (atom name) (eq (first name) 'setf)) name)
        ((member :in name) (definition-name (second (member :in name))))
        (t (second name))))

(defun definition-locations (name)
  "Return the locations of definitions of NAME, data, that SWANK finds."
  (and name
       (loop for (nil location) in (ignore-errors
                                    (swank/backend:find-definitions name))
             when (and (eq (first location) :location)
                       (member (first (second location)) '(:file :buffer)))
               collect location)))

(defun function-location (row)
  "Return the source location of the function of ROW, or NIL."
  (let* ((name (read-name (figure :name row)))
         (locations (definition-locations (definition-name name))))
    (or (and (atom name) (null (rest locations)) (first locations))
        (file-location (figure :file row) (figure :line row))
        (first locations))))

(defslimefun source (name)
  "Return the source location of the function NAME."
  (answering
    (or (function-location (shown-row name))
        (error "The source of ~A is not known" name))))

;;; Advice

(defun advice-location (advice profile)
  "Return the place that ADVICE on PROFILE is about, or NIL."
  (let ((row (row :functions (figure :name advice) profile)))
    (or (file-location (figure :file advice) (figure :line advice))
        (and row (function-location row)))))

(defslimefun advice ()
  "List the advice for the user's own work, the largest saving first."
  (answering
    (let ((profile (own-work (profile))))
      (loop for advice in (figure :advice profile)
            collect (list* :location (advice-location advice profile)
                           (loop for key in '(:name :saved-bytes :grade :rule
                                              :objects :calls :caller :fault
                                              :remedy :example :unknown)
                                 collect key
                                 collect (figure key advice)))))))

(provide "SWANK-MPROF")
