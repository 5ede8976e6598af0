;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Lisp code that runs in a signal handler, on top of a thread that was
;;;; interrupted anywhere: what it allocates is its own, what the thread
;;;; allocates stays as it is, and no frame is harmed.
;;;;
;;;; ECL may lose an interrupt that comes while another one waits, so those
;;;; that were taken are counted, by the handler itself.

(in-package #:exact)

(setf *dump-only* "STEADY-WORK")

(defvar *taken* (list 0) "How many interrupts.")

;;; On a busy machine several come at once, one in the middle of another.
(defun in-handler ()
  (mp:atomic-incf (car *taken*))
  (keep (list 1 2 3)))

(defun steady-cons (i)
  (cons i i))

(defun steady-work (n)
  (let ((last nil))
    (dotimes (i n last)
      (setf last (steady-cons i)))))

(defun interrupt-often (function n)
  "Run FUNCTION in a thread and interrupt it N times at most."
  (let ((thread (mp:process-run-function "worker" function)))
    (loop repeat n
          while (mp:process-active-p thread)
          do (ignore-errors (mp:interrupt-process thread #'in-handler))
             (sleep 0.002))
    (mp:process-join thread)))

(measuring ("interrupts of a thread that allocates" :residual nil)
    (interrupt-often (lambda () (steady-work 3000000)) 50)
  (self 'steady-cons 3000000 (* 3000000 +cons+))
  (calls 'steady-cons 3000000)
  (calls 'steady-work 1)
  (arc 'steady-work 'steady-cons 3000000)
  (no-arc 'steady-work 'in-handler)
  (no-arc 'steady-cons 'in-handler)
  (calls 'in-handler (first *taken*))
  (inclusive 'in-handler (* 3 (first *taken*))
             (* 3 (first *taken*) +cons+)))

(check "some interrupts were taken" t (plusp (first *taken*)))

;;; An interrupt that waits for the end of WITHOUT-INTERRUPTS is called there.

(defun guarded ()
  (mp:without-interrupts
    (mp:interrupt-process mp:*current-process* #'in-handler)
    (keep (cons 1 2))))

(measuring ("an interrupt that waits" :residual nil)
    (guarded)
  (self 'guarded 1 +cons+)
  (calls 'in-handler 1)
  (check "it is below the function that it interrupts" t
         (loop for chain in (mapcar (mprof.data:reader :chain)
                                    (mprof.data:figure :contexts *profile*))
               always (or (not (member "EXACT::IN-HANDLER" chain
                                       :test #'string=))
                          (member "EXACT::GUARDED" chain :test #'string=)))))

;;; A handler that leaves by a throw, from anywhere: in a call, in a return,
;;; deep in a recursion.  How many conses are made nobody can say, but each call
;;; makes one.

(defun make-one (i)
  (cons i i))

(defun deep-cons (n)
  (if (zerop n)
      (keep (make-one n))
      (let ((result (deep-cons (1- n))))
        (keep (make-one n))
        result)))

(defvar *catching* nil)
(defvar *thrown* 0)

(defun leave ()
  (when *catching*
    (setf *catching* nil)
    (keep (cons 1 2))
    (incf *thrown*)
    (throw 'out t)))

(defun work-until-thrown-out (rounds)
  (dotimes (i rounds)
    (catch 'out
      (setf *catching* t)
      (dotimes (j 30000)
        (deep-cons (mod j 17)))
      (setf *catching* nil))))

(defun interrupt-with (handler rounds n)
  (let ((thread (mp:process-run-function "worker" #'work-until-thrown-out
                                         rounds)))
    (loop repeat n
          while (mp:process-active-p thread)
          do (ignore-errors (mp:interrupt-process thread handler))
             (sleep 0.002))
    (mp:process-join thread)))

(defun made ()
  (mprof.data:figure :self-allocations
                     (mprof.data:row :functions 'make-one *profile*)))

(measuring ("handlers that throw" :residual nil)
    (interrupt-with #'leave 60 200)
  (self 'make-one (made) (* (made) +cons+))
  (calls 'make-one (made))
  (arc 'deep-cons 'make-one (made) (made) (* (made) +cons+))
  (self 'leave *thrown* (* *thrown* +cons+))
  (calls 'leave *thrown*)
  (no-arc 'deep-cons 'leave)
  (no-arc 'make-one 'leave))

(check "some handlers threw" t (plusp *thrown*))

;;; Handlers that are interrupted by handlers.  4 * 30000 rounds of 0 to 16
;;; conses and one more: 30000 = 1764 * 17 + 12.

(defvar *ended* (list 0))

(defun nested-cons (i)
  (list i))

(defun long-handler ()
  (dotimes (i 3000)
    (keep (nested-cons i)))
  (mp:atomic-incf (car *ended*)))

(measuring ("handlers in handlers" :residual nil)
    (interrupt-with #'long-handler 4 200)
  (let ((nested (* 3000 (car *ended*)))
        (made (* 4 (+ (* 1764 (/ (* 17 18) 2)) (/ (* 12 13) 2)))))
    (self 'nested-cons nested (* nested +cons+))
    (calls 'nested-cons nested)
    (arc 'long-handler 'nested-cons nested)
    (calls 'long-handler (car *ended*))
    (self 'make-one made (* made +cons+))
    (calls 'make-one made)
    (arc 'deep-cons 'make-one made made (* made +cons+))
    (no-arc 'deep-cons 'long-handler)
    (no-arc 'make-one 'long-handler)))

(check "some handlers ended" t (plusp (car *ended*)))
