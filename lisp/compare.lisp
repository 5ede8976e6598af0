;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; compare.lisp -- what changed from one profile to another.
;;;;
;;;; Functions and types are matched by name, call chains by all their names.  A
;;;; row of only one profile is zero in the other; unchanged rows are left out.

(in-package #:mprof)

(defun changes (old new allocations bytes)
  "Return the figures ALLOCATIONS and BYTES of OLD and of NEW, each a row, a
profile or NIL, and their changes: a property list."
  (loop for (figure old-key new-key key)
          in `((,allocations :old-allocations :new-allocations :allocations)
               (,bytes :old-bytes :new-bytes :bytes))
        for before = (if old (data:figure figure old) 0)
        for after = (if new (data:figure figure new) 0)
        append (list old-key before new-key after key (- after before))))

(defstruct (comparison (:include figures)
                       (:constructor make-comparison
                           (plist &aux (kind 'comparison)))
                       (:copier nil) (:predicate nil))
  "Two profiles and their differences; made by COMPARE-PROFILES.")

(defmethod print-object ((x comparison) stream)
  (print-unreadable-object (x stream)
    (format stream "comparison ~@D bytes, ~@D allocations; ~D functions and ~D ~
                    types changed"
            (data:figure :bytes x) (data:figure :allocations x)
            (length (data:figure :functions x))
            (length (data:figure :types x)))))

(defmethod describe-object ((comparison comparison) stream)
  (format stream "~&~S~%" comparison)
  (loop for (key title) in '((:functions
                              "functions, by what they allocated themselves")
                             (:types "types"))
        for rows = (data:figure key comparison)
        do (format stream "~&~D ~A~%" (length rows) title)
           (print-rows rows 20 stream "  ~15@D bytes ~12@D allocations  ~A~%")
           (when (> (length rows) 20)
             (format stream "  ...~%"))))

(defun differences (old new &key (key (data:reader :name))
                              (allocations :allocations) (bytes :bytes))
  "Return the differences between the rows OLD and the rows NEW, sorted by the
change of bytes, up or down, then by that of allocations, then by name.  KEY is a
function of a row, ALLOCATIONS and BYTES are figures.  Rows with EQUAL keys are
compared."
  (let ((pairs (make-hash-table :test #'equal)))
    (flet ((add (row side)
             (setf (getf (gethash (funcall key row) pairs) side) row))
           (larger-p (a b)
             (loop for figure in '(:bytes :allocations)
                   for difference = (- (abs (data:figure figure a))
                                       (abs (data:figure figure b)))
                   unless (zerop difference)
                     return (plusp difference)
                   finally (return (string< (data:figure :name a)
                                            (data:figure :name b))))))
      (dolist (row old) (add row :old))
      (dolist (row new) (add row :new))
      (sort
       (loop for pair being the hash-values of pairs
                  for old = (getf pair :old)
                  for new = (getf pair :new)
                  for row = (figures-plist (or new old))
                  for changes = (changes old new allocations bytes)
                  unless (and (zerop (getf changes :bytes))
                              (zerop (getf changes :allocations)))
                    collect (make-figures
                             'difference
                             (list* :name (getf row :name) :old old :new new
                                    :chain (getf row :chain) changes)))
       #'larger-p))))

(defun chain-totals (profile)
  "Return rows with the total allocations at the end of each chain of PROFILE."
  (let ((totals (make-hash-table :test #'equal)))
    (data:map-contexts
     (lambda (context)
       (let* ((path (rest (context-chain context)))
              (total (or (gethash path totals)
                         (setf (gethash path totals) (list 0 0)))))
         (incf (first total) (data:figure :allocations context))
         (incf (second total) (data:figure :bytes context))))
     profile)
    (loop for path being the hash-keys of totals
            using (hash-value (allocations bytes))
          for chain = (reverse path)
          collect (make-figures 'chain-figures
                                (list :name (format nil "~{~A~^ > ~}" chain)
                                      :chain chain
                                      :allocations allocations :bytes bytes)))))

(defmethod data:figure (key (x comparison))
  (if (eq key :contexts)
      (differences (chain-totals (data:figure :old x))
                   (chain-totals (data:figure :new x))
                   :key (data:reader :chain))
      (call-next-method)))

(defun compare-profiles (old new &key inclusive)
  "Compare the profile NEW with the profile OLD.  Return an object of type
COMPARISON.

OLD, NEW: objects of type PROFILE, or files of profiles.
INCLUSIVE (boolean, default NIL): compare the inclusive figures of functions
instead of their self figures.

MPROF.DATA:FIGURE describes its figures.  DESCRIBE prints the differences by
function and by type, the largest change of bytes first.

Signals the conditions of LOAD-PROFILE.

Example: did the change help?

   (mprof:with-profiling (:report nil) (old-way))
   (defvar *before* (mprof:load-profile))
   (mprof:with-profiling (:report nil) (new-way))
   (describe (mprof:compare-profiles *before* (mprof:load-profile)))"
  (let ((old (open-profile old '()))
        (new (open-profile new '())))
    (make-comparison
     (list* :old old :new new
            :functions (differences
                        (data:figure :functions old)
                        (data:figure :functions new)
                        :allocations (if inclusive
                                         :allocations
                                         :self-allocations)
                        :bytes (if inclusive :bytes :self-bytes))
            :types (differences (data:figure :types old)
                                (data:figure :types new)
                                :key (lambda (type)
                                       (list (data:figure :category type)
                                             (data:figure :type type)
                                             (data:figure :class type))))
            (changes old new :allocations :bytes)))))
