;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; contexts.lisp -- walk over all call chains of a profile.
;;;;
;;;; There may be very many contexts, so they are not kept.  The C library
;;;; writes them each time: each name once, everything else as integers
;;;; (export_lisp_contexts.c).  The integers are read here digit by digit,
;;;; twenty times as fast as by READ.  Paths share their tails, so a path costs
;;;; one cons.

(in-package #:mprof)

(defun make-number-reader (octets position)
  "Return a function that returns the next integer in OCTETS, a base string, at
each call, starting at POSITION."
  (declare (type simple-base-string octets) (type fixnum position)
           (optimize (speed 3) (safety 0)))
  (let ((end (length octets)))
    (declare (type fixnum end))
    (flet ((blank-p ()
             (char<= (schar octets position) #\Space)))
      (declare (inline blank-p))
      (lambda ()
        (loop while (and (< position end) (blank-p))
              do (incf position))
        (let ((start position)
              (number 0))
          (declare (type fixnum start number))
          (loop until (or (>= position end) (blank-p))
                do (setf number (+ (the fixnum (* number 10))
                                   (- (char-code (schar octets position)) 48)))
                   (incf position))
          (if (or (char= (schar octets start) #\-) (> (- position start) 17))
              (parse-integer octets :start start :end position)
              number))))))

;;; The order of evaluation below is the order of the numbers.

(defun read-paths (next functions count)
  "Read the COUNT nodes of all paths from NEXT, a number reader.  Return a
vector of paths: lists of elements of the vector FUNCTIONS, leaf first."
  (declare (type function next) (type simple-vector functions)
           (type fixnum count) (optimize (speed 2)))
  (let ((paths (make-array (1+ count) :initial-element '())))
    (loop for node from 1 to count
          do (let ((up (svref paths (funcall next))))
               (setf (svref paths node)
                     (cons (svref functions (funcall next)) up))))
    paths))

(defun read-chains (next paths phases threads count)
  "Read COUNT chains from NEXT, a number reader.  Return them in a vector."
  (declare (type function next) (type simple-vector paths phases threads)
           (type fixnum count) (optimize (speed 2)))
  (let ((chains (make-array count)))
    (dotimes (i count chains)
      (setf (svref chains i)
            (make-chain :path (svref paths (funcall next))
                        :phase (svref phases (funcall next))
                        :thread (svref threads (funcall next))
                        :calls (let ((calls (funcall next)))
                                 (if (= calls -1) nil calls)))))))

(defun read-context (next chains types)
  "Read one CONTEXT-FIGURES from NEXT, a number reader."
  (declare (type function next) (type simple-vector chains types)
           (optimize (speed 2)))
  (make-context-figures :chain (svref chains (funcall next))
                        :type (svref types (funcall next))
                        :size (let ((size (funcall next)))
                                (case size
                                  (-1 :large) (-2 :grown) (-3 :unknown)
                                  (t size)))
                        :allocations (funcall next) :bytes (funcall next)
                        :samples (loop repeat (funcall next)
                                       collect (funcall next))))

(defun decoded (plist)
  "Return PLIST with its octets decoded to strings."
  (loop for value in plist
        collect (if (stringp value) (c:string-of value) value)))

(defun map-contexts-in (function octets)
  "Call FUNCTION on each context in OCTETS, the output of `mprof export
--format=lisp-contexts'."
  (multiple-value-bind (header position)
      (with-standard-io-syntax
        (let ((*read-eval* nil))
          (read-from-string octets)))
    (destructuring-bind (tag &key nodes chains contexts functions types phases
                         threads)
        header
      (assert (eq tag :mprof-contexts))
      (flet ((names (strings)
               (map 'vector #'c:string-of strings)))
        (let* ((next (make-number-reader octets position))
               (paths (read-paths next (names functions) nodes))
               (chains (read-chains next paths
                                    (map 'vector #'phase-keyword phases)
                                    (names threads) chains))
               (types (coerce (type-rows (mapcar #'decoded types)) 'vector)))
          (dotimes (i contexts)
            (funcall function (read-context next chains types))))))))

(defun data:map-contexts (function profile)
  "Call FUNCTION on each context of PROFILE, the largest bytes first.

FUNCTION: a function of one argument, a context.  A context holds the objects of
one type and one size that were allocated at the end of one call chain, in one
phase and one thread.  CHAIN, TYPE, BYTES and so on read it.  The bytes of all
contexts add up to those of PROFILE.

The contexts are made during the walk, so those that FUNCTION does not keep can
be collected.  FUNCTION may end the walk by a non-local exit.

Example: which chains allocated large objects?

   (mprof.data:map-contexts (lambda (context)
                              (when (eq (mprof.data:size context) :large)
                                (print (mprof.data:chain context))))
                            (mprof:profile))"
  (call-with-export (lambda (octets)
                      (map-contexts-in function octets)
                      t)
                    profile "export" "--format=lisp-contexts")
  (values))

(defmethod data:contexts ((x profile))
  (let ((contexts '()))
    (data:map-contexts (lambda (context) (push context contexts)) x)
    (nreverse contexts)))

;;; Filtering

(defun sample-vector (numbers)
  "Return NUMBERS, a list, in the form that the bindings take."
  (coerce (append numbers '(0)) '(simple-array (unsigned-byte 64) (*))))

(defun contexts-samples (profile predicate)
  "Return the numbers of the samples in the contexts of PROFILE that satisfy
PREDICATE, in the form that the bindings take."
  (let ((samples '()))
    (data:map-contexts (lambda (context)
                         (when (funcall predicate context)
                           (setf samples (append (%context-samples context)
                                                 samples))))
                       profile)
    (sample-vector samples)))

(defun threads-of (profile regex)
  "Return the names of the threads of PROFILE that match REGEX."
  (mapcar #'data:name
          (data:threads (make-instance 'profile
                                       :source (profile-source profile)
                                       :choices (list :thread regex)))))

(defun narrowed (profile keyword old new)
  "Return the value for KEYWORD that selects the intersection of what OLD and
NEW select; NIL if it is empty.  Return NEW for keywords without such a value."
  (case keyword
    ((:ignore :hide) (format nil "(~A)|(~A)" old new))
    ((:phase :category) (intersection (ensure-list old) (ensure-list new)))
    (:thread (let ((names (intersection (threads-of profile old)
                                        (threads-of profile new)
                                        :test #'string=)))
               (and names (exact-regex names))))
    (t new)))

(define-choosing filter-profile (profile &key predicate) (:part)
  "Return a part of PROFILE, or another view of it, as a new object of type
PROFILE.  PROFILE is not modified.

PREDICATE (function, default NIL): keep only the contexts that satisfy it.  It
is called on each context selected by the choices; see MPROF.DATA:MAP-CONTEXTS.
~A
The choices are combined with those of PROFILE: the result has what both select.
SHOW, SHOW-FROM and BY replace those of PROFILE.

All figures are recomputed from the remaining call chains.  Calls are those of
the remaining functions and arcs, whatever was allocated below them.  REPORT
prints the result and SAVE writes it, as for any profile.

Signals MPROF-ERROR for invalid choices.

Example: only the large objects made by the parser.

   (mprof:filter-profile (mprof:profile) :focus \"^APP::PARSE\"
                         :predicate (lambda (context)
                                      (eq :large (mprof.data:size context))))"
  (let ((both (copy-list (profile-choices profile)))
        (new (chosen :part choices))
        (samples (profile-samples profile)))
    ;; A chain may have to match two expressions; there is no third one that
    ;; says so, but what the first left can be counted.
    (when (some (lambda (keyword)
                  (and (getf both keyword) (getf new keyword)))
                '(:focus :region :object-type))
      (setf samples (contexts-samples profile (constantly t))))
    (loop for (keyword value) on new by #'cddr
          for old = (getf both keyword)
          do (when old
               (setf value (narrowed profile keyword old value))
               (unless value
                 (setf samples (sample-vector '()))))
             (setf (getf both keyword) value))
    (flet ((part (samples)
             (let ((part (make-instance 'profile
                                        :source (profile-source profile)
                                        :choices both :samples samples)))
               (figures part)           ; signals invalid choices now
               part)))
      (if predicate
          (part (contexts-samples (part samples) predicate))
          (part samples)))))
