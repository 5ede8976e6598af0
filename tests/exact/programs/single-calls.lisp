;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Calls that an activation makes once.  Each counts as one call, however
;;;; often there is something to count in it.

(in-package #:exact)

(defun leaf (x)
  (cons x nil))

(defun leaves (x)
  (keep (leaf x))
  (keep (leaf x))
  (leaf x))

(defun nothing (x)
  x)

;;; One in the other, each allocating before, between and after.

(defun third-level (x)
  (keep (leaf x))
  (keep (leaves x))
  (keep (list x x x))
  (nothing x))

(defun second-level (x)
  (keep (third-level x))
  (keep (leaf x))
  (keep (third-level x))
  (nothing x))

(defun first-level (x)
  (keep (second-level x))
  (keep (leaves x))
  (keep (second-level x))
  (keep (cons x x))
  (nothing x))

(measuring ("calls in calls") (dotimes (i 100) (keep (first-level i)))
  (calls 'first-level 100)
  (calls 'second-level 200)
  (calls 'third-level 400)
  (calls 'leaves 500)
  (calls 'leaf (+ 200 400 1500))
  (arc 'first-level 'second-level 200)
  (arc 'first-level 'leaves 100)
  (arc 'second-level 'third-level 400)
  (arc 'second-level 'leaf 200)
  (arc 'third-level 'leaves 400)
  (arc 'third-level 'leaf 400)
  (arc 'leaves 'leaf 1500)
  (self 'first-level 100 (* 100 +cons+)))

;;; Some of it, by turns: frames of different functions, and of one function
;;; called from two places, lie at the same addresses.

(defun sometimes (x)
  (when (logbitp 0 x)
    (keep (leaf x)))
  (when (logbitp 1 x)
    (keep (leaves x)))
  (when (logbitp 2 x)
    (keep (leaf x)))
  (nothing x))

(defun sometimes-deeper (x)
  (when (logbitp 3 x)
    (keep (sometimes x)))
  (when (logbitp 4 x)
    (keep (leaf x)))
  (when (logbitp 5 x)
    (keep (sometimes x)))
  (nothing x))

(defun sometimes-deepest (x)
  (when (logbitp 6 x)
    (keep (sometimes-deeper x)))
  (when (logbitp 7 x)
    (keep (sometimes-deeper x)))
  (when (logbitp 8 x)
    (keep (leaf x)))
  (nothing x))

(defun times (n test)
  "For how many numbers below N TEST is true."
  (loop for i below n count (funcall test i)))

(defun sometimes-p (x)
  "Does (SOMETIMES X) allocate?"
  (logtest 7 x))

(defun deeper-p (x)
  (or (and (logtest 40 x) (sometimes-p x))
      (logbitp 4 x)))

(defun deepest-p (x)
  (or (and (logtest 192 x) (deeper-p x))
      (logbitp 8 x)))

(measuring ("some of the calls")
    (dotimes (i 512) (keep (sometimes-deepest i)))
  (calls 'sometimes-deepest (times 512 #'deepest-p))
  (calls 'sometimes-deeper
         (+ (times 512 (lambda (i) (and (logbitp 6 i) (deeper-p i))))
            (times 512 (lambda (i) (and (logbitp 7 i) (deeper-p i))))))
  (arc 'sometimes-deepest 'leaf 256))

;;; Both calls of one function, and the same call of it again by a throw.

(defun throws-at-times (x)
  (keep (leaf x))
  (when (zerop (mod x 3))
    (throw 'out x))
  (keep (leaf x))
  (nothing x))

(defun calls-what-throws (x)
  (keep (throws-at-times x))
  (keep (leaf x))
  (keep (throws-at-times (1+ x)))
  (nothing x))

(measuring ("left by throws")
    (dotimes (i 300) (catch 'out (keep (calls-what-throws i))))
  (calls 'calls-what-throws 300)
  (calls 'throws-at-times 500)
  (arc 'calls-what-throws 'throws-at-times 500)
  (arc 'calls-what-throws 'leaf 200)
  (arc 'throws-at-times 'leaf (+ 500 300)))

(defun catches (x)
  (catch 'out (keep (calls-what-throws x)))
  (keep (leaf x))
  (catch 'out (keep (calls-what-throws x)))
  (nothing x))

(measuring ("caught between") (dotimes (i 300) (keep (catches i)))
  (calls 'catches 300)
  (calls 'calls-what-throws 600)
  (calls 'throws-at-times 1000)
  (arc 'catches 'calls-what-throws 600)
  (arc 'catches 'leaf 300))

;;; Recursion, by one call and by two.

(defun down (n)
  (keep (leaf n))
  (unless (zerop n)
    (keep (down (1- n))))
  (keep (leaf n))
  (nothing n))

(defun up (n)
  (unless (zerop n)
    (keep (up (1- n))))
  (keep (leaves n))
  (nothing n))

(defun both (n)
  (unless (zerop n)
    (keep (both (1- n)))
    (keep (leaf n))
    (keep (both (1- n))))
  (nothing n))

(measuring ("recursion")
    (dotimes (i 20)
      (keep (down i))
      (keep (up i)))
  (calls 'down 210)
  (calls 'up 210)
  (arc 'down 'down 190)
  (arc 'up 'up 190)
  (arc 'down 'leaf 420)
  (arc 'up 'leaves 210))

(measuring ("two recursions") (keep (both 7))
  (calls 'both (1- (expt 2 7)))
  (arc 'both 'leaf (1- (expt 2 7))))

;;; Frames that were counted, then many that were not, all met at once.

(defun deep (n x)
  (if (zerop n)
      (keep (leaf x))
      (keep (deep (1- n) x)))
  (nothing x))

(defun then-deep (x)
  (keep (leaf x))
  (keep (deep 12 x))
  (nothing x))

(defun then-deeper (x)
  (keep (leaf x))
  (keep (then-deep x))
  (keep (deep 11 x))
  (nothing x))

(defun deepest (x)
  (keep (then-deeper x))
  (nothing x))

(defun at-both-ends (n)
  (when (> n 10)
    (keep (leaf n)))
  (unless (zerop n)
    (keep (at-both-ends (1- n))))
  (when (zerop n)
    (keep (leaf n)))
  (nothing n))

(measuring ("many frames at once")
    (dotimes (i 50)
      (keep (deepest i))
      (keep (at-both-ends 12)))
  (calls 'deepest 50)
  (calls 'then-deeper 50)
  (calls 'then-deep 50)
  (calls 'deep (* 50 (+ 13 12)))
  (arc 'deep 'deep (* 50 (+ 12 11)))
  (calls 'at-both-ends (* 50 13))
  (arc 'at-both-ends 'at-both-ends (* 50 12))
  (arc 'at-both-ends 'leaf 150))

;;; A call that only allocates when it signals an error.

(defun measures (x)
  (length (the list x)))

(defun list-and-length (x)
  (let ((list (list x x)))
    (when (zerop (mod x 10))
      (setf (cddr list) x))
    (measures list)))

(defun handles (x)
  (handler-case (keep (list-and-length x))
    (error () (keep (leaf x)))))

(measuring ("an error after an object")
    (dotimes (i 100) (keep (handles i)))
  (calls 'handles 100)
  (calls 'list-and-length 100)
  (arc 'handles 'list-and-length 100)
  (arc 'handles 'leaf 10)
  (arc 'list-and-length 'measures 10))

;;; In a loop, through a symbol, by MAPCAR.

(defun in-a-loop (n)
  (dotimes (i n)
    (keep (third-level i)))
  (keep (leaf n)))

(defun by-name (x)
  (declare (notinline third-level))
  (keep (funcall 'third-level x))
  (keep (mapcar #'third-level (list x x)))
  (nothing x))

(defun both-ways (n)
  (keep (in-a-loop n))
  (keep (by-name n))
  (keep (in-a-loop n))
  (nothing n))

(measuring ("loops and functions by name")
    (dotimes (i 20) (keep (both-ways i)))
  (calls 'both-ways 20)
  (calls 'in-a-loop 40)
  (calls 'by-name 20)
  (calls 'third-level (+ (* 2 190) 60))
  (arc 'in-a-loop 'third-level (* 2 190)))

;;; Walks that meet interpreted code are made in another way.

(defvar *interpreted* (eval '(lambda (x) (cons x x))))

(defun compiled-then-interpreted (x)
  (keep (leaf x))
  (keep (funcall (the function *interpreted*) x))
  (nothing x))

(defun both-kinds (x)
  (keep (compiled-then-interpreted x))
  (keep (leaf x))
  (keep (funcall (the function *interpreted*) x))
  (keep (compiled-then-interpreted x))
  (nothing x))

(measuring ("interpreted functions between")
    (dotimes (i 100) (keep (both-kinds i)))
  (calls 'both-kinds 100)
  (calls 'compiled-then-interpreted 200)
  (arc 'both-kinds 'compiled-then-interpreted 200)
  (arc 'both-kinds 'leaf 100)
  (arc 'compiled-then-interpreted 'leaf 200))

;;; Counting begins and ends inside.

(defun starts (x)
  (keep (leaf x))
  (start)
  (keep (leaf x))
  (nothing x))

(defun starts-inside (x)
  (keep (starts x))
  (keep (leaf x))
  (keep (leaves x))
  (nothing x))

(defun stops (x)
  (keep (leaf x))
  (mprof:stop)
  (keep (leaf x))
  (nothing x))

(defun in-two-sessions (x)
  (keep (starts-inside x))
  (keep (leaf x))
  (keep (stops x))
  (keep (leaf x))
  (keep (starts-inside x))
  (mprof:stop))

(mprof:reset)
(in-two-sessions 1)
(setf *title* "counting begins and ends inside")
(take-profile)
(calls 'in-two-sessions 2)
(calls 'starts-inside 2)
(calls 'starts 2)
(calls 'stops 1)
(calls 'leaves 2)
(calls 'leaf (+ 2 2 6 1 1))
(arc 'starts-inside 'leaf 2)
(arc 'starts 'leaf 2)
(residual 0)
