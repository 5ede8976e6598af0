;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Finalizers: Lisp code that the collector runs in the middle of an
;;;; allocation.  They are no work of the function that happened to allocate,
;;;; so they show below a root of their own.

(in-package #:exact)

(setf *dump-only* "BETWEEN")  ; when finalizers run is the collector's affair

(defstruct thing a)

(defun make-things (n finalizer)
  (dotimes (i n)
    (ext:set-finalizer (make-thing :a i) finalizer)))

(defun between (i)
  (list i i))

(defun deep-between (n)
  (if (zerop n)
      nil
      (let ((rest (deep-between (1- n))))
        (keep (between n))
        rest)))

(defun work (n)
  (dotimes (i n)
    (deep-between 20)))

(defun work-and-collect ()
  (work 30000)
  (ext:gc t)
  (work 10))

(defun check-work ()
  "30,010 times 20 calls, of two conses each."
  (conses-of 'deep-between 'between (* 30010 20) (* 2 30010 20)))

;;; Records for finalizers and weak links are the collector's own, and so are
;;; its tables of them, which become larger again and again.  In threads as
;;; well, which come and go.

(defun keep-linked (n)
  (loop for i below n
        for thing = (make-thing :a i)
        do (ext:set-finalizer thing #'identity)
        collect (cons thing (ext:make-weak-pointer thing))))

(defvar *linked* '())

;;; In 21.2.1 a symbol that is bound for the first time gets a finalizer.  The
;;; collector makes a record of it, but not for ECL's own symbols, which it has
;;; not allocated.

(defvar *bound-once* nil)

(defun check-records (bytes)
  (check "bytes of the collector's records" (format nil "~D" bytes)
         (mprof.data:comment "mprof.collector_record_bytes" *profile*)))

(measuring ("a special variable that was never bound before")
    (let ((*bound-once* (list 1 2)))
      (keep *bound-once*))
  (check-records (by-release 48 0)))

(measuring ("a special variable of ECL that was never bound before")
    (let ((si:*gc-verbose* nil))
      (keep (list 1 si:*gc-verbose*)))
  (check-records 0))

(measuring ("tables of finalizers and weak links")
    (dotimes (i 4)
      (push (keep-linked 1500) *linked*)
      (mp:process-join
       (mp:process-run-function
        "linker" (lambda () (push (keep-linked 1500) *linked*)))))
  (check "its tables have grown" t
         (> (parse-integer (mprof.data:comment "mprof.collector_record_bytes"
                                               *profile*))
            (* 12000 (+ 48 32) 5/4)))
  (calls 'keep-linked 8))

(setf *linked* '())

;;; A finalizer that does not allocate.

(defvar *only-counted* 0)

(defun count-only (thing)
  (declare (ignore thing))
  (incf *only-counted*))

(make-things 2000 #'count-only)

(measuring ("finalizers that count") (work-and-collect)
  (check "finalizers ran" t (plusp *only-counted*))
  (check-work))

;;; An instance is two requests, and finalizers run in the second one: counting
;;; ends when the collector has given out the header, and nobody knows of it.

(defvar *begun* (mp:make-semaphore))
(defvar *ended* (mp:make-semaphore))
(defvar *on-demand*
  (si:find-foreign-symbol "GC_set_finalize_on_demand" :default :pointer-void
                          0))
(defvar *first* t)

(defun wait-for-end (thing)
  (declare (ignore thing))
  (when *first*
    (setf *first* nil)
    (mp:signal-semaphore *begun*)
    (mp:wait-on-semaphore *ended*)))

(defun make-wide (slots)
  (keep (si:allocate-raw-instance nil (find-class 'thing) slots)))

(defun run-finalizers-on-demand (yes)
  (si:call-cfun *on-demand* :void '(:int) yes))

(defun make-instance-in-two-parts ()
  (make-things 100 #'wait-for-end)
  (dotimes (i 1000)
    (make-wide 2))
  (run-finalizers-on-demand '(1))
  (ext:gc t)
  (run-finalizers-on-demand '(0))
  ;; for its header there is a free list, but slots of this size have none
  (make-wide 100))

(defvar *maker* nil)

(measuring ("counting ends within an instance")
    (progn
      (setf *maker* (mp:process-run-function "maker"
                                             #'make-instance-in-two-parts))
      (mp:wait-on-semaphore *begun*))
  (mp:signal-semaphore *ended*)
  (mp:process-join *maker*)
  (inclusive 'make-wide 1000 (* 1000 (+ 64 16))))

;;; A finalizer that allocates.  The collector drops a free list when that
;;; happens while it makes the list, so there is a residual.

(defvar *finished* 0)

(defun finish-one (x)
  (keep (list x x)))

(defun finish (thing)
  (declare (ignore thing))
  (dotimes (i 5)
    (finish-one i))
  (incf *finished*))

;;; Some may run before counting begins, or after it ends; some of COUNT-ONLY
;;; may run now.

(defvar *counted* 0)

(defun work-and-count ()
  (let ((before *finished*))
    (work-and-collect)
    (setf *counted* (- *finished* before))))

(make-things 2000 #'finish)

(measuring ("finalizers that allocate" :residual nil)
    (work-and-count)
  (check "finalizers ran" t (plusp *counted*))
  (calls 'finish *counted*)
  (conses-of 'finish 'finish-one (* 5 *counted*) (* 10 *counted*))
  (check-work)
  (no-arc 'between 'finish)
  (no-arc 'deep-between 'finish)
  (no-arc 'work 'finish))

;;; The collector runs them with interrupts disabled, for what is allocated is
;;; not counted yet.  They enable them.  So that the next one, and in the end
;;; the allocation, finds them as they were, they are disabled again.

(ffi:clines "
static int looked_while_enabled, looked_while_disabled;

static void
look(void *object, void *unused)
{
  if (ecl_process_env()->disable_interrupts)
    looked_while_disabled++;
  else
    looked_while_enabled++;
}")

(defun make-looker ()
  (ffi:c-inline () () :void
    "GC_register_finalizer_no_order(GC_malloc(1), look, NULL, NULL, NULL)"
    :one-liner t))

(make-things 100 #'finish)
(dotimes (i 100)
  (make-looker)
  (make-things 1 #'finish))
(ext:gc t)

(check "finalizers ran with interrupts disabled" t
       (plusp (ffi:c-inline () () :int "looked_while_disabled" :one-liner t)))
(check "and none with interrupts enabled" 0
       (ffi:c-inline () () :int "looked_while_enabled" :one-liner t))
