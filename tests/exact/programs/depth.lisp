;;;; variants: compiled bytecode
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Deep stacks: a million frames, stacks that overflow and are left, and an
;;;; interpreter whose every node is a chain of its own.  And a heap that is
;;;; exhausted.
;;;;
;;;; How deep a stack may grow depends on where it begins, which no two
;;;; processes agree on, so there the program itself counts what it does; and
;;;; those chains do not go to the dump.

(in-package #:exact)

(defun conses (name n)
  (self name n (* n +cons+)))

;;; A recursive-descent interpreter, in a dialect of one letter: the node at
;;; address N of a binary tree has the kind N mod 3, and children 2N and 2N +
;;; 1.  Each kind is a function, each child a call site, so each node of the
;;; tree is a chain of its own when the recursion is not folded.

(defconstant +leaves+ 2048)             ; nodes 1 to 2047 have children

(defvar *visits* (make-array 3))

(defun run-node (n)
  (ecase (mod n 3)
    (0 (run-sum n))
    (1 (run-product n))
    (2 (run-choice n))))

(defun run-sum (n)
  (incf (svref *visits* 0))
  (keep (cells 1))
  (when (< n +leaves+)
    (run-node (* 2 n))
    (run-node (1+ (* 2 n))))
  nil)

(defun run-product (n)
  (incf (svref *visits* 1))
  (keep (cells 2))
  (when (< n +leaves+)
    (run-node (* 2 n))
    (run-node (1+ (* 2 n))))
  nil)

(defun run-choice (n)
  (incf (svref *visits* 2))
  (keep (cells 3))
  (when (< n +leaves+)
    (run-node (* 2 n))
    (run-node (1+ (* 2 n))))
  nil)

(measuring ("an interpreter of 4095 nodes")
    (progn (fill *visits* 0) (run-node 1))
  ;; of 1 to 4095, 1365 each; interpreted, INCF takes three variables, ECASE
  ;; one
  (check "visits" '(1365 1365 1365) (coerce *visits* 'list))
  (conses 'run-sum (* 1365 (+ 1 (v 4))))
  (conses 'run-product (* 1365 (+ 2 (v 4))))
  (conses 'run-choice (* 1365 (+ 3 (v 4))))
  (calls 'run-sum 1365)
  (calls 'run-product 1365)
  (calls 'run-choice 1365)
  (calls 'run-node 4095)
  (arc 'run-node 'run-sum 1365)
  ;; A node of kind K has children of kinds 2K and 2K + 1 mod 3; of the 2047
  ;; with children, 682 are sums and choices, 683 products
  (arc 'run-sum 'run-node 1364)
  (arc 'run-product 'run-node 1366)
  (arc 'run-choice 'run-node 1364)
  (inclusive 'run-node (* 1365 (+ 6 (v 12) (v 6)))
             (* 1365 (+ 6 (v 12) (v 6)) +cons+)))

;;; Throws out of a depth of 3000, again and again.  50 times need no more
;;; contexts, and no more memory for them, than once.

(defun dive-and-throw (n)
  (keep (cells 1))
  (if (zerop n)
      (throw 'out n)
      (let ((result (dive-and-throw (1- n))))
        (list result))))

(defun dive-often (n)
  (dotimes (i n)
    (catch 'out (dive-and-throw 3000))
    (keep (cells 1))))

(defvar *memory* nil)

(dolist (n (by-variant '(1 50) '()))
  (measuring ((format nil "~D throws out of a depth of 3000" n)) (dive-often n)
    (let ((memory (loop for key in '(:contexts :context-bytes)
                        collect (getf (mprof:status) key))))
      (check "contexts and their memory" (or *memory* memory) memory)
      (setf *memory* memory))
    (conses 'dive-and-throw (* n 3001))
    (calls 'dive-and-throw (* n 3001))
    (arc 'dive-often 'dive-and-throw n)
    (arc 'dive-and-throw 'dive-and-throw (* n 3000))
    (conses 'dive-often n)
    (calls 'dive-often 1)))

;;; The C stack overflows, three times over.  ECL signals STACK-OVERFLOW on
;;; top of the last frame, and HANDLER-CASE leaves them all.  Only compiled:
;;; the interpreter allocates in each call, and a whole walk for each takes
;;; too long.

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

(when (eq *variant* :compiled)
  (dive-and-recover))

(dotimes (i (by-variant 3 0))
  (measuring ("the C stack overflows") (dive-and-recover)
    ;; and the runtime makes a string on top of the last call
    (let ((n (floor *calls* 1000)))
      (self 'dive (1+ n) (+ (* n +cons+) +string+)))
    ;; which was entered, but came to nothing
    (calls 'dive (1+ *calls*))
    (arc 'dive-and-recover 'dive 1)
    (arc 'dive-and-recover 'after-overflow 1 (+ 3 (v 1))
         (* (+ 3 (v 1)) +cons+))
    (no-arc 'dive 'after-overflow)
    (calls 'dive-and-recover 1)))

;;; Deep recursion.  What is allocated at the bottom and on the way back costs
;;; the same as at the top.  The interpreter needs some 30 times more stack.

(defparameter *levels* (by-variant 1000000 4000))

(setf *dump-only* "DESCEND")
(ext:set-limit 'ext:c-stack (* 120 1024 1024))

(defun descend (n)
  (cond ((zerop n) (keep (cells 5)) 0)
        (t (let ((depth (descend (1- n))))
             (when (zerop (mod n (floor *levels* 4)))
               (keep (cells 2)))
             (1+ depth)))))

(defvar *reached* 0)

(defun descend-once ()
  (setf *reached* (descend *levels*)))

(measuring ("deep recursion") (descend-once)
  (check "levels" *levels* *reached*)
  (calls 'descend (1+ *levels*))
  (arc 'descend 'descend *levels*)
  (arc 'descend-once 'descend 1)
  (conses 'descend (+ 5 8 (v (1+ *levels*)) (v *levels*))))

;;; A handler of STORAGE-EXHAUSTED runs inside the allocator that ran out of
;;; memory, allocates itself, and lets the allocator go on.  Only compiled.

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
(defun exhaust-first ()
  (ext:set-limit 'ext:heap-size (* 40 1024 1024))
  (exhaust 10000)
  (setf *handled* 0))

(when (eq *variant* :compiled)
  (exhaust-first)
  (measuring ("handlers of storage exhaustion") (exhaust 20000)
    (check "storage was exhausted" t (plusp *handled*))
    (calls 'note-exhaustion *handled*)
    (inclusive 'note-exhaustion (* 4 *handled*) (* 4 *handled* +cons+))
    (type-total "(SIMPLE-ARRAY T)" 20000 (* 20000 (+ +vector+ (* 1000 +word+))))
    (arc 'exhaust 'make-arrays 1))
  (ext:set-limit 'ext:heap-size 0))
