;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; failing-memory.lisp -- memory fails at each place of MPROF:START in turn.
;;;; Such a start counts nothing, and leaves an earlier file as it was; afterwards
;;;; every function works, and the next start counts exactly.

(require :mprof)

(defpackage #:failing
  (:use #:common-lisp))

(in-package #:failing)

(defun c-int (symbol)
  (si:find-foreign-symbol symbol :default :int 4))

(defvar *at* (c-int "failing_at"))
(defvar *after* (c-int "failing_after"))
(defvar *made* (c-int "failing_made"))

(defun set-int (variable n)
  (si:foreign-data-set-elt variable 0 :int n))

(defun same (what expected actual)
  (let ((same (equal expected actual)))
    (format t "~&~:[not ok~;ok~] - ~A~%~:[# expected ~S, got ~S~%~;~]" same what
            same expected actual)))

(defvar *kept* '())

(defun conses (n)
  (loop repeat n do (push nil *kept*)))

(defun counted-conses ()
  (let ((row (find "FAILING::CONSES"
                   (mprof.data:figure :functions (mprof:load-profile))
                   :key (mprof.data:reader :name) :test #'string=)))
    (and row (mprof.data:figure :self-allocations row))))

(defun failing (n after function)
  "Call FUNCTION, with memory that fails at the Nth request.  Return the
condition that it signals, or its value, and whether anything failed."
  (set-int *made* 0)
  (set-int *after* (if after 1 0))
  (set-int *at* n)
  (let ((value (handler-case (funcall function)
                 (mprof:mprof-error (condition) condition))))
    (set-int *at* 0)
    (values value (>= (si:foreign-data-ref-elt *made* 0 :int) n))))

(defun write-earlier ()
  "Write a file that a start is to replace only if it succeeds."
  (with-open-file (stream "counted.data" :direction :output
                                         :if-exists :supersede)
    (write-string "earlier" stream)))

(defun state ()
  "What there is when nothing was counted: (NIL 0 0 0 1 \"earlier\")."
  (let ((status (mprof:status)))
    (list (getf status :active) (getf status :allocations)
          (getf status :bytes) (getf status :contexts)
          (length (directory "counted.*"))
          (with-open-file (stream "counted.data") (read-line stream)))))

(defvar *nothing* '(nil 0 0 0 1 "earlier"))

(defun call-everything ()
  "All that may be called when nothing was counted."
  (mprof:with-region ("nothing") (conses 1))
  (mprof:with-labels (:key "value") (conses 1))
  (handler-case (mprof:load-profile) (mprof:mprof-error ()))
  (handler-case (mprof:report :stream (make-broadcast-stream))
    (mprof:mprof-error ()))
  (mprof:stop)
  (mp:process-join (mp:process-run-function "short" #'conses 1))
  (mprof:reset))

(defun test (what after arguments)
  (loop with failures = 0 and wrong = '()
        for n from 1
        do (mprof:reset)
           (write-earlier)
           (multiple-value-bind (value failed)
               (failing n after (lambda () (apply #'mprof:start arguments)))
             (unless failed
               (mprof:stop)
               (mprof:reset)
               (same (format nil "~A: each of some requests fails" what) t
                     (< 3 failures))
               (return (same (format nil "~A: all is well afterwards" what)
                             '() wrong)))
             (when (typep value 'condition)
               (incf failures)
               (unless (equal (state) *nothing*)
                 (push (list n value (state)) wrong))
               (call-everything)
               (unless (equal (state) *nothing*)
                 (push (list n "then" (state)) wrong)))
             (mprof:stop) ; what fails once may have been tried again
             (mprof:reset)
             (apply #'mprof:start arguments)
             (conses 10)
             (mprof:stop)
             (unless (eql (counted-conses) 10)
               (push (list n "counted" (counted-conses)) wrong)))))

(defun test-all ()
  (let* ((end nil)
         (threads (loop for name in '("one" "two")
                        collect (mp:process-run-function
                                 name (lambda ()
                                        (loop until end do (sleep 1/100)))))))
    (dolist (after '(nil t))
      (loop for (what . arguments) in '(("start") ("live" :live t)
                                        ("contexts" :max-contexts 100)
                                        ("file" :file "counted.data"))
            do (test (format nil "~A~:[~;, and all that follow~]" what after)
                     after arguments)))
    (setf end t)
    (mapc #'mp:process-join threads)))

(test-all)
