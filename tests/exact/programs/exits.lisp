;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Frames that are left by a jump, and what is allocated right afterwards.

(in-package #:exact)

;;; 1000 throws out of a depth of 5; each call allocates one cons first.

(defun thrower (depth)
  (keep (list depth))
  (if (= depth 1)
      (throw 'out depth)
      (let ((result (thrower (1- depth))))
        (list result))))

(defun after-throw (x)
  (list x x))

(defun throw-loop (n)
  (dotimes (i n)
    (catch 'out
      (thrower 5))
    (keep (list i))
    (keep (after-throw i))))

(measuring ("1000 throws out of depth 5") (throw-loop 1000)
  (total (* 1000 (+ 5 1 2)) (* 1000 8 +cons+))
  (self 'thrower 5000 (* 5000 +cons+))
  (calls 'thrower 5000)
  (arc 'throw-loop 'thrower 1000)
  (arc 'thrower 'thrower 4000)
  (self 'throw-loop 1000 (* 1000 +cons+))
  (calls 'throw-loop 1)
  (arc 'throw-loop 'after-throw 1000 2000 (* 2000 +cons+))
  (no-arc 'thrower 'after-throw))

;;; The frame that is called next lies where the one that was left was.

(defun leaves-first (x)
  (keep (list x))
  (throw 'first x))

(defun comes-next (x)
  (list x))

(defun take-turns (n)
  (dotimes (i n)
    (catch 'first (leaves-first i))
    (comes-next i)
    (catch 'first (leaves-first i))))

(measuring ("the next frame lies where a left one was") (take-turns 1000)
  (arc 'take-turns 'leaves-first 2000 2000 (* 2000 +cons+))
  (arc 'take-turns 'comes-next 1000 1000 (* 1000 +cons+))
  (no-arc 'leaves-first 'comes-next)
  (no-arc 'comes-next 'leaves-first)
  (calls 'take-turns 1))

;;; Out of a depth of 3000, again and again.  50 times need no more contexts, and
;;; no more memory for them, than once.

(defun dive (n)
  (keep (list n))
  (if (zerop n)
      (throw 'out n)
      (let ((result (dive (1- n))))
        (list result))))

(defun dive-often (n)
  (dotimes (i n)
    (catch 'out (dive 3000))
    (keep (list i))))

(defun memory ()
  (let ((status (mprof:status)))
    (list (getf status :contexts) (getf status :context-bytes))))

(defvar *memory* nil)

(defun check-dives (n)
  (self 'dive (* n 3001) (* n 3001 +cons+))
  (calls 'dive (* n 3001))
  (arc 'dive-often 'dive n)
  (arc 'dive 'dive (* n 3000))
  (self 'dive-often n (* n +cons+))
  (calls 'dive-often 1))

(measuring ("a throw out of depth 3000") (dive-often 1)
  (setf *memory* (memory))
  (check-dives 1))

(measuring ("50 throws out of depth 3000") (dive-often 50)
  (check "contexts and their memory" *memory* (memory))
  (check-dives 50))

;;; Cleanup forms allocate while the jump is under way.

(defun clean-up (x)
  (list x x x))

(defun protected (x)
  (unwind-protect
       (progn (keep (list x))
              (throw 'out x))
    (keep (clean-up x))))

(defun protect-loop (n)
  (dotimes (i n)
    (catch 'out (protected i))
    (keep (list i))))

(measuring ("cleanup forms allocate") (protect-loop 500)
  (total (* 500 5) (* 500 5 +cons+))
  (arc 'protect-loop 'protected 500 2000 (* 2000 +cons+))
  (arc 'protected 'clean-up 500 1500 (* 1500 +cons+))
  (self 'protected 500 (* 500 +cons+))
  (self 'protect-loop 500 (* 500 +cons+))
  (calls 'protect-loop 1))

;;; RETURN-FROM out of a function that was passed down.

(defun call-it (f x)
  (keep (list x))
  (funcall f x)
  (keep (list x)))

(defun find-it (x)
  (let ((found (block nil
                 (call-it (lambda (y) (return (list y x))) x))))
    (cons x found)))

(defun find-loop (n)
  (dotimes (i n)
    (find-it i)))

(measuring ("return from a function passed down") (find-loop 300)
  (self 'call-it 300 (* 300 +cons+))
  (calls 'call-it 300)
  (inclusive '(lambda :in find-it) 600 (* 600 +cons+))
  ;; a cons, the closure, and a cell for each of BLOCK and X that it captures
  (self 'find-it 1200 (* 300 (+ +cons+ +closure+ +cons+ +cons+)))
  (arc 'call-it '(lambda :in find-it) 300)
  (calls 'find-it 300)
  (calls 'find-loop 1))

;;; HANDLER-CASE around an error.

(define-condition trouble (error) ())

(defvar *trouble* (make-condition 'trouble))

(defun in-trouble (x)
  (keep (list x))
  (error *trouble*))

(defun recover (x)
  (list x x))

(defun handle-loop (n)
  (dotimes (i n)
    (handler-case (in-trouble i)
      (trouble () (recover i)))))

;; The first error of a process fills caches of generic functions.
(handle-loop 1)

(measuring ("handler-case") (handle-loop 200)
  (self 'in-trouble 200 (* 200 +cons+))
  (calls 'in-trouble 200)
  (arc 'handle-loop 'in-trouble 200)
  (arc 'handle-loop 'recover 200 400 (* 400 +cons+))
  (calls 'handle-loop 1))

;;; A jump out of a cleanup form, which gives up the first jump.

(defun jumps-again (x)
  (unwind-protect (throw 'outer x)
    (keep (list x))
    (throw 'inner x)))

(defun jump-loop (n)
  (dotimes (i n)
    (catch 'outer
      (catch 'inner (jumps-again i))
      (keep (list i i)))))

(measuring ("a jump out of a cleanup form") (jump-loop 100)
  (total 300 (* 300 +cons+))
  (arc 'jump-loop 'jumps-again 100 100 (* 100 +cons+))
  (arc 'jump-loop 'list 100 200 (* 200 +cons+))
  (calls 'jump-loop 1))
