;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; library.lisp -- what random programs share: objects to allocate, and
;;;; functions that call what they are given.
;;;;
;;;; The ones that are named C-... are compiled, those named B-... are
;;;; byte-compiled, so a program of one kind calls through the other.  Like
;;;; the programs, each tells the oracle when it begins and ends; its name
;;;; there is the number that GENERATOR:FIXED-NAME gives.

(in-package #:rp)

(defvar *kept* nil "The last object, so that no compiler leaves it out.")
(defvar *float* 3.5d0)
(defvar *largest* most-positive-fixnum)
(defvar *three* (list 1 2 3))
(defvar *closure* nil "A closure for anybody to call; one for each thread.")
(defvar *special* nil)

(defstruct (record (:constructor make-record (a b))) a b)

(defclass base () ())
(defclass derived (base) ())
(defvar *base* (make-instance 'base))
(defvar *derived* (make-instance 'derived))

(define-condition trouble (error) ())
(define-condition note () ())
(defvar *trouble* (make-condition 'trouble))
(defvar *note* (make-condition 'note))

(defmacro keep (form)
  `(setf *kept* ,form))

;;; A program without threads may redefine its functions.

(defvar *definitions* '() "Lists (SYMBOL . FUNCTION), as they were made.")

(defun exchange (one other)
  "Let two functions exchange their names; each shows under that which it was
made with."
  (when *definitions*
    (rotatef (fdefinition one) (fdefinition other))))

(defun restore ()
  (loop for (symbol . function) in *definitions*
        unless (eq function (fdefinition symbol))
          do (setf (fdefinition symbol) function)))

(defmacro define-caller (name lambda-list &body body)
  "Define the compiled function C-NAME and the byte-compiled B-NAME."
  (flet ((definition (prefix conses catch-cost)
           (let ((symbol (intern (format nil "~A~A" prefix name) '#:rp)))
             `(defun ,symbol ,lambda-list
                (let ((d (oracle:enter ,(generator:fixed-name symbol)
                                       ,conses)))
                  ,@(subst catch-cost 'catch-cost body)
                  (oracle:leave d))))))
    `(progn
       ,(definition '#:c- 0 0)
       ;; two conses for each variable and tag; one in 24.5.10
       ,@(let ((each (if (eql 0 (search "21." (lisp-implementation-version)))
                         2
                         1)))
           `((eval ',(definition '#:b- (* each (1+ (length lambda-list)))
                                 each)))))))

(define-caller call (f)
  (funcall f))

(define-caller call-twice (f)
  (funcall f)
  (funcall f))

(define-caller call-and-cons (f)
  (keep (cons 1 2))
  (oracle:conses 1)
  (funcall f)
  (keep (cons 1 2))
  (oracle:conses 1))

(define-caller call-protected (f)
  (unwind-protect (funcall f)
    (oracle:back d)
    (keep (cons 1 2))
    (oracle:conses 1)))

(define-caller catch-and-call (f)
  (oracle:conses catch-cost)
  (catch 'first-tag
    (funcall f))
  (oracle:back d)
  (keep (cons 1 2))
  (oracle:conses 1))

;;; A callback: bsearch compares the one element of an array with the key.

(defvar *callee* nil "What the callback calls; one for each thread.")

(ffi:defcallback compare :int ((key :unsigned-long) (element :unsigned-long))
  (declare (ignore key element))
  (let ((d (oracle:enter #.(generator:fixed-name 'compare) 0)))
    (funcall *callee*)
    (oracle:leave d))
  0)

(defvar *bsearch*
  (si:find-foreign-symbol "bsearch" :default :pointer-void 0))

(defvar *bsearch-types*
  '(:pointer-void :pointer-void :unsigned-long :unsigned-long :pointer-void))

(defvar *bsearch-arguments*
  (let ((array (ffi:allocate-foreign-object :int 4)))
    (list array array 1 4 (ffi:callback 'compare))))

(defun c-call-back (f)
  (let ((d (oracle:enter #.(generator:fixed-name 'c-call-back) 0))
        (*callee* f))
    (oracle:via #.(generator:fixed-name 'si:call-cfun))
    (oracle:via #.(generator:fixed-name '(ffi:callback compare)))
    (si:call-cfun *bsearch* :unsigned-long *bsearch-types*
                  *bsearch-arguments*)
    (oracle:leave d)))
