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

(defun words-in (text)
  "The words of TEXT that are made of capital letters and dashes."
  (let ((words '()) (start nil))
    (dotimes (i (length text) (nreverse words))
      (let ((part (find (char text i) "ABCDEFGHIJKLMNOPQRSTUVWXYZ-")))
        (cond ((and part (null start))
               (setf start i))
              ((and start (not part))
               (push (subseq text start i) words)
               (setf start nil)))))))

(defun named-in (text)
  "The exports that TEXT names: FOO-BAR, or -BAZ after it for FOO-BAZ."
  (let ((last "") (symbols '()))
    (flet ((export-called (name)
             (multiple-value-bind (symbol status) (find-symbol name '#:mprof)
               (and (eq status :external) symbol))))
      (dolist (word (words-in text) symbols)
        (let ((symbol
                (if (char= (char word 0) #\-)
                    (loop for dash = (position #\- last :from-end t)
                            then (position #\- last :from-end t :end dash)
                          while dash
                            thereis (export-called
                                     (concatenate 'string (subseq last 0 dash)
                                                  word)))
                    (export-called word))))
          (when symbol
            (push symbol symbols)
            (unless (char= (char word 0) #\-)
              (setf last word))))))))

(test the-package-is-a-map
  "The docstring of the package names every export."
  (let ((named (named-in (documentation (find-package '#:mprof) t))))
    (dolist (symbol (exports '#:mprof))
      (is (member symbol named) "~S is not on the map." symbol))))

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
