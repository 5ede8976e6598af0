;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Functions that make an object before they call anything: what comes after
;;;; finds their frames known.

(in-package #:exact)

(defun allocates (x)
  (cons x nil))

(defun allocates-twice (x)
  (keep (cons x nil))
  (cons x x))

(defun allocates-not (x)
  x)

;;; One object, then calls.

(defun object-then-call (x)
  (let ((object (cons x nil)))
    (keep (allocates x))
    object))

(measuring ("an object, then a call")
    (dotimes (i 1000) (keep (object-then-call i)))
  (calls 'object-then-call 1000)
  (calls 'allocates 1000)
  (self 'object-then-call 1000 (* 1000 +cons+))
  (arc 'object-then-call 'allocates 1000 1000 (* 1000 +cons+)))

(defun object-then-calls (x)
  (let ((object (list x)))
    (keep (allocates-twice x))
    (keep (allocates-not x))
    (keep (allocates x))
    (keep (allocates-twice x))
    object))

(defun passes-on (x)
  (object-then-calls x))

(measuring ("an object, then calls, by one that only passes on")
    (dotimes (i 1000) (keep (passes-on i)))
  (calls 'passes-on 1000)
  (calls 'object-then-calls 1000)
  (calls 'allocates 1000)
  (calls 'allocates-twice 2000)
  (arc 'passes-on 'object-then-calls 1000 6000 (* 6000 +cons+)))

;;; More objects of its own, in a row and in a loop.

(defun three-objects (x)
  (keep (cons x nil))
  (keep (cons nil x))
  (keep (cons x x)))

(defun object-then-loop (n)
  (let ((object (cons n nil)))
    (dotimes (i n)
      (keep (cons i n)))
    object))

(measuring ("three objects, and a loop of them")
    (dotimes (i 100)
      (keep (three-objects i))
      (keep (object-then-loop i)))
  (calls 'three-objects 100)
  (calls 'object-then-loop 100)
  (self 'three-objects 300 (* 300 +cons+))
  (self 'object-then-loop (+ 100 (/ (* 100 99) 2))
        (* (+ 100 (/ (* 100 99) 2)) +cons+)))

(defun object-then-loop-of-calls (n)
  (let ((object (cons n nil)))
    (dotimes (i n)
      (keep (allocates-twice i)))
    object))

(measuring ("an object, then a loop of calls")
    (dotimes (i 100) (keep (object-then-loop-of-calls i)))
  (calls 'object-then-loop-of-calls 100)
  (calls 'allocates-twice (/ (* 100 99) 2))
  (arc 'object-then-loop-of-calls 'allocates-twice (/ (* 100 99) 2)))

;;; The first object is made on one way only, or in a loop.

(defun perhaps-object-then-call (x)
  (let ((object (when (evenp x) (cons x nil))))
    (keep (allocates x))
    object))

(defun objects-then-call (n)
  (let ((object nil))
    (dotimes (i n)
      (setf object (cons i object)))
    (keep (allocates n))
    object))

(defun one-or-other (x)
  (if (evenp x)
      (keep (cons x nil))
      (keep (list* x x nil)))
  (keep (allocates x)))

(measuring ("on one way, in a loop, one of two")
    (dotimes (i 100)
      (keep (perhaps-object-then-call i))
      (keep (objects-then-call i))
      (keep (one-or-other i)))
  (calls 'perhaps-object-then-call 100)
  (calls 'objects-then-call 100)
  (calls 'one-or-other 100)
  (calls 'allocates 300)
  (self 'perhaps-object-then-call 50 (* 50 +cons+))
  (arc 'perhaps-object-then-call 'allocates 100)
  (arc 'objects-then-call 'allocates 100)
  (arc 'one-or-other 'allocates 100))

;;; Recursion.

(defun object-then-itself (n)
  (let ((object (cons n nil)))
    (unless (zerop n)
      (keep (object-then-itself (1- n)))
      (keep (allocates n)))
    object))

(defun object-then-both (n)
  (let ((object (cons n nil)))
    (unless (zerop n)
      (keep (object-then-both (1- n)))
      (keep (object-then-both (1- n))))
    object))

(measuring ("recursion")
    (progn
      (keep (object-then-itself 200))
      (keep (object-then-both 8)))
  (calls 'object-then-itself 201)
  (arc 'object-then-itself 'object-then-itself 200)
  (arc 'object-then-itself 'allocates 200)
  (calls 'object-then-both 511)
  (arc 'object-then-both 'object-then-both 510))

;;; A throw leaves the frame; the next one lies at the same address.

(defun throws-or-not (x)
  (keep (cons x x))
  (if (evenp x)
      (throw 'back x)
      (allocates x)))

(defun object-then-throw (x)
  (let ((object (cons x nil)))
    (keep (throws-or-not x))
    (keep (allocates x))
    object))

(measuring ("left by a throw, or not")
    (dotimes (i 1000)
      (catch 'back (keep (object-then-throw i))))
  (calls 'object-then-throw 1000)
  (calls 'throws-or-not 1000)
  (arc 'object-then-throw 'throws-or-not 1000)
  (arc 'object-then-throw 'allocates 500))

(defun object-then-catch (x)
  (let ((object (cons x nil)))
    (catch 'back (keep (throws-or-not x)))
    (keep (allocates x))
    object))

(measuring ("entered again by a throw")
    (dotimes (i 1000) (keep (object-then-catch i)))
  (calls 'object-then-catch 1000)
  (calls 'throws-or-not 1000)
  (arc 'object-then-catch 'allocates 1000))

;;; The first object is made before counting begins, or while it does not go
;;; on: then a frame counts when it is met.

(defun object-then-start (x)
  (let ((object (cons x nil)))
    (start)
    (keep (allocates x))
    (keep (allocates-twice x))
    object))

(defun goes-on-after (x)
  (let ((object (cons x nil)))
    (mprof:stop)
    (keep (allocates x))
    (start)
    (keep (allocates x))
    object))

(defun starts-within (x)
  (keep (object-then-start x))
  (keep (goes-on-after x))
  (mprof:stop))

(mprof:reset)
(starts-within 1)
(setf *title* "an object, then counting begins")
(take-profile)
(calls 'object-then-start 1)
(calls 'goes-on-after 2) ; in two sessions
(calls 'starts-within 2)
(self 'object-then-start 0 0)
(self 'goes-on-after 1 +cons+)
(arc 'object-then-start 'allocates 1)
(arc 'object-then-start 'allocates-twice 1)
(arc 'goes-on-after 'allocates 1)
(residual 0)
