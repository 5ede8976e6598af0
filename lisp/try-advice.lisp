;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; try-advice.lisp -- whether a change to the program saves what was said.
;;;;
;;;; The program stays as it is: functions are defined anew for the time of one
;;;; more run, and get their old definitions back, however that ends.

(in-package #:mprof)

(defun name-defined-by (form)
  "The name of the function that FORM, a DEFUN, defines."
  (unless (and (consp form) (eq (first form) 'defun) (consp (rest form))
               (si:valid-function-name-p (second form)))
    (fail "TRY-ADVICE takes definitions by DEFUN of what is to change; ~S is ~
           none" form))
  (second form))

(defun run-twice (function)
  "What FUNCTION gives back, a list, how many allocations and bytes it makes.
The first run is not counted: it makes what stays."
  (let ((values '()))
    (funcall function)
    (multiple-value-bind (allocations bytes)
        (allocated-by (setf values (multiple-value-list (funcall function))))
      (values values allocations bytes))))

(defun with-definitions (forms function)
  "Call FUNCTION while FORMS, definitions, are compiled and in force."
  (let* ((names (mapcar #'name-defined-by forms))
         (old (loop for name in names
                    unless (fboundp name)
                      do (fail "~S is no function yet, so there is ~
                                     nothing to compare with" name)
                    collect (fdefinition name))))
    (unwind-protect
         (progn
           (let* ((*standard-output* (make-broadcast-stream))
                  (*error-output* *standard-output*))
             (handler-bind ((warning #'muffle-warning))
               (dolist (form forms)
                 (funcall (compile nil `(lambda () ,form))))))
           (funcall function))
      (loop for name in names
            for definition in old
            do (setf (fdefinition name) definition)))))

(defun call-trying-advice (forms function stream)
  "Run FUNCTION as TRY-ADVICE runs its body, with the definitions FORMS."
  (when (c:monitor-active-p)
    (error 'already-active
           :reason "TRY-ADVICE counts by itself, and a profile is running"
           :advice "(mprof:stop) ends it."))
  (multiple-value-bind (values allocations bytes) (run-twice function)
    (multiple-value-bind (new-values new-allocations new-bytes)
        (with-definitions forms (lambda () (run-twice function)))
      (let ((same (equalp values new-values)))
        (format stream
                "~&before ~15D bytes ~12D allocations~@
                   after  ~15D bytes ~12D allocations~@
                   saved  ~15D bytes ~12D allocations~@[, ~D %~]~@
                   ~@[~A~%~]"
                bytes allocations new-bytes new-allocations
                (- bytes new-bytes) (- allocations new-allocations)
                (and (plusp bytes)
                     (floor (* 100 (- bytes new-bytes)) bytes))
                (if same nil "It gives back something else than before."))
        (values (- bytes new-bytes) (- allocations new-allocations) same)))))

(defmacro try-advice ((&rest definitions) &body body)
  "Count what BODY allocates, then again with the functions that DEFINITIONS,
forms of DEFUN, define in the place of those of the program; print both.  Gives
back how many bytes and allocations were saved, and whether BODY gave back the
same (by EQUALP) as before.

Both run twice, and the second run is counted.  The functions get their old
definitions back.  A function that is called by another one of the same file is
called directly, unless it is declared NOTINLINE: then the caller has to be
among DEFINITIONS, too.

Signals ALREADY-ACTIVE while a profile is running, and MPROF-ERROR for a
definition of what is no function yet.

Example:

   (mprof:try-advice ((defun row (n)
                        (loop for i below n collect (float i 1.0d0))))
     (table 1000))"
  `(call-trying-advice ',definitions (lambda () ,@body) *standard-output*))
