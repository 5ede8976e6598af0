;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; documentation-tests.lisp -- every export is documented.

(in-package #:mprof.tests)

(in-suite mprof)

(defun exports (package)
  (let ((symbols '()))
    (do-external-symbols (symbol package symbols)
      (push symbol symbols))))

(defmacro do-exports ((package symbol) &body body)
  "Evaluate BODY for each export SYMBOL of each PACKAGE of mprof."
  `(dolist (,package '(#:mprof #:mprof.data))
     (dolist (,symbol (exports ,package))
       ,@body)))

(test every-export-has-a-docstring
  "A function, a class or a variable, whose docstring has an example."
  (dolist (package '(#:mprof #:mprof.data))
    (is (stringp (documentation (find-package package) t))))
  (do-exports (package symbol)
    (is (or (fboundp symbol) (find-class symbol nil) (boundp symbol))
        "~S is neither function, class nor variable." symbol)
    (loop for (is kind) in `((,(fboundp symbol) function)
                             (,(boundp symbol) variable)
                             (,(find-class symbol nil) type))
          when is
            do (is (search "Example:" (documentation symbol kind))
                   "~S has no example as a ~(~A~)." symbol kind))))

(defun words-in (text)
  "The words of TEXT that are made of capital letters and dashes."
  (let ((words '()) (start nil))
    (dotimes (i (1+ (length text)) (nreverse words))
      (let ((part (and (< i (length text))
                       (find (char text i) "ABCDEFGHIJKLMNOPQRSTUVWXYZ-"))))
        (cond ((and part (null start))
               (setf start i))
              ((and start (not part))
               (push (subseq text start i) words)
               (setf start nil)))))))

(test the-package-is-a-map
  "The docstring of the package names every export; what people type is little."
  (dolist (package '(#:mprof #:mprof.data))
    (let ((named (words-in (documentation (find-package package) t))))
      (dolist (symbol (exports package))
        (is (member (string-trim "*" (symbol-name symbol)) named :test #'string=)
            "~S is not on the map." symbol))))
  (is (<= (length (exports '#:mprof)) 27)))

;;; Examples

(defpackage #:app (:use #:common-lisp))

(defun example-of (text)
  "The forms of the example in the docstring TEXT, and a list of their values if
these stand behind an arrow."
  (let ((*package* (find-package '#:app))
        (text (substitute #\Space #\Newline text))
        (forms '()))
    (loop for start = (position #\( text :start (search "Example:" text))
            then next
          for next = (multiple-value-bind (form end)
                         (read-from-string text t nil :start start)
                       (push form forms)
                       (position #\Space text :start end :test #'char/=))
          while (and next (char= #\( (char text next)))
          finally (return
                    (values (reverse forms)
                            (and next (eql next (search "=>" text))
                                 (read-from-string
                                  (format nil "(~A)"
                                          (substitute #\Space #\,
                                                      (subseq text (+ 2 next)))))))))))

(defun define-missing (form)
  "Define the symbols of the package APP in FORM that a user would have, as
functions that allocate and as variables."
  (cond ((consp form)
         (loop for rest = (if (eq (first form) 'defvar) (cddr form) form)
                 then (cdr rest)
               while (consp rest)
               do (define-missing (car rest))))
        ((and form (symbolp form)
              (eq (symbol-package form) (find-package '#:app)))
         (unless (fboundp form)
           (eval `(defun ,form (&rest arguments) (setf *kept* (list arguments)))))
         (unless (boundp form)
           (setf (symbol-value form) "x")))))

(defun run-example (symbol text)
  "Run the example in TEXT, of SYMBOL, where it stands for a user; compare its
values if they are known."
  (with-folder (folder)
    (let ((*default-pathname-defaults* (pathname folder))
          (*standard-output* (make-broadcast-stream)))
      (define-missing '(app::parse))
      (eval '(defun app::main () (app::parse 1)))
      (profiled (app::main))
      (mapc #'mprof:save '("mprof.data" "before.data"))
      (case symbol
        (mprof:stop (mprof:start))
        (mprof:stop-serving (mprof:serve :port 0 :start nil)))
      (multiple-value-bind (forms wanted) (example-of text)
        (let ((got '()))
          (dolist (form (subst 0 6060 forms)) ; any port that is free
            (define-missing form)
            (setf got (multiple-value-list
                       (if wanted
                           (funcall (compile nil `(lambda () ,form)))
                           (eval form))))
            (when (typep (first got) 'mp:process)
              (mp:process-join (first got))))
          (when wanted
            (is (equal wanted got) "The example of ~S gives ~S." symbol got))))
      (mprof:stop-serving))))

(test examples-run
  "The example of every export runs as it stands."
  (do-exports (package symbol)
    (dolist (kind '(function type))
      (let ((text (documentation symbol kind)))
        (when text
          (let ((condition
                  (with-idle-profiler
                    (handler-case (progn (run-example symbol text) nil)
                      (error (condition) condition)))))
            (is (null condition) "The example of ~S, a ~(~A~): ~A" symbol kind
                condition)))))))

;;; Arguments and options

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

(defun keywords-in (text)
  "The names of the keywords in TEXT."
  (loop with start = 0
        for colon = (position #\: text :start start)
        while colon
        for end = (position-if-not
                   (lambda (c) (or (char= c #\-) (char<= #\A c #\Z)))
                   text :start (1+ colon))
        when (and end (> end (1+ colon))
                  (find (char text (1- colon)) " ("))
          collect (subseq text (1+ colon) end)
        do (setf start (1+ colon))))

(test docstrings-name-options-that-exist
  "An option in a docstring is one that the function takes, or that help has."
  (let ((help (mapcar (lambda (word) (string-left-trim "-" word))
                      (words-in (string-upcase
                                 (with-output-to-string (*standard-output*)
                                   (mprof:report :help t)))))))
    (dolist (symbol '(mprof:load-profile mprof:report mprof:advise mprof:save))
      (dolist (name (keywords-in
                     (let ((text (documentation symbol 'function)))
                       (subseq text 0 (search "Example" text)))))
        (is (or (member name help :test #'string=)
                (member name (ext:function-lambda-list symbol)
                        :key (lambda (argument)
                               (if (consp argument) (first argument) argument))
                        :test #'string=))
            "~S names an option :~A, which does not exist." symbol name)))))
