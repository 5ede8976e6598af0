;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; contexts.lisp -- walk over all call chains of a profile.
;;;;
;;;; There may be very many, so they are not kept: the C library writes them
;;;; each time, names once and all else as integers (export_lisp_contexts.c),
;;;; and these are read here digit by digit, twenty times as fast as by READ.
;;;; Paths share their tails, so that a path costs one cons.

(in-package #:mprof)

(defun make-number-reader (octets position)
  "A function that gives back the integers that stand in OCTETS, a base string,
from POSITION on, one a call."
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

;;; Here the order of evaluation is that of the numbers.

(defun read-paths (next functions count)
  "A vector of the paths that NEXT, a number reader, gives the COUNT nodes of:
lists of elements of the vector FUNCTIONS, leaf first."
  (declare (type function next) (type simple-vector functions)
           (type fixnum count) (optimize (speed 2)))
  (let ((paths (make-array (1+ count) :initial-element '())))
    (loop for node from 1 to count
          do (let ((up (svref paths (funcall next))))
               (setf (svref paths node)
                     (cons (svref functions (funcall next)) up))))
    paths))

(defun read-chains (next paths phases threads count)
  "A vector of the COUNT chains that NEXT, a number reader, gives."
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
  "The CONTEXT-FIGURES that NEXT, a number reader, gives."
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
  "PLIST with strings for the octets in it."
  (loop for value in plist
        collect (if (stringp value) (c:string-of value) value)))

(defun map-contexts-in (function octets)
  "Call FUNCTION on each context in OCTETS: what `mprof export
--format=lisp-contexts' wrote."
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

FUNCTION: a function of one argument, a context: a whole call chain with what
was allocated at its end of one type and one size, in one phase and one thread.
CHAIN, TYPE, BYTES and so on say which.  The bytes of all contexts add up to
those of PROFILE.

The contexts are made as the walk goes on, so those that FUNCTION does not keep
take no memory.  A loop can be left by RETURN-FROM.

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

;;; Choosing

(defun sample-vector (numbers)
  "NUMBERS, a list, as the bindings take them."
  (coerce (append numbers '(0)) '(simple-array (unsigned-byte 64) (*))))

(defun contexts-samples (profile predicate)
  "The numbers of the samples in the contexts of PROFILE that PREDICATE is true
of, as the bindings take them."
  (let ((samples '()))
    (data:map-contexts (lambda (context)
                         (when (funcall predicate context)
                           (setf samples (append (%context-samples context)
                                                 samples))))
                       profile)
    (sample-vector samples)))

(defun threads-of (profile regex)
  "The names of the threads of PROFILE that REGEX matches."
  (mapcar #'data:name
          (data:threads (make-instance 'profile
                                       :source (profile-source profile)
                                       :choices (list :thread regex)))))

(defun narrowed (profile keyword old new)
  "The value for KEYWORD that chooses what both OLD and NEW do; NIL when nothing
is left.  For those that have no such value, NEW."
  (case keyword
    ((:ignore :hide) (format nil "(~A)|(~A)" old new))
    ((:phase :category) (intersection (ensure-list old) (ensure-list new)))
    (:thread (let ((names (intersection (threads-of profile old)
                                        (threads-of profile new)
                                        :test #'string=)))
               (and names (exact-regex names))))
    (t new)))

(define-choosing filter-profile (profile &key predicate) (:part)
  "A part of PROFILE, or another view of it, as a new PROFILE; PROFILE stays as
it is.

PREDICATE (function, default NIL): keep only the contexts for which it is true;
it is called on each context that the choices leave: see
MPROF.DATA:MAP-CONTEXTS.
~A
They come on top of those that PROFILE was made with: what is left is in both.
SHOW, SHOW-FROM and BY take the place of those.

All figures are reckoned anew from the call chains that are left; calls are
those of functions and arcs that are left, whatever was allocated below them.
The result can be printed by REPORT and written by SAVE like any profile.

Signals MPROF-ERROR for choices that make no sense.

Example: only large objects that the parser made.

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
               (figures part)           ; what makes no sense is said now
               part)))
      (if predicate
          (part (contexts-samples (part samples) predicate))
          (part samples)))))
