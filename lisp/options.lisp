;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; options.lisp -- the options of the command mprof, as keywords.
;;;;
;;;; Every option of a command is a keyword of the function that does the same:
;;;; `--by=package' is :BY :PACKAGE, `--verbose' is :VERBOSE T.  The command's
;;;; own table checks names and values, and messages are those of the command.

(in-package #:mprof)

(defun selecting-p (keyword)
  "True if the option KEYWORD selects a part of a profile.  The profile that
REPORT returns keeps such options."
  (member keyword '(:focus :ignore :hide :show :show-from :system :by
                    :from :to :phase :thread :region :label :type :category
                    :value)))

(defun options-if (predicate options)
  "Return the part of OPTIONS, a property list, whose keywords satisfy
PREDICATE."
  (loop for (keyword value) on options by #'cddr
        when (funcall predicate keyword)
          collect keyword and collect value))

(defun ensure-list (value)
  "Return VALUE if it is a list, else a list of VALUE."
  (if (listp value) value (list value)))

(defun file-name (file)
  "Return the absolute name of FILE, a pathname designator, for the C side."
  (let ((pathname (merge-pathnames (translate-logical-pathname file))))
    (coerce (si:coerce-to-filename pathname) 'simple-string)))

(defun option (keyword value)
  "Return the option KEYWORD of the command mprof with VALUE, a string: T stands
for an option without a value, a symbol for its name in lower case, and a list
for values with commas between them."
  (flet ((text (value)
           (typecase value
             (pathname (file-name value))
             (symbol (string-downcase value))
             ((or ratio float) (format nil "~,4F" value))
             (t (format nil "~D" value)))))
    (with-standard-io-syntax
      (let ((*print-readably* nil))
        (format nil "--~(~A~)~@[=~{~A~^,~}~]" keyword
                (unless (eq value t)
                  (mapcar #'text (ensure-list value))))))))

(defun chosen (options)
  "Return the part of OPTIONS, a property list, that is for the command."
  (loop for (keyword value) on options by #'cddr
        when (and value (not (member keyword '(:stream :profile :collect
                                               :holders :predicate))))
          collect keyword and collect value))
