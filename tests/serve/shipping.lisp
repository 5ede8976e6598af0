;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; shipping.lisp -- a program that is shipped to the URL in the variable
;;;; RECEIVER while four threads allocate, and how it ends: by the variable END.
;;;; What it has counted, before figures are forgotten and at the end, is saved
;;;; as counted-1.data and counted-2.data.

(require :mprof)

(defvar *end* (ext:getenv "END"))
(defvar *arguments* (list (ext:getenv "RECEIVER")
                          :every (if (string= *end* "late") 1/1000 1/20)
                          :labels `(:shop-version "1.2" :host "h"
                                    ,@(unless (string= *end* "again")
                                        '(:service-name "shop")))
                          :start nil))
(defstruct thing one two)
(defvar *things* '())
(defun keep (n) (dotimes (i n) (push (make-thing :one i) *things*)))
(defun work (n) (dotimes (i n) (list i (make-string 10)) (sleep 1/1000)))

(defun work-in-threads ()
  (let ((threads (loop repeat 4
                       collect (mp:process-run-function
                                "worker" (lambda () (work 200))))))
    (keep 100)
    (mapc #'mp:process-join threads)))

(defun counted (file)
  (mprof:stop)
  (mprof:save file))

(apply #'mprof:ship *arguments*)
(mprof:start :live t)
(work-in-threads)
(counted "counted-1.data")
(mprof:reset)
(mprof:start :live t)
(work-in-threads)
(counted "counted-2.data")
(cond ((string= *end* "stop")
       (multiple-value-bind (counts all) (mprof:stop-shipping)
         (format t "~&~A ~A ~A ~A~%" all (getf counts :allocations)
                 (getf counts :bytes) (mprof:stop-shipping))))
      ((string= *end* "again")
       (handler-case (apply #'mprof:ship *arguments*)
         (mprof:mprof-error (condition) (format t "~&~A~%" condition))))
      ((string= *end* "fork")
       (when (eql 0 (si:call-cfun (si:find-foreign-symbol
                                   "fork" :default :pointer-void 0)
                                  :int '() '()))
         (format t "~&child: ~A~%" (mprof:stop-shipping))
         (finish-output)
         (si:call-cfun (si:find-foreign-symbol "_exit" :default :pointer-void 0)
                       :void '(:int) '(0)))))
(ext:quit 0)
