;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; compare.lisp -- what changed from one profile to another.
;;;;
;;;; Functions and types go by name, call chains by the names of all their
;;;; functions.  What is in one profile alone counts as
;;;; zero in the other; what did not change makes no row.

(in-package #:mprof)

(define-figures difference
    "How much more, or less, a function allocated itself, or at the end of a
call chain, or how much more or less there is of a type, in one profile than in
another."
  data:name data:old data:new data:old-allocations data:new-allocations
  data:old-bytes data:new-bytes)

(defmethod data:chain ((x difference))
  (let ((row (or (data:new x) (data:old x))))
    (and (typep row 'chain-total) (data:chain row))))

(defmethod data:allocations ((x difference))
  (- (data:new-allocations x) (data:old-allocations x)))

(defmethod data:bytes ((x difference))
  (- (data:new-bytes x) (data:old-bytes x)))

(define-figures comparison
    "Two profiles and what changed between them; COMPARE-PROFILES makes one."
  data:old data:new data:functions data:types)

(defmethod data:allocations ((x comparison))
  (- (data:allocations (data:new x)) (data:allocations (data:old x))))

(defmethod data:bytes ((x comparison))
  (- (data:bytes (data:new x)) (data:bytes (data:old x))))

(defun difference-title (difference)
  "What DIFFERENCE is about, as it shows: a name, or the names of a call chain."
  (if (data:chain difference)
      (format nil "~{~A~^ > ~}" (data:chain difference))
      (data:name difference)))

(define-printers
  (difference "~A ~@D bytes (~D to ~D), ~@D allocations"
    (difference-title x) (data:bytes x) (data:old-bytes x) (data:new-bytes x)
    (data:allocations x))
  (comparison "~@D bytes, ~@D allocations; ~D functions and ~D types changed"
    (data:bytes x) (data:allocations x) (length (data:functions x))
    (length (data:types x))))

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
  "True when the DIFFERENCE A comes before B: by the change of bytes, up or
down, then of allocations, then by name."
  (flet ((key (difference)
           (list (- (abs (data:bytes difference)))
                 (- (abs (data:allocations difference))))))
    (loop for x in (key a)
          for y in (key b)
          unless (= x y)
            return (< x y)
          finally (return (string< (difference-title a)
                                   (difference-title b))))))

(defun differences (old new key allocations bytes)
  "A sorted list of DIFFERENCE for what changed from the rows OLD to the rows
NEW. KEY, ALLOCATIONS and BYTES are functions of a row; rows with an EQUAL key
are about the same."
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
                  for difference
                    = (make-difference
                       :name (data:name (or new old)) :old old :new new
                       :old-allocations (value allocations old)
                       :new-allocations (value allocations new)
                       :old-bytes (value bytes old)
                       :new-bytes (value bytes new))
                  unless (and (zerop (data:bytes difference))
                              (zerop (data:allocations difference)))
                    collect difference)
            #'larger-change-p))))

(defun function-differences (old new &optional inclusive)
  "A sorted list of DIFFERENCE for what functions allocated, themselves or
INCLUSIVE of all below them, in the profile NEW and not in OLD, which may be
NIL."
  (differences (and old (data:functions old)) (data:functions new)
               #'data:name
               (if inclusive #'data:allocations #'data:self-allocations)
               (if inclusive #'data:bytes #'data:self-bytes)))

(define-figures chain-total
    "What was allocated at the end of a call chain, whatever it was.  PATH is a
list of names, the last function first."
  path data:allocations data:bytes)

(defmethod data:name ((x chain-total))
  (first (path x)))

(defmethod data:chain ((x chain-total))
  (reverse (path x)))

(defun chain-totals (profile)
  "The call chains of PROFILE, a list of CHAIN-TOTAL."
  (let ((totals (make-hash-table :test #'equal)))
    (data:map-contexts
     (lambda (context)
       (let* ((path (chain-path (%context-chain context)))
              (total (or (gethash path totals)
                         (setf (gethash path totals)
                               (make-chain-total :path path :bytes 0
                                                 :allocations 0)))))
         (incf (%chain-total-allocations total) (data:allocations context))
         (incf (%chain-total-bytes total) (data:bytes context))))
     profile)
    (loop for total being the hash-values of totals
          collect total)))

(defmethod data:contexts ((x comparison))
  (differences (chain-totals (data:old x)) (chain-totals (data:new x))
               #'path #'data:allocations #'data:bytes))

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

FUNCTIONS, TYPES and CONTEXTS of MPROF.DATA (by call chain) give lists of
differences, the largest change of bytes first; DESCRIBE prints the first two.
BYTES and ALLOCATIONS say how much more there is in all.

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
     :types (differences (data:types old) (data:types new)
                         (lambda (type)
                           (list (data:category type) (data:type type)
                                 (data:class type)))
                         #'data:allocations #'data:bytes))))
