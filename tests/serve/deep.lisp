;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; deep.lisp -- saves deep.data: so many functions as the variable FUNCTIONS
;;;; says recur so deep as DEPTH says; at each level is a sample.

(require :mprof)

(defmacro define-deep (count)
  "Define DEEP, which calls COUNT functions that recur, each conses at each
level."
  (let ((names (loop for i below count
                     collect (intern (format nil "DEEP-~D" i)))))
    `(progn
       ,@(loop for name in names
               collect `(defun ,name (n)
                          (when (plusp n) (cons n (,name (1- n))))))
       (defun deep (n) (list ,@(loop for name in names collect `(,name n)))))))
(defun number-of (variable)
  (parse-integer (ext:getenv variable)))

(with-open-file (s "deep-code.lisp" :direction :output :if-exists :supersede)
  (prin1 '(in-package "CL-USER") s)
  (prin1 `(define-deep ,(number-of "FUNCTIONS")) s))
(load (compile-file "deep-code.lisp"))

(mprof:start :unfolded t)
(deep (number-of "DEPTH"))
(mprof:stop)
(mprof:save "deep.data")
