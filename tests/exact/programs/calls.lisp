;;;; variants: compiled bytecode
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Loops, calls and recursion.

(in-package #:exact)

;;; The interpreter binds N, X, the limit and I.

(defun cons-loop (n)
  (let ((x nil))
    (dotimes (i n x)
      (push i x))))

(measuring ("cons loop") (cons-loop 10000)
  (let ((n (+ 10000 (v 4))))
    (total n (* n +cons+))
    (self 'cons-loop n (* n +cons+))
    (inclusive 'cons-loop n (* n +cons+))
    (calls 'cons-loop 1)
    (type-total 'cons n (* n +cons+))))

;;; One allocation for each call.  The interpreter binds X in ONE, and N, the
;;; limit, the result and the counter in CALL-EACH.

(defun one (x)
  (list x))

(defun call-each (n)
  (let ((last nil))
    (dotimes (i n last)
      (setf last (one i)))))

(measuring ("one allocation for each call") (call-each 5000)
  (let ((each (+ 1 (v 1)))
        (once (v 4)))
    (total (+ once (* 5000 each)) (* (+ once (* 5000 each)) +cons+))
    (self 'one (* 5000 each) (* 5000 each +cons+))
    (calls 'one 5000)
    (calls 'call-each 1)
    (arc 'call-each 'one 5000 (* 5000 each) (* 5000 each +cons+))
    (inclusive 'call-each (+ once (* 5000 each))
               (* (+ once (* 5000 each)) +cons+))))

;;; Every other call allocates: only these are activations, but the
;;; interpreter allocates in all.

(defun every-other (i)
  (if (evenp i) (list i) i))

(defun call-every-other (n)
  (dotimes (i n)
    (every-other i)))

(measuring ("every other call allocates") (call-every-other 1000)
  (calls 'every-other (by-variant 500 1000))
  (self 'every-other (+ 500 (v 1000)) (* (+ 500 (v 1000)) +cons+))
  (calls 'call-every-other 1))

;;; Recursion 1000 deep: a cons on the way down and one on the way up, and
;;; none at the bottom.  The interpreter binds N and REST.

(defun down-and-up (n)
  (if (zerop n)
      nil
      (let ((here (list n)))
        (cons here (down-and-up (1- n))))))

(measuring ("recursion") (down-and-up 1000)
  (let ((n (+ 2000 (v 1001) (v 1000))))
    (total n (* n +cons+))
    (self 'down-and-up n (* n +cons+))
    (inclusive 'down-and-up n (* n +cons+))
    ;; the last call allocates nothing when it is compiled
    (calls 'down-and-up (by-variant 1000 1001))
    (arc 'down-and-up 'down-and-up (by-variant 999 1000))))

;;; Mutual recursion: EVEN-STEP and ODD-STEP in turns, 500 calls each that
;;; allocate.

(defun even-step (n)
  (if (zerop n) nil (cons n (odd-step (1- n)))))

(defun odd-step (n)
  (cons n (even-step (1- n))))

(measuring ("mutual recursion") (even-step 1000)
  (let ((even (+ 500 (v 501)))
        (odd (+ 500 (v 500))))
    (total (+ even odd) (* (+ even odd) +cons+))
    (self 'even-step even (* even +cons+))
    (self 'odd-step odd (* odd +cons+))
    (inclusive 'even-step (+ even odd) (* (+ even odd) +cons+))
    ;; all but the objects of the first call are below ODD-STEP
    (calls 'even-step (by-variant 500 501))
    (calls 'odd-step 500)
    (arc 'even-step 'odd-step 500)
    (arc 'odd-step 'even-step (by-variant 499 500))))

;;; Two callers, one callee: bytes go to the caller that asked.

(defun shared (n)
  (make-list n))

(defun asks-for-three () (shared 3))
(defun asks-for-five () (shared 5))
(defun ask ()
  (dotimes (i 10)
    (asks-for-three)
    (asks-for-five)
    (asks-for-five)))

(measuring ("two callers of one function") (ask)
  (arc 'asks-for-three 'shared 10 (+ 30 (v 10))
       (* (+ 30 (v 10)) +cons+))
  (arc 'asks-for-five 'shared 20 (+ 100 (v 20))
       (* (+ 100 (v 20)) +cons+))
  (arc 'shared 'make-list 30 130 (* 130 +cons+))
  (calls 'shared 30)
  (self 'make-list 130 (* 130 +cons+)))

;;; Below 10,000 frames the same loop costs and counts the same.

(defun deep (n)
  (if (zerop n)
      (cons-loop 1000)
      (let ((result (deep (1- n))))
        result)))

(measuring ("a cons loop below 2000 frames")
    (deep 2000)
  (self 'cons-loop (+ 1000 (v 4)) (* (+ 1000 (v 4)) +cons+))
  (calls 'cons-loop 1)
  (arc 'deep 'cons-loop 1)
  (calls 'deep 2001)
  (arc 'deep 'deep 2000))
