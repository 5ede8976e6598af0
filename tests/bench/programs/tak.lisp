;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; tak.lisp -- Takeuchi's function: calls, and nothing but calls.  It hardly
;;;; allocates; here to show that what does not allocate does not pay, and for
;;;; catch and throw.  Each computes tak(18,12,6), which is 7, N times.

(in-package #:bench)

(declaim (optimize (speed 3) (safety 1) (debug 0)))

(defun tak-of (x y z)
  (declare (fixnum x y z))
  (if (not (< y x))
      z
      (tak-of (tak-of (1- x) y z)
              (tak-of (1- y) z x)
              (tak-of (1- z) x y))))

(define-program tak (n :size 180 :result 7)
  "The function itself."
  (repeat n (tak-of 18 12 6)))

;;; By throws: each value is thrown to the one that waits for it.

(defun throw-tak (x y z)
  (declare (fixnum x y z))
  (if (not (< y x))
      (throw 'value z)
      (throw-tak (catch 'value (throw-tak (1- x) y z))
                 (catch 'value (throw-tak (1- y) z x))
                 (catch 'value (throw-tak (1- z) x y)))))

(define-program ctak (n :size 100 :result 7)
  "With a catch and a throw for each value."
  (repeat n (catch 'value (throw-tak 18 12 6))))
