;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; The ways in which a thread can end, each with known frames on its stack,
;;;; and a thread that C has made.  What was counted stays, and belongs to the
;;;; thread.

(in-package #:exact)

(setf *dump-only* "EXACT::WORK")

(defvar *ready* (mp:make-semaphore))
(defvar *go* (mp:make-semaphore))

(defun work (n)
  (dotimes (i n)
    (keep (cons i i))))

(defun below-frames (depth function)
  "Call FUNCTION below DEPTH frames, each of which has allocated."
  (work 1)
  (if (zerop depth)
      (funcall function)
      (below-frames (1- depth) function))
  (work 1))

(defun run-to-the-end (name function)
  "Run FUNCTION in a thread and wait until it is gone."
  (let ((thread (mp:process-run-function name function)))
    (mp:process-join thread)
    (loop while (mp:process-active-p thread)
          do (mp:process-yield))))

;;; It returns.

(measuring ("a thread returns")
    (run-to-the-end "returns" (lambda () (below-frames 20 (lambda ()))))
  (self 'work 42 (* 42 +cons+))
  (calls 'work 42)
  (calls 'below-frames 21))

;;; It is killed while it waits; its cleanup forms run.

(defun wait-to-be-killed ()
  (unwind-protect
       (progn
         (mp:signal-semaphore *ready*)
         (mp:wait-on-semaphore *go*))
    (work 3)))

(measuring ("a thread is killed")
    (let ((thread (mp:process-run-function
                   "killed"
                   (lambda () (below-frames 20 #'wait-to-be-killed)))))
      (mp:wait-on-semaphore *ready*)
      (mp:process-kill thread)
      (mp:process-join thread))
  (self 'work 24 (* 24 +cons+))
  (calls 'work 22)
  (arc 'wait-to-be-killed 'work 1)
  (calls 'below-frames 21))

;;; An error ends it.

(defun fail-in-thread ()
  (handler-bind ((error (lambda (condition)
                          (declare (ignore condition))
                          (work 5)
                          (mp:exit-process))))
    (error "This is the end.")))

(measuring ("an error ends a thread")
    (run-to-the-end "error" (lambda () (below-frames 20 #'fail-in-thread)))
  (self 'work 26 (* 26 +cons+))
  (calls 'work 22)
  (calls 'below-frames 21))

;;; C code ends it with pthread_exit.  Lisp's cleanup forms do not run then.

(defvar *library* (ext:getenv "EXACT_LIBRARY"))
(defvar *end-thread*
  (si:find-foreign-symbol "end_thread" *library* :pointer-void 0))
(defvar *call-in-new-thread*
  (si:find-foreign-symbol "call_in_new_thread" *library* :pointer-void 0))

(defun end-thread ()
  (si:call-cfun *end-thread* :void '() '()))

(measuring ("pthread_exit ends a thread")
    (run-to-the-end "exit" (lambda () (below-frames 20 #'end-thread)))
  (self 'work 21 (* 21 +cons+))
  (calls 'work 21)
  (calls 'below-frames 21))

;;; Its stack overflows, it recovers, and goes on.  A large frame in C between
;;; any two in Lisp makes that soon, for whole walks.

(defvar *with-large-frame*
  (si:find-foreign-symbol "with_large_frame" *library* :pointer-void 0))
(defvar *dive-arguments* (list nil 0))
(defvar *depth* 0)
(declaim (fixnum *depth*))

(defun note-depth (n)
  (keep (cons n n))
  (setf *depth* n))

(ffi:defcallback dive :long ((n :long))
  (note-depth n)
  (rplaca (rest *dive-arguments*) (1+ n))
  (si:call-cfun *with-large-frame* :long '(:pointer-void :long)
                *dive-arguments*))

(setf (first *dive-arguments*) (ffi:callback 'dive))

(defun overflow ()
  (handler-case (dive 1)
    (ext:stack-overflow ()
      (work 7))))

(measuring ("the stack of a thread overflows")
    (run-to-the-end "overflow" (lambda () (below-frames 5 #'overflow)))
  (check "it was deep" t (> *depth* 100))
  (self 'note-depth *depth* (* *depth* +cons+))
  (calls 'note-depth *depth*)
  (self 'work 19 (* 19 +cons+))
  (calls 'work 13)
  (arc 'overflow 'work 1))

;;; Threads that come and go, more than have a tree of their own.

(measuring ("300 threads")
    (dotimes (i 300)
      (run-to-the-end "many" (lambda () (below-frames 3 (lambda ())))))
  (self 'work 2400 (* 2400 +cons+))
  (calls 'work 2400)
  (calls 'below-frames 1200))

;;; A thread that C has made.

(ffi:defcallback work-callback :long ((n :long))
  (work n)
  n)

(defvar *arguments* (list "from C" (ffi:callback 'work-callback) 10))

(measuring ("a thread that C has made" :residual nil)
    (si:call-cfun *call-in-new-thread* :long '(:object :pointer-void :long)
                  *arguments*)
  (self 'work 10 (* 10 +cons+))
  (calls 'work 1)
  ;; what ECL allocates to import a thread comes before it is announced
  (check "the residual has its reason"
         '("what the runtime allocated for 1 threads, which C made, before they were imported")
         (nth-value 1 (mprof:profile-comment "mprof.residual_note" *profile*))))
