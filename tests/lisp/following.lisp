;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; following.lisp -- what programs have in common whose objects are followed.
;;;;
;;;; The collector is conservative: a stale word on a stack keeps an object.
;;;; So what is to be dead is made, and forgotten, in a thread of its own, which
;;;; has ended when garbage is collected; and all is compiled, for the
;;;; interpreter has conses of its own, which such a word may keep.

(require :mprof)

(defpackage #:following
  (:use #:common-lisp)
  (:export #:*kept* #:same #:in-thread
           #:in-other-words #:call #:addresses #:still-alive
           #:collect-until-dead #:following))

(in-package #:following)

(defvar *kept* '() "What programs leave alive.")

(defun same (what expected actual)
  (let ((same (equal expected actual))
        (*print-pretty* nil))
    (format t "~&~:[not ok~;ok~] - ~A~%~:[# expected ~S, got ~S~%~;~]" same what
            same expected actual)))

(defun call (name type &optional argument-types &rest arguments)
  "What the C function NAME returns, which is of TYPE."
  (si:call-cfun (si:find-foreign-symbol name :default :pointer-void 0)
                type argument-types arguments))

(defun in-thread (function &rest arguments)
  "Call FUNCTION with ARGUMENTS in a thread of its own; its value is lost.  Wait
until the thread is gone: the collector still reads the stack of one that has
only been joined."
  (let ((id 0))
    (mp:process-join
     (mp:process-run-function "worker" (lambda ()
                                         (setf id (call "gettid" :int))
                                         (apply function arguments)
                                         nil)))
    (loop while (zerop (call "tgkill" :int '(:int :int :int)
                             (ext:getpid) id 0))
          do (sleep 0.0001)))
  (in-other-words))

(defun in-other-words (&optional (depth 100))
  "Write over what is left of a stack."
  (let ((words (list depth depth depth)))
    (declare (dynamic-extent words))
    (if (plusp depth)
        (+ 1 (in-other-words (1- depth)) (length words))
        0)))

;;; Before it marks, the collector sweeps what was alive at its last collection.
;;; The address of the last page that it swept is then a stale word on its own
;;; stack, and the first object of that page, if nobody refers to it, lives for
;;; one collection more, with all that it refers to.  So a program whose objects
;;; die after they have lived through a collection asks whether they are dead.

(defun addresses (list &optional (n (length list)))
  "The addresses of the first N conses of LIST, as numbers, which keep nothing
alive."
  (loop repeat n
        for rest on list
        collect (logandc2 (si:pointer rest) 7)))

(defun still-alive (addresses)
  "Those of ADDRESSES whose objects the last collection found alive.  A thread
asks, whose stack goes with it, for an address that is an argument of a C
function keeps its object.  GC_is_marked may only be asked about objects: their
pages may have been given back, or be in the midst of a large one."
  (in-thread (lambda ()
               (flet ((ask (name type address)
                        (call name type '(:unsigned-long) address)))
                 (setf addresses
                       (loop for address in addresses
                             when (and (= (ask "GC_base" :unsigned-long address)
                                          address)
                                       (plusp (ask "GC_is_marked" :int address)))
                               collect address)))))
  addresses)

(defun collect-until-dead (addresses)
  "Collect until the collector has found all objects at ADDRESSES dead."
  (loop repeat 10
        while addresses
        do (in-other-words)
           (call "GC_gcollect" :void)
           (setf addresses (still-alive addresses))))

(defmacro following (what &body body)
  "WHAT may be a list (WHAT OPTION...) with options for MPROF:START."
  (destructuring-bind (what &rest options) (if (listp what) what (list what))
    `(progn
       (mprof:reset)
       (setf *kept* '())
       (mprof:start :live t ,@options)
       ,@body
       (when (getf (mprof:status) :active) (mprof:stop))
       (format t "# ~A~%" ,what))))
