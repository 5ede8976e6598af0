;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Functions that allocate last: each call of them counts as one call,
;;;; whatever else they or their callers do.

(in-package #:exact)

(defun once (x)
  (cons x nil))

(defun calls-once (n)
  (dotimes (i n)
    (keep (once i))))

(measuring ("one allocation, the last thing done") (calls-once 1000)
  (calls 'once 1000)
  (calls 'calls-once 1)
  (arc 'calls-once 'once 1000 1000 (* 1000 +cons+)))

;;; The same from two places, in turns: the frames lie at the same addresses.

(defun first-caller (x)
  (once x))

(defun second-caller (x)
  (once x))

(defun in-turns (n)
  (dotimes (i n)
    (keep (first-caller i))
    (keep (second-caller i))
    (keep (once i))))

(measuring ("three callers in turns") (in-turns 1000)
  (calls 'once 3000)
  (calls 'first-caller 1000)
  (calls 'second-caller 1000)
  (calls 'in-turns 1)
  (arc 'first-caller 'once 1000 1000 (* 1000 +cons+))
  (arc 'second-caller 'once 1000 1000 (* 1000 +cons+))
  (arc 'in-turns 'once 1000 1000 (* 1000 +cons+))
  (arc 'in-turns 'first-caller 1000 1000 (* 1000 +cons+)))

;;; A last call of something that allocates many times.

(defun many (n)
  (dotimes (i n)
    (keep (list i))))

(defun hands-on (n)
  (many n))

(defun hands-on-again (n)
  (hands-on n))

(measuring ("a last call that goes on for long")
    (dotimes (i 10)
      (hands-on-again 100))
  (calls 'many 10)
  (calls 'hands-on 10)
  (calls 'hands-on-again 10)
  (arc 'hands-on-again 'hands-on 10 1000 (* 1000 +cons+))
  (arc 'hands-on 'many 10 1000 (* 1000 +cons+)))

;;; Last on one way only.

(defun last-or-not (x)
  (if (evenp x)
      (cons x nil)
      (progn (keep (cons x x))
             (cons x nil))))

(measuring ("last on one way") (dotimes (i 1000) (keep (last-or-not i)))
  (calls 'last-or-not 1000)
  (self 'last-or-not 1500 (* 1500 +cons+)))

;;; What looks like the last call of a function that is then entered again by
;;; a jump, and allocates.

(defun throws (x)
  (keep (cons x nil))
  (throw 'back x))

(defun entered-again (x)
  (block nil
    (catch 'back
      (return (throws x)))
    (cons x x)))

(measuring ("a function that a throw enters again")
    (dotimes (i 1000) (keep (entered-again i)))
  (calls 'entered-again 1000)
  (calls 'throws 1000)
  (self 'entered-again 1000 (* 1000 +cons+))
  (arc 'entered-again 'throws 1000 1000 (* 1000 +cons+)))

(defun cleans-up (x)
  (unwind-protect (throws x)
    (keep (cons x x))))

(measuring ("a function that a throw enters to clean up")
    (dotimes (i 1000) (catch 'back (cleans-up i)))
  (calls 'cleans-up 1000)
  (calls 'throws 1000)
  (self 'cleans-up 1000 (* 1000 +cons+)))

;;; Recursion that allocates before, after, or last.

(defun tree (depth)
  (if (zerop depth)
      (cons nil nil)
      (cons (tree (1- depth)) (tree (1- depth)))))

(measuring ("a binary tree") (keep (tree 10))
  (calls 'tree 2047)
  (arc 'tree 'tree 2046)
  (self 'tree 2047 (* 2047 +cons+)))

(defvar *depth* 0)

(defun bound-recursion (n)
  (let ((*depth* n))
    (if (zerop n)
        (cons nil nil)
        (bound-recursion (1- n)))))

(measuring ("recursion that allocates at its end")
    (progn (keep (bound-recursion 50))
           (keep (bound-recursion 50)))
  (calls 'bound-recursion 102)
  (arc 'bound-recursion 'bound-recursion 100)
  (self 'bound-recursion 2 (* 2 +cons+)))

;;; Floats: constructors and arithmetic of the runtime in between.  Both + and
;;; * begin with their identity, so that each call makes two.

(defun boxed (x y)
  (+ (* x x) y))

(measuring ("boxed floats")
    (let ((x (keep 1.5d0)))
      (dotimes (i 1000) (keep (boxed x x))))
  (calls 'boxed 1000)
  ;; 24.5.10 boxes X, a float that it knows, once more
  (let ((n (by-release 4000 4001)))
    (type-total "DOUBLE-FLOAT" n (* n +double-float+))))
