;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; compare.lisp -- what changed from one profile to another.
;;;;
;;;; Functions and types are matched by name, call chains by the names of all
;;;; their functions.  Something found in only one profile counts as zero in the
;;;; other; something that did not change has no row.

(in-package #:mprof)

(defun title (difference)
  "Return the title of DIFFERENCE: a name, or the names of a call chain."
  (format nil "~{~A~^ > ~}" (or (data:chain difference)
                                (list (data:name difference)))))

(defun changes (old-allocations new-allocations old-bytes new-bytes)
  "Return a property list of these figures and of their changes."
  (list :old-allocations old-allocations :new-allocations new-allocations
        :allocations (- new-allocations old-allocations)
        :old-bytes old-bytes :new-bytes new-bytes
        :bytes (- new-bytes old-bytes)))

(defstruct (comparison (:include figures)
                       (:constructor make-comparison
                           (plist &aux (kind 'comparison)))
                       (:copier nil) (:predicate nil))
  "Two profiles and their differences; made by COMPARE-PROFILES.")

(defmethod describe-object ((comparison comparison) stream)
  (format stream "~&~S~%" comparison)
  (loop for (title rows) in `(("functions, by what they allocated themselves"
                               ,(data:functions comparison))
                              ("types" ,(data:types comparison)))
        do (format stream "~&~D ~A~%" (length rows) title)
           (format stream "~:{  ~15@A bytes ~12@A allocations  ~A~%~}"
                   (loop for row in rows
                         repeat 20
                         collect (list (format nil "~@D" (data:bytes row))
                                       (format nil "~@D" (data:allocations row))
                                       (data:name row))))
           (when (> (length rows) 20)
             (format stream "  ...~%"))))

(defun larger-change-p (a b)
  "True if the DIFFERENCE A comes before B.  The order is by the change of
bytes, up or down, then by the change of allocations, then by name."
  (flet ((key (difference)
           (list (- (abs (data:bytes difference)))
                 (- (abs (data:allocations difference))))))
    (loop for x in (key a)
          for y in (key b)
          unless (= x y)
            return (< x y)
          finally (return (string< (title a) (title b))))))

(defun differences (old new key allocations bytes)
  "Return a sorted list of the differences between the rows OLD and the rows
NEW.  KEY, ALLOCATIONS and BYTES are functions of a row.  Rows with EQUAL keys
are compared."
  (let ((pairs (make-hash-table :test #'equal)))
    (dolist (row old)
      (setf (gethash (funcall key row) pairs) (list row nil)))
    (dolist (row new)
      (let ((pair (gethash (funcall key row) pairs)))
        (if pair
            (setf (second pair) row)
            (setf (gethash (funcall key row) pairs) (list nil row)))))
    (flet ((value (reader row)
             (if row (funcall reader row) 0)))
      (sort (loop for (old new) being the hash-values of pairs
                  for row = (or new old)
                  for difference
                    = (make-figures
                       'difference
                       (list* :name (data:name row) :old old :new new
                              :chain (getf (figures-plist row) :chain)
                              (changes (value allocations old)
                                       (value allocations new)
                                       (value bytes old) (value bytes new))))
                  unless (and (zerop (data:bytes difference))
                              (zerop (data:allocations difference)))
                    collect difference)
            #'larger-change-p))))

(defun function-differences (old new &optional inclusive)
  "Return a sorted list of the differences by function between the profiles OLD,
which may be NIL, and NEW.  If INCLUSIVE is true, compare inclusive figures,
else self figures."
  (differences (and old (data:functions old)) (data:functions new)
               #'data:name
               (if inclusive #'data:allocations #'data:self-allocations)
               (if inclusive #'data:bytes #'data:self-bytes)))

(defun chain-totals (profile)
  "Return rows with the total allocations at the end of each call chain of
PROFILE."
  (let ((totals (make-hash-table :test #'equal)))
    (data:map-contexts
     (lambda (context)
       (let* ((path (chain-path (%context-chain context)))
              (total (or (gethash path totals)
                         (setf (gethash path totals) (list 0 0)))))
         (incf (first total) (data:allocations context))
         (incf (second total) (data:bytes context))))
     profile)
    (loop for path being the hash-keys of totals
            using (hash-value (allocations bytes))
          collect (make-figures 'chain-figures
                                (list :name (first path) :chain (reverse path)
                                      :allocations allocations :bytes bytes)))))

(defmethod data:contexts ((x comparison))
  (differences (chain-totals (data:old x)) (chain-totals (data:new x))
               #'data:chain #'data:allocations #'data:bytes))

(defun compare-profiles (old new &key inclusive)
  "Compare the profile NEW with the profile OLD.  Return an object of type
COMPARISON.

OLD, NEW: objects of type PROFILE, or files of profiles.
INCLUSIVE (boolean, default NIL): compare the inclusive figures of functions
instead of their self figures.

FUNCTIONS, TYPES and CONTEXTS of MPROF.DATA return lists of differences, the
largest change of bytes first; CONTEXTS has one for each call chain.  DESCRIBE
prints the first two lists.  BYTES and ALLOCATIONS return the total increase.

Signals the conditions of PROFILE.

Example: did the change help?

   (mprof:with-profiling (:report nil) (old-way))
   (defvar *before* (mprof:profile))
   (mprof:with-profiling (:report nil) (new-way))
   (describe (mprof:compare-profiles *before* (mprof:profile)))"
  (let ((old (if (typep old 'profile) old (profile old)))
        (new (if (typep new 'profile) new (profile new))))
    (make-comparison
     (list* :old old :new new
            :functions (function-differences old new inclusive)
            :types (differences (data:types old) (data:types new)
                                (lambda (type)
                                  (list (data:category type) (data:type type)
                                        (data:class type)))
                                #'data:allocations #'data:bytes)
            (changes (data:allocations old) (data:allocations new)
                     (data:bytes old) (data:bytes new))))))
