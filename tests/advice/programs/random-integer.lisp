;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; RANDOM of an integer.  The programs give back what does not depend on
;;;; chance.

(defvar *seed* 1)
(declaim (type (unsigned-byte 32) *seed*))

;;; Dice, by the generator of Numerical Recipes.

(defun fault-1 ()
  (loop repeat 100
        count (<= 1 (1+ (random 6)) 6)))

(declaim (inline die))
(defun die ()
  (setf *seed* (logand #xffffffff (+ 1013904223 (* 1664525 *seed*))))
  (1+ (mod (ash *seed* -16) 6)))

(defun mended-1 ()
  (loop repeat 100
        count (<= 1 (die) 6)))

;;; A vector is shuffled.

(defun shuffled (vector choose)
  (loop for i from (length vector) above 1
        do (rotatef (svref vector (funcall choose i))
                    (svref vector (1- i))))
  (reduce #'+ vector))

(defun choose (n)
  (random n))

(defun fault-2 ()
  (shuffled (vector 1 2 3 4 5 6 7 8) 'choose))

(defvar *state* 2463534242)

(defun choose-by-xorshift (n)
  (let ((x *state*))
    (declare (fixnum x))
    (setf x (logand #xffffffff (logxor x (ash (logand x #x7ffff) 13)))
          x (logxor x (ash x -17))
          x (logand #xffffffff (logxor x (ash (logand x #x7ffffff) 5)))
          *state* x)
    (mod x n)))

(defun mended-2 ()
  (shuffled (vector 1 2 3 4 5 6 7 8) 'choose-by-xorshift))

;;; A limit that is a bignum needs them no more than others.

(defun fault-3 ()
  (let ((limit (ash most-positive-fixnum 1)))
    (dotimes (i 20)
      (random limit))
    limit))

(defun mended-3 ()
  (let ((limit (ash most-positive-fixnum 1)))
    (dotimes (i 20)
      (die))
    limit))

;;; Floats; bignums by other functions; a random state.

(defun alike-1 ()
  (loop repeat 10
        count (< (random 1d0) 2d0)))

(defun alike-2 ()
  (mod (expt 3 100) (expt 7 20)))

(defun alike-3 ()
  (random-state-p (make-random-state t)))
