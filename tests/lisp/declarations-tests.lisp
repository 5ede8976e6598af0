;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; declarations-tests.lisp -- OUT-OF-LINE in each scope and both compilers.
;;;; What the declarations do to the figures is in tests/random.

(in-package #:mprof.tests)

(in-suite mprof)

(defun shows-p (function callee)
  "Does CALLEE show below FUNCTION, which is called with 1?"
  (let ((profile (profiled (setf *kept* (funcall function 1)))))
    (not (null (data:row :arcs (list function callee) profile)))))

(defmacro with-typed ((&rest forms) &body body)
  "Evaluate FORMS, data, as if typed at the REPL, then run BODY."
  `(with-idle-profiler
     (unwind-protect
          (let ((*package* (find-package '#:mprof.tests)))
            (dolist (form ',forms)
              (eval form))
            ,@body)
       (eval '(mprof:out-of-line :none)))))

(defun compile-and-load (&rest forms)
  "Compile a file with FORMS and load it."
  (let* ((source (namestring (ext:mkstemp "TMP:mprof-test-")))
         (fas (format nil "~A.fas" source)))
    (unwind-protect
         (let ((*package* (find-package '#:mprof.tests))
               (*compile-verbose* nil))
           (with-open-file (stream source :direction :output
                                          :if-exists :supersede)
             (with-standard-io-syntax
               (format stream "~S~%" '(in-package #:mprof.tests))
               (dolist (form forms)
                 (format stream "~S~%" form))))
           (load (compile-file source :output-file fas) :verbose nil))
      (mapc (lambda (file) (when (probe-file file) (delete-file file)))
            (list source fas)))))

(test global-taken-back
  (with-typed ((mprof:out-of-line)
               (mprof:out-of-line :none)
               (defun typed-afterwards (x) (cons x x)))
    (is-false (shows-p 'typed-afterwards 'cons))
    (is (null si::*out-of-line*))))

(test lexical-for-typed-functions
  (with-typed ((defun typed-t (x) (mprof:out-of-line t (cons x x)))
               (defun typed-nested (x)
                 (mprof:out-of-line (cons)
                   (mprof:out-of-line (list) (cons x (list x x)))))
               (defun typed-next (x) (cons x x)))
    (is-true (shows-p 'typed-t 'cons))
    (is-true (shows-p 'typed-nested 'cons))
    (is-true (shows-p 'typed-nested 'list))
    (is-false (shows-p 'typed-next 'cons))))

(test lexical-gives-values
  (with-typed ()
    (is (equal '(1 2) (multiple-value-list
                       (eval '(mprof:out-of-line (cons) (values 1 2))))))
    (is (equal '(1 2) (multiple-value-list
                       (mprof:out-of-line (cons) (values 1 2)))))))

(test lexical-around-a-definition
  "COMPILE keeps what was declared around a definition."
  (with-typed ((mprof:out-of-line (cons)
                 (mprof:out-of-line (list)
                   (defun typed-around (x) "Documented." (list (cons x x))))
                 (defmethod typed-method (x) x)
                 (defmethod typed-method :around ((x integer)) (cons x x))))
    (let ((*standard-output* (make-broadcast-stream)))
      (compile 'typed-around))
    (is-true (compiled-function-p #'typed-around))
    (is-true (shows-p 'typed-around 'cons))
    (is-true (shows-p 'typed-around 'list))
    (is (equal "Documented." (documentation 'typed-around 'function)))
    (is-true (data:row :arcs '((method typed-method :around (integer)) cons)
                             (profiled (funcall 'typed-method 1))))))

(test file-wide
  "A declaration in a file that is compiled ends with the file."
  (with-idle-profiler
    (compile-and-load '(defun in-file-before (x) (cons x x))
                      '(mprof:out-of-line)
                      '(defun in-file-after (x) (cons x x)))
    (is-false (shows-p 'in-file-before 'cons))
    (is-true (shows-p 'in-file-after 'cons))
    (compile-and-load '(defun in-next-file (x) (cons x x)))
    (is-false (shows-p 'in-next-file 'cons))
    (is (null si::*out-of-line*))
    (eval '(defun typed-after-file (x) (cons x x)))
    (is-false (shows-p 'typed-after-file 'cons))))

(test names-that-cannot-be-forced
  (loop for (name part) in '((push "macro") (if "special operator")
                             (no-such-function "not defined")
                             ("cons" "not a symbol"))
        do (let ((warning (handler-case
                              (macroexpand-1 `(mprof:out-of-line ,name))
                            (warning (condition) condition))))
             (is (typep warning 'warning))
             (is (search part (report-of warning)))))
  (signals warning (macroexpand-1 '(mprof:out-of-line (push) (list 1)))))

(test names-that-can-be-forced
  "No warning for what allocates, nor for functions of one's own."
  (dolist (name '(cons list list* append mapcar coerce float + sin aref vector
                  make-array make-conses))
    (finishes (handler-bind ((warning #'error))
                (macroexpand-1 `(mprof:out-of-line ,name))))))

(test lexical-without-a-body
  (signals error (macroexpand-1 '(mprof:out-of-line (cons))))
  (signals error (macroexpand-1 '(mprof:out-of-line nil))))
