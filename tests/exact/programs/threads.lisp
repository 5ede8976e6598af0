;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Threads: each counts for itself, and all add up.

(in-package #:exact)

(setf *dump-only* "THREAD-WORK")

(defvar *gate* (mp:make-semaphore))
(defvar *done* (mp:make-semaphore))

(defun thread-work (n)
  (let ((last nil))
    (dotimes (i n last)
      (setf last (cons i i)))))

(defun wait-then-work ()
  (mp:wait-on-semaphore *gate*)
  (thread-work 10000)
  (mp:signal-semaphore *done*))

(defun run-threads (n function)
  (let ((threads (loop repeat n
                       collect (mp:process-run-function "worker" function))))
    (mapc #'mp:process-join threads)))

;;; Threads make objects of their own when they begin and end, so only the
;;; functions here are compared; totals still add up.

(measuring ("4 threads started while counting" :residual nil)
    (run-threads 4 (lambda () (thread-work 10000)))
  (self 'thread-work 40000 (* 40000 +cons+))
  (calls 'thread-work 4))

(defvar *early*
  (loop repeat 4 collect (mp:process-run-function "early" #'wait-then-work)))

(measuring ("4 threads started before" :residual nil)
    (progn
      (mp:signal-semaphore *gate* 4)
      (dotimes (i 4)
        (mp:wait-on-semaphore *done*)))
  (self 'thread-work 40000 (* 40000 +cons+))
  (calls 'thread-work 4)
  (calls 'wait-then-work 4))

(mapc #'mp:process-join *early*)

;;; This thread works at the same time.

(measuring ("this thread and others" :residual nil)
    (let ((threads (loop repeat 2
                         collect (mp:process-run-function
                                  "worker" (lambda () (thread-work 20000))))))
      (thread-work 20000)
      (mapc #'mp:process-join threads))
  (self 'thread-work 60000 (* 60000 +cons+))
  (calls 'thread-work 3))

;;; A thread that goes on after counting has stopped, and is counted again: what
;;; it does in between is not.

(defvar *steps* (mp:make-semaphore))
(defvar *step-done* (mp:make-semaphore))

(defun stepper ()
  (dotimes (i 3)
    (mp:wait-on-semaphore *steps*)
    (keep (thread-work 100))
    (mp:signal-semaphore *step-done*)))

(defun step-thread ()
  (mp:signal-semaphore *steps*)
  (mp:wait-on-semaphore *step-done*))

(defvar *stepper* (mp:process-run-function "stepper" #'stepper))

(measuring ("a thread goes on after stop: first step" :residual nil)
    (step-thread)
  (self 'thread-work 100 (* 100 +cons+)))

(step-thread)

(measuring ("a thread goes on after stop: third step" :residual nil)
    (step-thread)
  (self 'thread-work 100 (* 100 +cons+))
  (calls 'stepper 1))

(mp:process-join *stepper*)

;;; Many short threads.

(measuring ("50 threads one after the other" :residual nil)
    (dotimes (i 50)
      (run-threads 1 (lambda () (thread-work 10))))
  (self 'thread-work 500 (* 500 +cons+))
  (calls 'thread-work 50))
