;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; contexts.lisp -- walk over all call chains of a profile.
;;;;
;;;; They are read one by one, as `mprof export --format=lisp' writes them.

(in-package #:mprof)

(defstruct (context (:include figures)
                    (:constructor make-context
                        (chain plist &aux (kind 'context)))
                    (:copier nil) (:predicate nil))
  "The objects of one type and one size that were allocated at the end of one
call chain, in one phase and one thread.  CHAIN is shared by the contexts of a
call chain: the calls of its last function, then the names, leaf first; their
tails are those of the callers."
  chain)

(defmethod data:figure (key (x context))
  (destructuring-bind (calls . path) (context-chain x)
    (case key
      (:chain (reverse path))
      (:name (first path))
      (:calls calls)
      (:phase (phase-keyword (call-next-method)))
      (t (call-next-method)))))

(defmethod print-object ((x context) stream)
  (print-unreadable-object (x stream)
    (format stream "context ~{~A~^ > ~}: ~A ~D allocations, ~D bytes"
            (data:figure :chain x)
            (or (data:figure :class x) (data:figure :type x))
            (data:figure :allocations x) (data:figure :bytes x))))

(defun next-row (stream)
  "Read a list that the C library wrote to STREAM, and decode its strings.
Return NIL at the end of the list that it is in."
  (when (char= (peek-char t stream) #\()
    (loop for element in (with-standard-io-syntax
                           (let ((*read-eval* nil))
                             (read stream)))
          collect (if (stringp element) (string-of element) element))))

(defun map-rows (function key stream)
  "Call FUNCTION on each row of the next list in STREAM that follows the line
KEY."
  (loop until (string= key (read-line stream)))
  (loop until (char= #\( (read-char stream)))
  (loop for row = (next-row stream)
        while row
        do (funcall function row)))

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
                            (mprof:load-profile))"
  (call-with-export
   (lambda (octets)
     (with-input-from-string (stream octets)
       (let ((chains (make-array 0 :adjustable t :fill-pointer t)))
         (map-rows (lambda (row)
                     (destructuring-bind (&key parent function calls) row
                       (vector-push-extend
                        (list* calls function
                               (and parent (rest (aref chains parent))))
                        chains)))
                   " :chains" stream)
         (map-rows (lambda (row)
                     (funcall function
                              (make-context (aref chains (getf row :chain))
                                            row)))
                   " :contexts" stream)
         t)))
   profile "export" "--format=lisp" "--tables=contexts")
  (values))
