;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Deep stacks: a million frames, and stacks that overflow and are left.  And
;;;; a heap that is exhausted.  random/ has recursion and jumps of all kinds.
;;;;
;;;; How deep a stack may grow depends on where it begins, which no two
;;;; processes agree on, so there the program itself counts what it does; and
;;;; those chains do not go to the dump.

(in-package #:exact)

;;; The C stack overflows, three times over.  ECL signals STACK-OVERFLOW on
;;; top of the last frame, and HANDLER-CASE leaves them all.

(setf *dump-only* "AFTER-OVERFLOW")

(defvar *calls* 0)

(defun dive (n)
  (setf *calls* n)
  (when (zerop (mod n 1000))
    (keep (cells 1)))
  (1+ (dive (1+ n))))

(defun after-overflow (n)
  (keep (cells 3))
  n)

(defun dive-and-recover ()
  (handler-case (dive 1)
    (ext:stack-overflow () (after-overflow *calls*))))

(dive-and-recover)

(dotimes (i 3)
  (measuring ("the C stack overflows") (dive-and-recover)
    ;; and the runtime makes a string on top of the last call
    (let ((n (floor *calls* 1000)))
      (self 'dive (1+ n) (+ (* n +cons+) +string+)))
    ;; which was entered, but came to nothing
    (calls 'dive (1+ *calls*))
    (arc 'dive-and-recover 'dive 1)
    (conses-of 'dive-and-recover 'after-overflow 1 3)
    (no-arc 'dive 'after-overflow)
    (calls 'dive-and-recover 1)))

;;; Deep recursion.  What is allocated at the bottom and on the way back costs
;;; the same as at the top.

(defconstant +levels+ 1000000)

(setf *dump-only* "DESCEND")
(ext:set-limit 'ext:c-stack (* 120 1024 1024))

(defun descend (n)
  (cond ((zerop n) (keep (cells 5)) 0)
        (t (let ((depth (descend (1- n))))
             (when (zerop (mod n (floor +levels+ 4)))
               (keep (cells 2)))
             (1+ depth)))))

(defun descend-once ()
  (1- (descend +levels+)))

(measuring ("deep recursion") (descend-once)
  (calls 'descend (1+ +levels+))
  (arc 'descend 'descend +levels+)
  (conses-of 'descend-once 'descend 1 (+ 5 8)))

;;; A handler of STORAGE-EXHAUSTED runs inside the allocator that ran out of
;;; memory, allocates itself, and lets the allocator go on.

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

;; The first condition of a class fills caches of CLOS.
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
