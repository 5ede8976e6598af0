;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; compile.lisp -- compile the harness, all programs and CL-PPCRE with the
;;;; ECL that runs this, into the folder BENCH_OUT.  BENCH_PPCRE is the folder
;;;; with the sources of CL-PPCRE.

(require :cmp)

(setf ext:*invoke-debugger-hook*
      (lambda (condition hook)
        (declare (ignore hook))
        (format *terminal-io* "~&bench: ~A~%" condition)
        (ext:quit 1)))

(defun out (name &optional (type "fas"))
  (format nil "~A/~A.~A" (ext:getenv "BENCH_OUT") name type))

(defun compile-one (source output &rest options)
  "Compile SOURCE and load it, and give back the name of OUTPUT."
  (multiple-value-bind (file warnings failure)
      (apply #'compile-file source :output-file output options)
    (declare (ignore warnings))
    (when (or (null file) failure)
      (error "cannot compile ~A" source))
    output))

(defun compile-ppcre (folder)
  "One file of all of CL-PPCRE, in the order of its ASDF system."
  (handler-bind ((warning #'muffle-warning))
    (c:build-fasl
     (out "ppcre")
     :lisp-files
     (loop for name in '("packages" "specials" "util" "errors" "charset"
                         "charmap" "chartest" "lexer" "parser" "regex-class"
                         "regex-class-util" "convert" "optimize" "closures"
                         "repetition-closures" "scanner" "api")
           for source = (format nil "~A/~A.lisp" folder name)
           do (load source)
           collect (compile-one source (out name "o") :system-p t)))))

(let ((here (directory-namestring *load-truename*)))
  (load (compile-one (concatenate 'string here "harness.lisp")
                     (out "harness")))
  (dolist (source (directory (concatenate 'string here "programs/*.lisp")))
    (compile-one source (out (pathname-name source)))))

;; It takes long, and changes only with the ECL.
(unless (probe-file (out "ppcre"))
  (compile-ppcre (ext:getenv "BENCH_PPCRE")))
(ext:quit 0)
