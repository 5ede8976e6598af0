;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; compare.lisp -- what changed from one profile to another.
;;;;
;;;; Functions and types go by name, call chains by the names of all their
;;;; functions.  What is in one profile alone counts as
;;;; zero in the other; what did not change makes no row.

(in-package #:mprof)

(define-figures difference ("DIFFERENCE-" difference)
    "How much more, or less, a function allocated itself, or at the end of a call
chain, or how much more or less there is of a type, in one profile than in
another."
  (name "What DIFFERENCE is about: the name of a function, or of a type or class;
a string; of a call chain its last function.")
  (functions "The call chain that DIFFERENCE is about: a list of names of
functions, strings, the root first; NIL when it is not about one.")
  (old "The FUNCTION-FIGURES or TYPE-FIGURES of DIFFERENCE in the old profile;
NIL when it is not there, and for call chains.")
  (new "The FUNCTION-FIGURES or TYPE-FIGURES of DIFFERENCE in the new profile;
NIL when it is not there, and for call chains.")
  (old-allocations "How many objects DIFFERENCE had in the old profile; an
integer.")
  (new-allocations "How many objects DIFFERENCE has in the new profile; an
integer.")
  (old-bytes "How many bytes DIFFERENCE had in the old profile; an integer.")
  (new-bytes "How many bytes DIFFERENCE has in the new profile; an integer."))

(defun difference-allocations (difference)
  "By how many objects DIFFERENCE grew from the old profile to the new one; an
integer, negative when they became fewer."
  (- (difference-new-allocations difference)
     (difference-old-allocations difference)))

(defun difference-bytes (difference)
  "By how many bytes DIFFERENCE grew from the old profile to the new one; an
integer, negative when they became fewer."
  (- (difference-new-bytes difference) (difference-old-bytes difference)))

(defun difference-title (difference)
  "What DIFFERENCE is about, as it shows: a name, or the names of a call chain."
  (if (difference-functions difference)
      (format nil "~{~A~^ > ~}" (difference-functions difference))
      (difference-name difference)))

(defmethod print-object ((difference difference) stream)
  (print-unreadable-object (difference stream :type t)
    (format stream "~A ~@D bytes (~D to ~D), ~@D allocations"
            (difference-title difference) (difference-bytes difference)
            (difference-old-bytes difference)
            (difference-new-bytes difference)
            (difference-allocations difference))))

(define-figures comparison ("COMPARISON-" comparison)
    "Two profiles and what changed between them; COMPARE-PROFILES makes one."
  (old "The old PROFILE of COMPARISON.")
  (new "The new PROFILE of COMPARISON.")
  (functions "The functions that changed in COMPARISON, as a list of DIFFERENCE,
the largest change of bytes first, up or down.")
  (types "The types and classes of which there is more or less in COMPARISON, as
a list of DIFFERENCE, the largest change of bytes first, up or down."))

(defun comparison-allocations (comparison)
  "How many more objects the new profile of COMPARISON counts; an integer."
  (- (profile-allocations (comparison-new comparison))
     (profile-allocations (comparison-old comparison))))

(defun comparison-bytes (comparison)
  "How many more bytes the new profile of COMPARISON counts; an integer."
  (- (profile-bytes (comparison-new comparison))
     (profile-bytes (comparison-old comparison))))

(defmethod print-object ((comparison comparison) stream)
  (print-unreadable-object (comparison stream :type t)
    (format stream "~@D bytes, ~@D allocations; ~D functions and ~D types ~
                    changed"
            (comparison-bytes comparison)
            (comparison-allocations comparison)
            (length (comparison-functions comparison))
            (length (comparison-types comparison)))))

(defmethod describe-object ((comparison comparison) stream)
  (format stream "~&~S~%" comparison)
  (loop for (title rows) in `(("functions, by what they allocated themselves"
                               ,(comparison-functions comparison))
                              ("types" ,(comparison-types comparison)))
        do (format stream "~&~D ~A~%" (length rows) title)
           (format stream "~:{  ~15@A bytes ~12@A allocations  ~A~%~}"
                   (loop for row in rows
                         repeat 20
                         collect (list (format nil "~@D"
                                               (difference-bytes row))
                                       (format nil "~@D"
                                               (difference-allocations row))
                                       (difference-title row))))
           (when (> (length rows) 20)
             (format stream "  ...~%"))))

(defun larger-change-p (a b)
  "True when the DIFFERENCE A comes before B: by the change of bytes, up or down,
then of allocations, then by name."
  (flet ((key (difference)
           (list (- (abs (difference-bytes difference)))
                 (- (abs (difference-allocations difference))))))
    (loop for x in (key a)
          for y in (key b)
          unless (= x y)
            return (< x y)
          finally (return (string< (difference-title a)
                                   (difference-title b))))))

(defun differences (old new key allocations bytes)
  "A sorted list of DIFFERENCE for what changed from the rows OLD to the rows
NEW.  KEY, ALLOCATIONS and BYTES are functions of a row; what KEY gives is a
list of strings and NIL, the last one that is not NIL being the name."
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
      (sort (loop for key being the hash-keys of pairs
                    using (hash-value (old new))
                  for difference
                    = (make-difference
                       :name (find nil key :test-not #'eq :from-end t)
                       :old old :new new
                       :old-allocations (value allocations old)
                       :new-allocations (value allocations new)
                       :old-bytes (value bytes old)
                       :new-bytes (value bytes new))
                  unless (and (zerop (difference-bytes difference))
                              (zerop (difference-allocations difference)))
                    collect difference)
            #'larger-change-p))))

(defun function-differences (old new &optional inclusive)
  "A sorted list of DIFFERENCE for what functions allocated, themselves or
INCLUSIVE of all below them, in the profile NEW and not in OLD, which may be NIL."
  (differences (and old (profile-functions old)) (profile-functions new)
               (lambda (function)
                 (list (function-name function)))
               (if inclusive
                   #'function-inclusive-allocations
                   #'function-self-allocations)
               (if inclusive
                   #'function-inclusive-bytes
                   #'function-self-bytes)))

(defun chain-totals (profile)
  "What was allocated at the end of each call chain of PROFILE, whatever it was: a
hash table of lists of names, the last function first, and (ALLOCATIONS .
BYTES)."
  (let ((totals (make-hash-table :test #'equal)))
    (map-contexts
     (lambda (context)
       (let* ((path (chain-path (%context-chain context)))
              (total (or (gethash path totals)
                         (setf (gethash path totals) (cons 0 0)))))
         (incf (car total) (context-allocations context))
         (incf (cdr total) (context-bytes context))))
     profile)
    totals))

(defun comparison-contexts (comparison)
  "The call chains at whose end more or less was allocated in COMPARISON, as a
fresh list of DIFFERENCE, the largest change of bytes first, up or down.
DIFFERENCE-FUNCTIONS gives the chain of each."
  (let* ((old (chain-totals (comparison-old comparison)))
         (new (chain-totals (comparison-new comparison)))
         (paths '())
         (none '(0 . 0)))
    (maphash (lambda (path total) (declare (ignore total)) (push path paths))
             old)
    (maphash (lambda (path total)
               (declare (ignore total))
               (unless (gethash path old) (push path paths)))
             new)
    (sort (loop for path in paths
                for before = (gethash path old none)
                for after = (gethash path new none)
                unless (equal before after)
                  collect (make-difference
                           :name (first path) :functions (reverse path)
                           :old-allocations (car before)
                           :new-allocations (car after)
                           :old-bytes (cdr before) :new-bytes (cdr after)))
          #'larger-change-p)))

(defun as-profile (profile)
  "PROFILE if it is one, else the profile of that file."
  (if (typep profile 'profile)
      profile
      (profile profile)))

(defun compare-profiles (old new &key inclusive)
  "What changed from the profile OLD to the profile NEW: an object of type
COMPARISON.

OLD, NEW: objects that the function PROFILE gave back, or files of profiles.
INCLUSIVE (boolean, default NIL): compare what functions and all below them
allocated, not what they allocated themselves.

COMPARISON-FUNCTIONS, COMPARISON-TYPES and COMPARISON-CONTEXTS (by call chain)
give lists of DIFFERENCE, the largest change of bytes first; DESCRIBE prints the
first two.  COMPARISON-BYTES and
COMPARISON-ALLOCATIONS say how much more there is in all.

Signals what PROFILE signals.

Example: did the change help?

   (let ((before (progn (mprof:with-profiling (:report nil) (old-way))
                        (mprof:profile)))
         (after (progn (mprof:with-profiling (:report nil) (new-way))
                       (mprof:profile))))
     (describe (mprof:compare-profiles before after)))"
  (let ((old (as-profile old))
        (new (as-profile new)))
    (make-comparison
     :old old :new new
     :functions (function-differences old new inclusive)
     :types (differences (profile-types old) (profile-types new)
                         (lambda (type)
                           (list (type-category type) (type-name type)
                                 (type-class type)))
                         #'type-allocations #'type-bytes))))
