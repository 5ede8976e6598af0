;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; contexts.lisp -- walk over all call chains of a profile.
;;;;
;;;; There may be very many contexts, so they are not kept.  The C library
;;;; writes them each time: each name once, everything else as integers
;;;; (export_lisp_contexts.c), which PARSE-INTEGER reads twenty times as fast as
;;;; READ.  Paths share their tails, so a path costs one cons.

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

(defun decoded (data)
  "Return DATA, a string or a list, with its octets decoded to strings."
  (typecase data
    (string (string-of data))
    (list (mapcar #'decoded data))
    (t data)))

(defun number-reader (octets position)
  "Return a function that returns the next integer in OCTETS, a base string, at
each call, starting at POSITION."
  (lambda ()
    (multiple-value-bind (number end)
        (parse-integer octets :start position :junk-allowed t)
      (setf position end)
      number)))

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
      ;; The order of evaluation is the order of the numbers.
      (let* ((next (number-reader octets position))
             (functions (coerce functions 'vector))
             (types (coerce (type-rows types) 'vector))
             (phases (map 'vector #'phase-keyword phases))
             (threads (coerce threads 'vector))
             (paths (make-array (1+ nodes) :initial-element '()))
             (all-chains (make-array chains)))
        (flet ((next-of (vector)
                 (svref vector (funcall next))))
          (loop for node from 1 to nodes
                do (let ((up (next-of paths)))
                     (setf (svref paths node) (cons (next-of functions) up))))
          (dotimes (i chains)
            (setf (svref all-chains i)
                  (make-chain :path (next-of paths) :phase (next-of phases)
                              :thread (next-of threads)
                              :calls (let ((calls (funcall next)))
                                       (if (= calls -1) nil calls)))))
          (dotimes (i contexts)
            (funcall function
                     (make-context-figures
                      :chain (next-of all-chains) :type (next-of types)
                      :size (let ((size (funcall next)))
                              (case size
                                (-1 :large) (-2 :grown) (-3 :unknown)
                                (t size)))
                      :allocations (funcall next) :bytes (funcall next)
                      :samples (loop repeat (funcall next)
                                     collect (funcall next))))))))))

(defun data:map-contexts (function profile)
  "Call FUNCTION on each context of PROFILE, the largest bytes first.

FUNCTION: a function of one argument, a context: the objects of one type and one
size that were allocated at the end of one call chain, in one phase and one
thread.  See FIGURE.

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
