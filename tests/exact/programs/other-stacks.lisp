;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Lisp on stacks that C has made: coroutines that yield to whoever resumed
;;;; them, in the same thread or in another one, and signal handlers.  Such a
;;;; stack lies above or below the thread's own.  other-stacks.c has the C
;;;; side.

(in-package #:exact)

(setf *dump-only* "EXACT::WORK")

(defun work (n)
  (dotimes (i n)
    (keep (cons i i))))

(defun chains-of (name)
  "All chains that have NAME, from the root, without figures, each once."
  (remove-duplicates
   (loop for line in (folded-lines *saved* "allocs")
         for chain = (split (subseq line 0 (position #\Space line :from-end t))
                            #\;)
         when (member (shown name) chain :test #'string=)
           collect chain)
   :test #'equal))

(defun check-chains-of (name &rest chains)
  (flet ((in-order (chains)
           (sort (mapcar (lambda (chain) (format nil "~{~A~^ > ~}" chain))
                         chains)
                 #'string<)))
    (check (format nil "chains of ~A" (shown name))
           (in-order (mapcar (lambda (chain) (mapcar #'shown chain)) chains))
           (in-order (chains-of name))
           (length chains))))

;;; Coroutines.

(defvar *new* (c-function "coroutine_new"))
(defvar *free* (c-function "coroutine_free"))
(defvar *resume* (c-function "coroutine_resume"))
(defvar *yield* (c-function "coroutine_yield"))

(defun coroutine (body n &key above old)
  "A coroutine, which is a list of its address."
  (let ((c (si:call-cfun *new* :unsigned-long
                         '(:pointer-void :long :long :unsigned-long)
                         (list (ffi:callback body) n (if above 1 0)
                               (or old 0)))))
    (check "there is room for its stack" t (plusp c))
    (list c)))

(defun free (coroutine)
  (si:call-cfun *free* :void '(:unsigned-long) coroutine))

(defun resume (coroutine)
  "Whether the coroutine has come to another yield."
  (= 1 (si:call-cfun *resume* :long '(:unsigned-long) coroutine)))

(defun yield ()
  (si:call-cfun *yield* :void '() '()))

(define-callback generate :long ((n :long))
  (dotimes (i n)
    (work 1)
    (yield))
  0)

(defun run-to-the-end (coroutine)
  (loop while (resume coroutine)))

;;; Each frame of DESCEND is resumed many times, and counts once.

(defun descend (n)
  (work 1)
  (yield)
  (when (plusp n)
    (descend (1- n)))
  (work 2)
  (yield))

(define-callback begin-descent :long ((n :long))
  (descend n)
  0)

(defun check-descent (descents depth)
  (let ((n (* descents (1+ depth))))
    (self 'work (* 3 n) (* 3 n +cons+))
    (calls 'work (* 2 n))
    (calls 'descend n)
    (calls 'begin-descent descents)
    (arc 'begin-descent 'descend descents (* 3 n) (* 3 n +cons+))
    (arc 'descend 'descend (* descents depth))
    (arc 'descend 'work (* 2 n) (* 3 n) (* 3 n +cons+))
    (check-chains-of 'work
                     '("coroutine_main" (ffi:callback begin-descent)
                       begin-descent descend work)
                     '("coroutine_main" (ffi:callback begin-descent)
                       begin-descent descend descend work))))

(defun run-in-turns (one other)
  (loop for more = (resume one)
        do (resume other)
        while more))

;;; One coroutine resumes another.

(defvar *inner* nil)

(define-callback drive :long ((n :long))
  (dotimes (i n)
    (work 1)
    (resume *inner*)
    (yield))
  0)

(defun check-driven (n)
  (self 'work (* 2 n) (* 2 n +cons+))
  (calls 'work (* 2 n))
  (calls 'drive 1)
  (calls 'generate 1)
  (arc 'drive 'work n)
  (arc 'generate 'work n)
  (check-chains-of 'work
                   '("coroutine_main" (ffi:callback drive) drive work)
                   '("coroutine_main" (ffi:callback generate) generate work)))

;;; All that, in the first thread and in another one.

(defun call-in-thread (function)
  (mp:process-join (mp:process-run-function "other" function)))

(defun call-on-all-stacks (function)
  "Call FUNCTION with a title and where the stack is to be, three times."
  (funcall function "first thread" nil)
  (call-in-thread
   (lambda ()
     (funcall function "another thread, below its own stack" nil)
     (funcall function "another thread, above its own stack" t))))

(defmacro measuring-coroutines ((title &rest bindings) form &body checks)
  "Let BINDINGS be coroutines, run FORM and do the CHECKS, on all stacks.  The
collector rests, so what it has given out is not known to the byte."
  (let ((names (mapcar #'first bindings)))
    `(call-on-all-stacks
      (lambda (where above)
        (let ,(loop for (name . arguments) in bindings
                    collect `(,name (coroutine ,@arguments :above above)))
          (measuring ((format nil "~A, ~A" ,title where) :residual nil) ,form
            ,@checks)
          (mapc #'free (list ,@names)))))))

(measuring-coroutines ("two recursions in turns"
                      (c 'begin-descent 50) (d 'begin-descent 50))
    (run-in-turns c d)
  (check-descent 2 50))

(measuring-coroutines ("one resumes another" (c 'drive 100) (d 'generate 100))
    (progn
      (setf *inner* d)
      (run-to-the-end c))
  (check-driven 100))

;;; A coroutine that is given up, and others on the same stack after it.

(defun give-up-often (coroutine n)
  (dotimes (i n)
    (coroutine 'begin-descent 20 :old (first coroutine))
    (dotimes (j 7)
      (resume coroutine))))

(measuring-coroutines ("given up and begun again" (c 'begin-descent 20))
    (give-up-often c 10)
  (self 'work 70 (* 70 +cons+))
  (calls 'work 70)
  (calls 'descend 70)
  (calls 'begin-descent 10)
  (arc 'begin-descent 'descend 10)
  (arc 'descend 'descend 60))

;;; Begun in one thread and resumed in others.

(defvar *go* (mp:make-semaphore))
(defvar *done* (mp:make-semaphore))
(defvar *job* nil)

(defun serve ()
  (loop (mp:wait-on-semaphore *go*)
        (unless *job*
          (return))
        (resume *job*)
        (mp:signal-semaphore *done*)))

(defun resume-in-server (coroutine)
  (setf *job* coroutine)
  (mp:signal-semaphore *go*)
  (when coroutine
    (mp:wait-on-semaphore *done*)))

(defun wander (coroutine n)
  "Resume the coroutine N times here, N times in another thread, and so on."
  (let ((server (mp:process-run-function "server" #'serve)))
    (loop while (loop repeat n
                      always (resume coroutine))
          do (loop repeat n
                   do (resume-in-server coroutine)))
    (resume-in-server nil)
    (mp:process-join server)))

(defun check-wandering (n)
  (let ((c (coroutine 'begin-descent 50)))
    (measuring ((format nil "another thread every ~D times" n) :residual nil)
        (wander c n)
      (check-descent 1 50))
    (free c)))

(check-wandering 1)

;;; Signal handlers.  They have nothing to do with what they interrupt.

(defvar *call-in-handler* (c-function "call_in_handler"))

(define-callback in-handler :long ((n :long))
  (work n)
  (work n)
  n)

(defun interrupt-itself (n arguments)
  (dotimes (i n)
    (work 1)
    (si:call-cfun *call-in-handler* :long '(:pointer-void :long :long)
                  arguments)
    (work 1)))

(call-on-all-stacks
 (lambda (where above)
   (let ((arguments (list (ffi:callback 'in-handler) 5 (if above 1 0))))
     (measuring ((format nil "a signal handler, ~A" where))
         (interrupt-itself 20 arguments)
       (self 'work (+ 200 40) (* (+ 200 40) +cons+))
       (calls 'work (+ 40 40))
       (calls 'in-handler 20)
       (calls 'interrupt-itself 1)
       (arc '(ffi:callback in-handler) 'in-handler 20 200 (* 200 +cons+))
       (arc 'in-handler 'work 40 200 (* 200 +cons+))
       (arc 'interrupt-itself 'work 40 40 (* 40 +cons+))
       (no-arc 'interrupt-itself 'in-handler)))))
