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

(defun run-to-the-end (name function &optional (end (lambda (thread) thread)))
  "Run FUNCTION in a thread, call END with that, and wait until it is gone."
  (let ((thread (mp:process-run-function name function)))
    (funcall end thread)
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

(defvar *end-thread* (c-function "end_thread"))

(defun end-thread ()
  (si:call-cfun *end-thread* :void '() '()))

(measuring ("pthread_exit ends a thread")
    (run-to-the-end "exit" (lambda () (below-frames 20 #'end-thread)))
  (self 'work 21 (* 21 +cons+))
  (calls 'work 21)
  (calls 'below-frames 21))

;;; The same, below a callback.

(defvar *with-large-frame* (c-function "with_large_frame"))

(define-callback ending :long ((n :long))
  (work n)
  (end-thread)
  n)

(defvar *ending* (list (ffi:callback 'ending) 3))

(defun end-below-callback ()
  (si:call-cfun *with-large-frame* :long '(:pointer-void :long) *ending*))

(measuring ("pthread_exit below a callback")
    (run-to-the-end "exit" (lambda () (below-frames 20 #'end-below-callback)))
  (self 'work 24 (* 24 +cons+))
  (calls 'work 22)
  (arc 'ending 'work 1 3 (* 3 +cons+))
  (calls 'ending 1)
  (calls 'below-frames 21))

;;; It waits in C, and is cancelled there, or killed by Lisp.  Only the latter
;;; runs cleanup forms.

(defvar *call-and-wait* (c-function "call_and_wait"))
(defvar *cancel-waiting* (c-function "cancel_waiting"))

(define-callback arrived :long ((n :long))
  (work n)
  (mp:signal-semaphore *ready*)
  n)

(defvar *waiting* (list (ffi:callback 'arrived) 3))

(defun wait-in-c ()
  (unwind-protect
       (si:call-cfun *call-and-wait* :long '(:pointer-void :long) *waiting*)
    (work 5)))

(defun cancel (thread)
  (declare (ignore thread))
  (mp:wait-on-semaphore *ready*)
  (si:call-cfun *cancel-waiting* :int '() '()))

(defun kill (thread)
  (mp:wait-on-semaphore *ready*)
  (mp:process-kill thread))

(defun check-waiting (cleanups)
  (let ((n (+ 24 (* 5 cleanups))))
    (self 'work n (* n +cons+)))
  (calls 'work (+ 22 cleanups))
  (arc 'arrived 'work 1 3 (* 3 +cons+))
  (calls 'arrived 1)
  (calls 'below-frames 21))

(measuring ("pthread_cancel in C")
    (run-to-the-end "cancelled" (lambda () (below-frames 20 #'wait-in-c))
                    #'cancel)
  (check-waiting 0)
  (no-arc 'wait-in-c 'work))

(measuring ("a thread is killed in C")
    (run-to-the-end "killed" (lambda () (below-frames 20 #'wait-in-c)) #'kill)
  (check-waiting 1)
  (arc 'wait-in-c 'work 1 5 (* 5 +cons+)))

;;; Its stack overflows, it recovers, and goes on.  A large frame in C between
;;; any two in Lisp makes that soon, for whole walks.

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

(defvar *call-in-new-thread* (c-function "call_in_new_thread"))

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
         '("memory that the runtime allocated for 1 threads, created by C code, before they were imported")
         (nth-value 1 (mprof.data:comment "mprof.residual_note" *profile*))))

;;; Threads begin and end while profiles are saved and counting stops and
;;; starts.  The collector makes a record of each thread, in which run or
;;; between which two is left to chance: a hundred and sixty of them.

(defun make-threads (n)
  (dotimes (i n)
    (mp:process-join (mp:process-run-function "short" #'list))))

(measuring ("threads begin and end at all times")
    (let ((makers (loop repeat 4
                        collect (mp:process-run-function
                                 "maker" #'make-threads 40))))
      (loop while (some #'mp:process-active-p makers)
            for i from 1
            do (mprof:save *saved*)
               (when (zerop (mod i 5))
                 (mprof:stop)
                 (start)))
      (mapc #'mp:process-join makers)))
