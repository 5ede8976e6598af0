;;;; variants: compiled bytecode
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Lisp that C called: the chain goes from the Lisp caller through libffi
;;;; and the C function to the Lisp callback, also through code that has no
;;;; frame pointers.  (embedding/ has code with anything in their register.)
;;;; foreign.c has the C side.

(in-package #:exact)

(defvar *arguments* '(:pointer-void :long))

(defun call-c (function values)
  (si:call-cfun function :long *arguments* values))

;;; Interpreted functions need two conses for each of their variables.

(define-callback pair-callback :long ((n :long))
  (keep (cons n n))
  n)

(defvar *pair* (ffi:callback 'pair-callback))

(defun conses (n)
  "The arguments ALLOCATIONS and BYTES for N conses, and as many variables."
  (let ((n (+ n (v n))))
    (list n (* n +cons+))))

(defun check-chain (n figures &rest functions)
  "Each of FUNCTIONS called the next one N times, for allocations of FIGURES."
  (loop for (caller callee) on functions
        while callee
        do (apply #'arc caller callee n figures)))

(defun check-callback (caller name n figures)
  "CALLER, in C, called back the Lisp function NAME."
  (apply #'self name figures)
  (calls name n)
  (ecase *variant*
    (:compiled (check-chain n figures caller `(ffi:callback ,name) name))
    (:bytecode (check-chain n figures caller name))))

;;; Every kind of C frame, each entered once.

(defmacro measuring-c ((name n &rest frames))
  "C's NAME calls back N times.  FRAMES: functions of its own below it."
  `(let ((function (c-function ,name))
         (values (list *pair* 10))
         (figures (conses ,n)))
     (measuring ((format nil "~A calls back" ,name)) (call-c function values)
       (check-callback ,(or (first (last frames)) name) 'pair-callback ,n
                       figures)
       (check-chain 1 figures 'call-c 'si:call-cfun ,name ,@frames)
       (calls 'call-c 1))))

(measuring-c ("foreign_many_values" 20))
(measuring-c ("foreign_alloca" 1))
(measuring-c ("foreign_two_frames" 1 "inner"))

;;; A C function that ends in a call leaves its frame before it: there is
;;; nothing to find.

(let ((function (c-function "foreign_tail_call"))
      (values (list *pair* 10)))
  (measuring ("a tail call in C") (call-c function values)
    (check-callback 'si:call-cfun 'pair-callback 1 (conses 1))
    (absent "foreign_tail_call")))

;;; The callback calls C again.  Each of 50 turns has a chain of its own, one
;;; level deeper than the last.

(defvar *recursive* (c-function "foreign_recursive"))
(defvar *recursive-values* (list nil 50))
(defvar *turns* (rest *recursive-values*))

(define-callback turn-callback :long ((n :long))
  (keep (list n))
  (rplaca *turns* n)
  (call-c *recursive* *recursive-values*))

(setf (first *recursive-values*) (ffi:callback 'turn-callback))

(measuring ("Lisp and C call each other 50 deep")
    (call-c *recursive* *recursive-values*)
  (check-chain 50 '() 'si:call-cfun "foreign_recursive")
  (check-chain 50 '() "foreign_recursive"
               (by-variant '(ffi:callback turn-callback) 'turn-callback))
  (calls 'turn-callback 50)
  (arc 'turn-callback 'call-c (by-variant 49 50)) ; the last does not call back
  (apply #'self 'turn-callback (conses 50)))

;;; A jump from Lisp to Lisp over the C frames in between.  What comes after
;;; has nothing to do with these.

(define-callback thrower-callback :long ((n :long))
  (keep (cons n n))
  (throw 'out n))

(defvar *thrower-values* (list (ffi:callback 'thrower-callback) 10))

(defun after-throw (x)
  (keep (cons x x)))

(defun throw-over (function n)
  (dotimes (i n)
    (catch 'out
      (call-c function *thrower-values*))
    (after-throw i)))

(dolist (name '("foreign_many_values" "foreign_alloca" "foreign_two_frames"))
  (let ((function (c-function name)))
    (measuring ((format nil "throws over ~A" name)) (throw-over function 100)
      (check-callback (if (string= name "foreign_two_frames") "inner" name)
                      'thrower-callback 100 (conses 100))
      (apply #'self 'after-throw (conses 100))
      (calls 'throw-over 1)
      (calls 'after-throw 100)
      (check-chain 100 (conses 100) 'throw-over 'after-throw))))

;;; C functions are the program's, whatever they are called: what one makes that
;;; a form calls is made at run time, not in evaluation.

(defvar *cons-function* (c-function "FOREIGN_CONS"))
(defvar *cons-values* (list 10))

(defun conses-in (phase)
  (let ((f (mprof.data:row :functions "FOREIGN_CONS"
                                (mprof:load-profile nil :phase phase))))
    (if f (mprof.data:figure :self-allocations f) 0)))

(setf *title* (format nil "~(~A~), a form calls C" *variant*))
(mprof:with-profiling (:report nil :full-walk *full-walk*)
  (eval '(si:call-cfun *cons-function* :long '(:long) *cons-values*)))
(check "conses by phase" '(10 0) (list (conses-in :run) (conses-in :eval)))

;;; A library that C closes while its functions are in the profile, which nobody
;;; tells the monitor.

(defun other-library (number)
  (format nil "~A-~D.so"
          (subseq *library* 0 (position #\. *library* :from-end t)) number))

(defvar *second-library* (other-library 2))

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
    (apply #'inclusive "foreign_alloca" (conses 1))))

;;; Libraries that have different code at the same addresses, one after the
;;; other.

(defvar *places* '())

(defun load-and-call (number values)
  (let* ((name (other-library number))
         (library (si:load-foreign-module name))
         (function (c-function "foreign_block" name)))
    (push (si:foreign-data-address function) *places*)
    (call-c function values)
    (si:unload-foreign-module library)))

(let ((values (list *pair* 10)))
  (measuring ("other code at the same addresses")
      (progn
        (load-and-call 2 values)
        (load-and-call 3 values)
        (load-and-call 2 values))
    (check-callback "foreign_block" 'pair-callback 3 (conses 3))
    (calls 'load-and-call 3)
    (arc 'load-and-call 'call-c 3)
    (apply #'inclusive "foreign_block" (conses 3)))
  (unless (apply #'= *places*)
    (format t "# they were loaded at different addresses~%")))

;;; The C library's backtrace() finds the same frames, counting or not.

(defvar *trace* (c-function "foreign_trace"))
(defvar *same-traces* (c-function "foreign_same_traces"))

(defun trace-below (n which)
  (keep (list n))
  (if (zerop n)
      (si:call-cfun *trace* :int '(:int) which)
      (trace-below (1- n) which))
  (keep (list n)))

(defvar *switches* (list #'mprof:stop #'start))

;;; With one call of TRACE-BELOW in its code.
(defun trace-twice ()
  (loop for switch in *switches*
        for which in '((0) (1))
        do (funcall switch)
           (trace-below 30 which)))

(measuring ("backtrace()" :residual nil) (trace-twice)
  (let ((n (si:call-cfun *same-traces* :int '() '())))
    (check "the same frames" t (> n 31) n))
  (calls 'trace-below 31)
  (arc 'trace-twice 'trace-below 1)
  (apply #'self 'trace-below (conses 62)))
