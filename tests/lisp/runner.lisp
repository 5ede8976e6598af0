;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; runner.lisp -- run all tests and print a line for each, as TAP does.

(in-package #:mprof.tests)

(defun result-text (result)
  "What is wrong, on lines that begin with a hash."
  (format nil "~{# ~A~%~}"
          (mprof-lines
           (format nil "~A~@[~%~A~]"
                   (let ((expression (fiveam::test-expr result)))
                     (let ((*print-length* 12) (*print-level* 6))
                       (princ-to-string expression)))
                   (fiveam::reason result)))))

(defun run-all ()
  "Run all tests, print `ok - NAME' or `not ok - NAME' for each, and give back
true when none failed."
  (let ((results (let ((fiveam:*test-dribble* (make-broadcast-stream)))
                   (fiveam:run 'mprof)))
        (names '())
        (failed '()))
    (dolist (result results)
      (let ((name (fiveam::name (fiveam::test-case result))))
        (pushnew name names)
        (unless (typep result 'fiveam::test-passed)
          (push result (getf failed name)))))
    (terpri) ; the compiler's last line may have no end
    (dolist (name (sort names #'string<))
      (let ((failures (getf failed name)))
        (format t "~:[~;not ~]ok - ~(~A~)~%~{~A~}" failures name
                (mapcar #'result-text failures))))
    (finish-output)
    (and names (null failed))))
