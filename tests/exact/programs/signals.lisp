;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Lisp code that runs in a signal handler, on top of a thread that was
;;;; interrupted anywhere: what it allocates is its own, what the thread
;;;; allocates stays as it is, and no frame is harmed.
;;;;
;;;; ECL may lose an interrupt that comes while another one waits, so those
;;;; that were taken are counted, by the handler itself.  Its calls are not
;;;; counted by the monitor (see monitor/stack_walk.c), its conses are.

(in-package #:exact)

(setf *dump-only* "STEADY-WORK")

(defvar *taken* 0)

(defun in-handler ()
  (incf *taken*)
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
  (calls 'in-handler 0)
  (inclusive 'in-handler (* 3 *taken*) (* 3 *taken* +cons+)))

(check "some interrupts were taken" t (plusp *taken*))
