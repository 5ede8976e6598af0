;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; interrupts.lisp -- what a throw out of an interrupt must not separate.
;;;;
;;;; MP:INTERRUPT-PROCESS, MP:PROCESS-KILL and Ctrl-C run a function at any
;;;; instruction of a thread, and this function may throw, as that of a timeout
;;;; does.  UNWIND-PROTECT alone is too late: a throw after the step that is to
;;;; be undone, and before UNWIND-PROTECT, or at the beginning of its cleanup,
;;;; leaves things as they are.  So both are done without interrupts.
;;;;
;;;; Errors are signalled with interrupts, since a handler may run a debugger.

(in-package #:mprof)

(defmacro protected (enter body leave)
  "Evaluate ENTER, BODY and LEAVE, and return the values of BODY.  However BODY
ends, LEAVE is evaluated if ENTER has been.  Interrupts wait during ENTER and
LEAVE, which must be short and signal no error; BODY is interrupted if the form
itself may be.

This allocates nothing, also in byte-compiled code, where a lexical variable
would be a cons: so *ALLOW-WITH-INTERRUPTS* keeps what BODY gets."
  `(multiple-value-prog1
       (let* ((si:*allow-with-interrupts* si:*interrupts-enabled*)
              (si:*interrupts-enabled* nil))
         ,enter
         (unwind-protect
              (let ((si:*interrupts-enabled* si:*allow-with-interrupts*))
                (when si:*interrupts-enabled*
                  (si::check-pending-interrupts))
                ,body)
           ,leave))
     (when si:*interrupts-enabled*
       (si::check-pending-interrupts))))
