;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; A handler of STORAGE-EXHAUSTED runs inside the allocator that ran out of
;;;; memory, allocates itself, and lets the allocator go on.

(in-package #:exact)

;; Whether the memory ends at the header of an array or at its elements
;; depends on how the heap has grown, and so do the chains below the
;; allocators.
(setf *dump-only* "EXACT::MAKE-ARRAYS;CONS")

(defvar *handled* 0)
(defvar *arrays* '())

(defun note-exhaustion ()
  (push (list 1 2 3) *arrays*)
  (incf *handled*))

(defun make-arrays (n)
  (dotimes (i n)
    (push (make-array 1000) *arrays*)))

(defun exhaust (n)
  (handler-bind ((ext:storage-exhausted
                   (lambda (condition)
                     (declare (ignore condition))
                     (note-exhaustion)
                     (invoke-restart 'continue))))
    (make-arrays n)))

;;; The first condition of a class fills caches of CLOS.

(ext:set-limit 'ext:heap-size (* 40 1024 1024))
(exhaust 10000)
(setf *handled* 0)

(measuring ("handlers of storage exhaustion") (exhaust 20000)
  (check "storage was exhausted" t (plusp *handled*))
  (calls 'note-exhaustion *handled*)
  (inclusive 'note-exhaustion (* 4 *handled*) (* 4 *handled* +cons+))
  (type-total "(SIMPLE-ARRAY T)" 20000 (* 20000 (+ +vector+ (* 1000 +word+))))
  (arc 'exhaust 'make-arrays 1))

(ext:set-limit 'ext:heap-size 0)
