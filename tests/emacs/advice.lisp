;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; advice.lisp -- advice whose every word is known, in the place of mprof's:
;;;; what is tested is how Emacs shows it.

(in-package #:mprof)

(defparameter *advice*
  '((:rule :few :grade :check :function "ZOO::BRANCH" :caller nil
     :file nil :line nil :bytes 1616 :allocations 101 :calls 1
     :title "collects a list" :text "Return a vector.")
    (:rule :many :grade :certain :function "ZOO::LEAF" :caller "ZOO::BRANCH"
     :file nil :line nil :bytes 16000 :allocations 1000 :calls 100
     :title "MAKE-LIST is called 100 times"
     :text "Make one list of 1,000 elements,
or none at all.")))

(macrolet ((define-readers (&rest keys)
             `(progn
                ,@(loop for key in keys
                        for name = (intern (format nil "ADVICE-~A" key))
                        collect `(fmakunbound ',name)
                        collect `(export ',name)
                        collect `(defun ,name (advice) (getf advice ,key))))))
  (define-readers :rule :grade :function :caller :file :line :bytes
    :allocations :calls :title :text))

(fmakunbound 'advice)
(export 'advice)
(defun advice (&optional (profile (profile)))
  (check-type profile profile)
  *advice*)
