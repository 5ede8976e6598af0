;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Lisp that C called: the chain goes from the Lisp caller through libffi
;;;; and the C function to the Lisp callback, also through code that has no
;;;; frame pointers.  (embedding/ has code with anything in their register, and
;;;; random/ callbacks that are left by jumps and call C again.)  foreign.c has
;;;; the C side.

(in-package #:exact)

(defvar *arguments* '(:pointer-void :long))

(defun call-c (function values)
  (si:call-cfun function :long *arguments* values))

(ffi:defcallback pair-callback :long ((n :long))
  (keep (cons n n))
  n)

(defvar *pair* (ffi:callback 'pair-callback))

(defun check-chain (calls n &rest functions)
  "Each of FUNCTIONS called the next one CALLS times, for N conses below."
  (loop for (caller callee) on functions
        while callee
        do (conses-of caller callee calls n)))

(defun check-callback (caller n)
  "CALLER, in C, called back N times."
  (conses 'pair-callback n)
  (check-chain n n caller '(ffi:callback pair-callback) 'pair-callback))

;;; Every kind of C frame, each entered once.

(defmacro measuring-c ((name n &rest frames))
  "C's NAME calls back N times.  FRAMES: functions of its own below it."
  `(let ((function (c-function ,name))
         (values (list *pair* 10)))
     (measuring ((format nil "~A calls back" ,name)) (call-c function values)
       (check-callback ,(or (first (last frames)) name) ,n)
       (check-chain 1 ,n 'call-c 'si:call-cfun ,name ,@frames)
       (calls 'call-c 1))))

(measuring-c ("foreign_many_values" 20))
(measuring-c ("foreign_alloca" 1))
(measuring-c ("foreign_two_frames" 1 "inner"))

;;; A C function that ends in a call leaves its frame before it: there is
;;; nothing to find.

(let ((function (c-function "foreign_tail_call"))
      (values (list *pair* 10)))
  (measuring ("a tail call in C") (call-c function values)
    (check-callback 'si:call-cfun 1)
    (absent "foreign_tail_call")))

;;; C functions are the program's, whatever they are called: what one makes that
;;; a form calls is made at run time, not in evaluation.

(defvar *cons-function* (c-function "FOREIGN_CONS"))
(defvar *cons-values* (list 10))

(defun conses-in (phase)
  (let ((f (mprof.data:row :functions "FOREIGN_CONS"
                                (mprof:load-profile nil :phase phase))))
    (if f (mprof.data:figure :self-allocations f) 0)))

(setf *title* "a form calls C")
(mprof:with-profiling (:report nil :full-walk *full-walk*)
  (eval '(si:call-cfun *cons-function* :long '(:long) *cons-values*)))
(check "conses by phase" '(10 0) (list (conses-in :run) (conses-in :eval)))

;;; A library that C closes while its functions are in the profile, which nobody
;;; tells the monitor.

(defvar *second-library*
  (let ((name (format nil "~A-2" *library*)))
    (si:copy-file *library* name)
    name))

(defun linker (name type types &rest values)
  (si:call-cfun (c-function name :default) type types values))

(let* ((library (linker "dlopen" :pointer-void '(:cstring :int)
                        *second-library* 2)) ; RTLD_NOW
       (function (linker "dlsym" :pointer-void '(:pointer-void :cstring)
                         library "foreign_alloca"))
       (close (c-function "dlclose" :default))
       (values (list *pair* 10))
       (close-values (list library)))
  (measuring ("a library that C closes")
      (progn
        (call-c function values)
        (si:call-cfun close :int '(:pointer-void) close-values))
    (inclusive "foreign_alloca" 1 +cons+)))
