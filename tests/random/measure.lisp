;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; measure.lisp -- run a random program under the profiler, and take the
;;;; chains of calls out of the profile.
;;;;
;;;; Programs with threads.  The runtime allocates when threads begin and end;
;;;; only what is below CALL-PROGRAM is compared then.

(defpackage #:random-tests
  (:use #:common-lisp #:generator))

(in-package #:random-tests)

(defvar *file* (namestring (ext:mkstemp "TMP:random-"))
  "Where profiles go.")

;;; Running

(defvar *states*
  (let ((states (make-array 4)))
    (dotimes (i 4 states)
      (setf (aref states i) (oracle:make-state))))
  "An oracle for the main thread and each other one.")

(defun call-program (function seed fuel)
  "Below this lies what a program allocates."
  (let ((rp::*closure* nil) (rp::*kept* nil))
    (oracle:begin seed fuel)
    (catch 'rp::first-tag
      (catch 'rp::second-tag
        (catch 'rp::third-tag
          (funcall function)))))
  nil)

(defvar *ready* (mp:make-semaphore) "A thread has filled its caches.")
(defvar *go* (mp:make-semaphore) "It may go on.")

(defun call-in-thread (state function seed fuel rehearse)
  "What another thread does; REHEARSE: once before the profiler counts."
  (let ((oracle:*state* state)
        (rp::*callee* nil)
        (rp::*special* nil))
    (when rehearse
      (call-program function seed fuel)
      (mp:signal-semaphore *ready*)
      (mp:wait-on-semaphore *go*))
    (call-program function seed fuel)))

(defun start-threads (program rehearse)
  "Start the threads of PROGRAM, and wait until they have rehearsed."
  (let ((threads (loop for i from 1 to (program-threads program)
                       collect (mp:process-run-function
                                "random" #'call-in-thread (aref *states* i)
                                (symbol-function (program-entry program))
                                (+ (program-seed program) i)
                                (program-fuel program) rehearse))))
    (when rehearse
      (dolist (thread threads threads)
        (mp:wait-on-semaphore *ready*)))
    threads))

(defun call-in-main-thread (program)
  (rp::restore)
  (let ((oracle:*state* (aref *states* 0)))
    (call-program (symbol-function (program-entry program))
                  (program-seed program) (program-fuel program))))

(defun measure (program &rest options)
  "Run PROGRAM under the profiler; the profile is in *FILE* then.

Caches of generic functions and buffers for foreign calls belong to a thread.
Threads of a program that needs them rehearse, and so begin before the profiler
counts; others begin and end while it does."
  (mprof:reset)
  (let* ((threaded (plusp (program-threads program)))
         (rehearse (and threaded (program-rehearsed program)))
         (threads (if rehearse (start-threads program t) '())))
    (apply #'mprof:start options)
    (when threaded
      (if rehearse
          (mp:signal-semaphore *go* (length threads))
          (setf threads (start-threads program nil))))
    (call-in-main-thread program)
    (mapc #'mp:process-join threads)
    (mprof:stop))
  (let ((*error-output* (make-broadcast-stream)))
    (mprof:save *file*)))

;;; Chains

(defvar *root* "RANDOM-TESTS::CALL-PROGRAM")

(defun export-text (&rest arguments)
  (multiple-value-bind (text message)
      (apply #'mprof::run-command "export" "--format=folded" "--frames=types"
             (append arguments (list "--" *file*)))
    (when message
      (error "~A" message))
    text))

(defun text-lines (text)
  (loop for start = 0 then (1+ end)
        for end = (position #\Newline text :start start)
        while end
        collect (subseq text start end)))

(defvar *prefix* ""
  "What the last line had before the program's part.  SEARCH is slow, and most
lines have the same there.")

(defun prefix-p (prefix line)
  (declare (optimize (speed 3) (safety 0)))
  (let ((n (length prefix)))
    (and (<= n (length line))
         (if (and (typep prefix '(simple-array character (*)))
                  (typep line '(simple-array character (*))))
             (loop for i of-type fixnum below n
                   always (char= (schar prefix i) (schar line i)))
             (string= prefix line :end2 n)))))

(defun below-root (line)
  "What LINE has behind *ROOT*, or NIL."
  (unless (and (plusp (length *prefix*)) (prefix-p *prefix* line))
    (let ((at (search *root* line)))
      (if at
          (setf *prefix* (subseq line 0 (+ at 1 (length *root*))))
          (return-from below-root nil))))
  (subseq line (length *prefix*)))

(defun all-chains ()
  "The objects and the bytes of the profile, as two texts."
  (list (export-text "--system=show" "--value=allocs")
        (export-text "--system=show")))
