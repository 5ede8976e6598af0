;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Lisp in coroutines on stacks that C has made, which yield to whoever resumed
;;;; them, in the same thread or in another one: each frame counts once, however
;;;; often and wherever it is resumed.  coroutines.c has the C side.

(in-package #:exact)

(defvar *resume* (c-function "coroutine_resume"))
(defvar *yield* (c-function "coroutine_yield"))

(defun work (n)
  (dotimes (i n)
    (keep (cons i i))))

(defun yield ()
  (si:call-cfun *yield* :void '() '()))

(defun descend (n)
  (work 1)
  (yield)
  (when (plusp n)
    (descend (1- n)))
  (work 2)
  (yield))

(ffi:defcallback begin-descent :long ((n :long))
  (descend n)
  0)

(defun coroutine (n)
  "Return the address of a coroutine that descends N times."
  (si:call-cfun (c-function "coroutine_new") :unsigned-long
                '(:pointer-void :long)
                (list (ffi:callback 'begin-descent) n)))

(defun free (&rest coroutines)
  (dolist (coroutine coroutines)
    (si:call-cfun (c-function "coroutine_free") :void '(:unsigned-long)
                  (list coroutine))))

(defun resume (coroutine)
  "Return true if the coroutine has come to another yield."
  (= 1 (si:call-cfun *resume* :long '(:unsigned-long) (list coroutine))))

(defun check-descent (descents depth)
  (let ((n (* descents (1+ depth))))
    (conses 'work (* 3 n))
    (calls 'work (* 2 n))
    (calls 'descend n)
    (calls 'begin-descent descents)
    (arc 'begin-descent 'descend descents (* 3 n) (* 3 n +cons+))
    (arc 'descend 'descend (* descents depth))
    (arc 'descend 'work (* 2 n) (* 3 n) (* 3 n +cons+))))

;;; The collector rests, so what it has given out is not known to the byte.

(let ((c (coroutine 50))
      (d (coroutine 50)))
  (measuring ("two recursions in turns" :residual nil)
      (loop for more = (resume c)
            do (resume d)
            while more)
    (check-descent 2 50))
  (free c d))

(defvar *go* (mp:make-semaphore))
(defvar *done* (mp:make-semaphore))

(defun wander (coroutine)
  "Resume the coroutine here and in another thread in turns."
  (let* ((more t)
         (server (mp:process-run-function
                  "server"
                  (lambda ()
                    (loop (mp:wait-on-semaphore *go*)
                          (unless more (return))
                          (setf more (resume coroutine))
                          (mp:signal-semaphore *done*))))))
    (loop while (and more (setf more (resume coroutine)))
          do (mp:signal-semaphore *go*)
             (mp:wait-on-semaphore *done*))
    (mp:signal-semaphore *go*)
    (mp:process-join server)))

(let ((c (coroutine 50)))
  (measuring ("another thread each time" :residual nil)
      (wander c)
    (check-descent 1 50))
  (free c))
