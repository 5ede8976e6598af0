;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; driver.lisp -- load a program and what it needs, and call its ALL: in an
;;;; ECL with mprof's patches, counting while it runs; in another one, which
;;;; `mprof run' counts, just so.
;;;;
;;;; AGREEMENT_PROGRAM is the program's file, AGREEMENT_SYSTEMS are the ASDF
;;;; systems that it needs, AGREEMENT_SOURCES the folders that have them,
;;;; AGREEMENT_FAS is its compiled file, and AGREEMENT_DATA the profile.

(require :asdf)

(defun words (name)
  "The words of the variable AGREEMENT_NAME."
  (with-input-from-string (stream (ext:getenv (format nil "AGREEMENT_~A" name)))
    (loop for word = (read stream nil)
          while word
          collect (string-downcase word))))

(defun file (name)
  (ext:getenv (format nil "AGREEMENT_~A" name)))

(asdf:initialize-source-registry
 `(:source-registry ,@(loop for folder in (words "SOURCES")
                            collect `(:tree ,folder))
                    :ignore-inherited-configuration))
(handler-bind ((warning #'muffle-warning))
  (mapc #'asdf:load-system (words "SYSTEMS"))
  (load (compile-file (file "PROGRAM") :output-file (file "FAS"))))

(setf *random-state* (make-random-state 1))
#+allocation-hooks
(progn
  (require :mprof)
  (funcall (find-symbol "START" '#:mprof)))
(funcall 'all)
#+allocation-hooks
(progn
  (funcall (find-symbol "STOP" '#:mprof))
  (funcall (find-symbol "SAVE" '#:mprof) (file "DATA")))
(ext:quit 0)
