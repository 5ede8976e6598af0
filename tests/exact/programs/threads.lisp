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

(defun threads-called (name n allocations)
  "Checks that all N threads of that NAME are one, in which THREAD-WORK made
ALLOCATIONS conses for each."
  (check (format nil "threads called ~A" name) 1
         (count name (mprof.data:figure :threads *profile*)
                :key (mprof.data:reader :name) :test #'string=))
  (check (format nil "THREAD-WORK in threads called ~A" name)
         (list (* n allocations) (* n allocations +cons+))
         (work-of-thread name)))

(defun work-of-thread (name)
  "What THREAD-WORK did in the thread that is called NAME in the tables."
  (let* ((literal (substitute-if #\. (lambda (c) (find c "[]()")) name))
         (profile (mprof:profile nil :thread (format nil "^~A$" literal)))
         (f (mprof.data:row :functions 'thread-work profile)))
    (check (format nil "everything by ~A" name)
           (let ((thread (mprof.data:row :threads name *profile*)))
             (list (mprof.data:figure :allocations thread)
                   (mprof.data:figure :bytes thread)))
           (list (mprof.data:figure :allocations profile)
                 (mprof.data:figure :bytes profile)))
    (and f
         (list (mprof.data:figure :self-allocations f)
               (mprof.data:figure :self-bytes f)))))

;;; Threads make objects of their own when they begin and end, so only the
;;; functions here are compared; totals still add up.

(measuring ("4 threads started while counting")
    (run-threads 4 (lambda () (thread-work 10000)))
  (self 'thread-work 40000 (* 40000 +cons+))
  (calls 'thread-work 4)
  (threads-called "worker" 4 10000))

(defvar *early*
  (loop repeat 4 collect (mp:process-run-function "early" #'wait-then-work)))

(measuring ("4 threads started before")
    (progn
      (mp:signal-semaphore *gate* 4)
      (dotimes (i 4)
        (mp:wait-on-semaphore *done*)))
  (self 'thread-work 40000 (* 40000 +cons+))
  (calls 'thread-work 4)
  (calls 'wait-then-work 4)
  (threads-called "early" 4 10000))

(mapc #'mp:process-join *early*)

;;; This thread works at the same time.

(measuring ("this thread and others")
    (let ((threads (loop repeat 2
                         collect (mp:process-run-function
                                  "worker" (lambda () (thread-work 20000))))))
      (thread-work 20000)
      (mapc #'mp:process-join threads))
  (self 'thread-work 60000 (* 60000 +cons+))
  (calls 'thread-work 3)
  (threads-called "worker" 2 20000)
  (threads-called "SI:TOP-LEVEL" 1 20000))

;;; Threads without names, and one that has a name of its own.

(measuring ("threads without names")
    (mapc #'mp:process-join
          (list (mp:process-run-function "" #'thread-work 10)
                (mp:process-run-function "" #'thread-work 10)
                (mp:process-run-function "single" #'thread-work 30)))
  (self 'thread-work 50 (* 50 +cons+))
  (threads-called "[unnamed]" 2 10)
  (threads-called "single" 1 30))

;;; A thread that goes on after counting has stopped, and is counted again:
;;; what it does in between is not.

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

(measuring ("a thread goes on after stop: first step")
    (step-thread)
  (self 'thread-work 100 (* 100 +cons+)))

(step-thread)

(measuring ("a thread goes on after stop: third step")
    (step-thread)
  (self 'thread-work 100 (* 100 +cons+))
  (calls 'stepper 1)
  (threads-called "stepper" 1 100))

(mp:process-join *stepper*)

;;; Many short threads.

(measuring ("50 threads one after the other")
    (dotimes (i 50)
      (run-threads 1 (lambda () (thread-work 10))))
  (self 'thread-work 500 (* 500 +cons+))
  (calls 'thread-work 50)
  (threads-called "worker" 50 10))

;;; Threads that are in the middle of it when counting begins and when it
;;; ends: an object that the collector has given out is counted either by both
;;; sides or by none.

(defvar *busy* t)

(defun one-of-each (i)
  (keep (list i (* 1.5d0 i) (make-array (mod i 50)) (expt 3 (mod i 200))
              (make-string (mod i 300)) (make-hash-table))))

(defun busy ()
  (loop for i from 0
        while *busy*
        do (one-of-each i)))

(dotimes (i 10)
  (setf *busy* t)
  (let ((threads (loop repeat 3
                       collect (mp:process-run-function "busy" #'busy))))
    (sleep 0.01)
    (measuring ("threads allocate while counting begins and ends")
        (progn
          (thread-work 10)
          (when (evenp i)
            (ext:gc))
          (when (> i 5)
            (setf *busy* nil)
            (mapc #'mp:process-join threads))
          (sleep 0.01))
      (self 'thread-work 10 (* 10 +cons+)))
    (setf *busy* nil)
    (mapc #'mp:process-join threads)))

;;; Threads of one name are one, also those that live at the same time.

(defun run-thread-to-gate ()
  (mp:signal-semaphore *done*)
  (mp:wait-on-semaphore *gate*)
  (thread-work 10)
  (mp:signal-semaphore *done*))

(defun threads-of-one-name (n)
  "N threads, one begun after the other."
  (let ((threads (loop repeat n
                       collect (mp:process-run-function
                                "same" #'run-thread-to-gate)
                       do (mp:wait-on-semaphore *done*))))
    (mp:signal-semaphore *gate* n)
    (dotimes (i n)
      (mp:wait-on-semaphore *done*))
    (mapc #'mp:process-join threads)))

(measuring ("threads with one name")
    (threads-of-one-name 4)
  (self 'thread-work 40 (* 40 +cons+))
  (threads-called "same" 4 10))

;;; One that begins while counting, and ends after it has stopped.

(defvar *late* nil)

(defun work-and-stay ()
  (keep (thread-work 70))
  (mp:signal-semaphore *step-done*)
  (mp:wait-on-semaphore *gate*)
  (keep (thread-work 1000)))

(measuring ("a thread ends after stop" :residual nil)
    (progn
      (setf *late* (mp:process-run-function "late" #'work-and-stay))
      (mp:wait-on-semaphore *step-done*))
  (threads-called "late" 1 70))

(mp:signal-semaphore *gate*)
(mp:process-join *late*)
(setf *title* "a thread ended after stop")
(take-profile)
(threads-called "late" 1 70)
