;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; documentation-tests.lisp -- every export is documented.

(in-package #:mprof.tests)

(in-suite mprof)

(defun exports (package)
  (let ((symbols '()))
    (do-external-symbols (symbol package symbols)
      (push symbol symbols))))

(test every-export-means-something
  (dolist (package '(#:mprof #:mprof.bindings))
    (dolist (symbol (exports package))
      (is (or (fboundp symbol) (find-class symbol nil))
          "~S is neither function nor class." symbol))))

(test every-export-has-a-docstring
  (dolist (package '(#:mprof #:mprof.bindings))
    (is (stringp (documentation (find-package package) t)))
    (dolist (symbol (exports package))
      (when (fboundp symbol)
        (is (plusp (length (documentation symbol 'function)))
            "~S has no documentation as a function." symbol))
      (when (find-class symbol nil)
        (is (plusp (length (documentation symbol 'type)))
            "~S has no documentation as a type." symbol)))))

(test docstrings-name-the-arguments
  "Each argument of an exported function is in capitals in its docstring."
  (dolist (symbol (exports '#:mprof))
    (when (and (fboundp symbol) (not (macro-function symbol)))
      (let ((text (documentation symbol 'function)))
        (loop for argument in (ext:function-lambda-list symbol)
              for name = (if (consp argument) (first argument) argument)
              unless (member name lambda-list-keywords)
                ;; a generic function's argument has the name its method gave
                do (is (or (search (symbol-name name) text)
                           (typep (fdefinition symbol) 'generic-function))
                       "~S does not say what ~A is." symbol name))))))
