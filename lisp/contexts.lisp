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

(defstruct (chain (:copier nil) (:predicate nil))
  "A call chain in one phase and one thread, shared by contexts that differ in
type or size.  PATH is a list of names, leaf first; its tails are the paths of
the callers."
  path phase thread calls)

(defstruct (context-figures (:conc-name %context-) (:copier nil)
                            (:predicate nil))
  "The objects of one type and one size that were allocated at the end of one
call chain, in one phase and one thread."
  chain type size allocations bytes
  samples)                              ; their numbers, for PROFILE

(defmethod data:figure (key (x context-figures))
  (let ((chain (%context-chain x)))
    (case key
      (:allocations (%context-allocations x))
      (:bytes (%context-bytes x))
      (:size (%context-size x))
      (:chain (reverse (chain-path chain)))
      (:name (first (chain-path chain)))
      (:calls (chain-calls chain))
      (:phase (chain-phase chain))
      (:thread (chain-thread chain))
      (t (data:figure key (%context-type x))))))

(defmethod print-object ((x context-figures) stream)
  (print-unreadable-object (x stream :type t)
    (format stream "~{~A~^ > ~}: ~A ~D allocations, ~D bytes"
            (data:figure :chain x) (data:figure :name (%context-type x))
            (%context-allocations x) (%context-bytes x))))

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

(defun decoded (data)
  "Return DATA, a string or a list, with its octets decoded to strings."
  (typecase data
    (string (string-of data))
    (list (mapcar #'decoded data))
    (t data)))

(defun map-contexts-in (function octets)
  "Call FUNCTION on each context in OCTETS, the output of `mprof export
--format=lisp-contexts'."
  (multiple-value-bind (header position)
      (with-standard-io-syntax
        (let ((*read-eval* nil))
          (read-from-string octets)))
    (destructuring-bind (&key nodes chains contexts functions types phases
                           threads)
        (decoded (rest header))
      (let* ((next (make-number-reader octets position))
             (paths (read-paths next (coerce functions 'vector) nodes))
             (chains (read-chains next paths (map 'vector #'phase-keyword phases)
                                  (coerce threads 'vector) chains))
             (types (coerce (type-rows types) 'vector)))
        (dotimes (i contexts)
          (funcall function (read-context next chains types)))))))

(defun data:map-contexts (function profile)
  "Call FUNCTION on each context of PROFILE, the largest bytes first.

FUNCTION: a function of one argument, a context.  A context holds the objects of
one type and one size that were allocated at the end of one call chain, in one
phase and one thread: see FIGURE.  The bytes of all contexts add up to those of
PROFILE.

The contexts are made during the walk, so those that FUNCTION does not keep can
be collected.  FUNCTION may end the walk by a non-local exit.

Example: which chains allocated large objects?

   (mprof.data:map-contexts (lambda (context)
                              (when (eq (mprof.data:figure :size context)
                                        :large)
                                (print (mprof.data:figure :chain context))))
                            (mprof:profile))"
  (call-with-export (lambda (octets)
                      (map-contexts-in function octets)
                      t)
                    profile "export" "--format=lisp-contexts")
  (values))
