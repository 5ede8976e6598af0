;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; harness.lisp -- load a library's tests, run them with or without the
;;;; profiler, and write down how each of them ended.
;;;;
;;;; The environment says what to do: LIBRARY_SOURCES is the folder with all
;;;; libraries, LIBRARY_SYSTEM the ASDF system of the tests, LIBRARY_RUNNER
;;;; how they are run (one of the functions below) and LIBRARY_ARGUMENT its
;;;; argument; LIBRARY_MODE is off, on or full-walk, and LIBRARY_OUT begins
;;;; the names of the files that are written: .results, a line for each test,
;;;; and when profiling .data.
;;;;
;;;; Loading is not profiled.  The results are written when counting is over.

(defpackage #:library-tests
  (:use #:common-lisp)
  (:export #:run))

(in-package #:library-tests)

(require :asdf)

(defun setting (name)
  (ext:getenv (concatenate 'string "LIBRARY_" name)))

(defvar *mode* (intern (string-upcase (setting "MODE")) '#:keyword))

(unless (eq *mode* :off)
  (require :mprof))

(defun find-name (name package)
  "The symbol of PACKAGE called NAME, both strings in any case."
  (let ((package (find-package (string-upcase package))))
    (or (and package (find-symbol (string-upcase name) package))
        (error "there is no ~A in ~A" name package))))

(defun named-symbol (designator)
  "The symbol that DESIGNATOR names, a string as package:name or :name."
  (let ((colon (position #\: designator)))
    (if (eql colon 0)
        (intern (string-upcase (subseq designator 1)) '#:keyword)
        (find-name (subseq designator (1+ colon))
                   (subseq designator 0 colon)))))

(defun lines (text)
  (with-input-from-string (stream text)
    (loop for line = (read-line stream nil)
          while line
          collect line)))

;;; Runners.  Each runs all tests and gives back a function that makes the
;;; lines, so that what it takes to make them is not profiled.

(defun rt (package)
  "RT, or a copy of it in PACKAGE: the tests are entries of a list."
  (funcall (find-name "DO-TESTS" package))
  (lambda ()
    (let ((failed (funcall (find-name "PENDING-TESTS" package))))
      (loop for entry in (rest (symbol-value (find-name "*ENTRIES*" package)))
            for name = (funcall (find-name "NAME" package) entry)
            collect (format nil "~A ~:[passed~;failed~]" name
                            (member name failed))))))

;; FiveAM compiles each test when it runs.  By the C compiler that takes more
;; than a second each; what is tested is compiled already.

(defun fiveam (suite)
  "FiveAM, a line for each check of SUITE.  Tests are run in the order of a hash
table that has their names' addresses as keys."
  (let ((results (progn (ext:install-bytecodes-compiler)
                        (funcall (find-name "RUN" "FIVEAM")
                                 (named-symbol suite)))))
    (lambda ()
      (sort (loop for result in results
                  for test = (funcall (find-name "TEST-CASE" "FIVEAM") result)
                  collect (format nil "~A ~A"
                                  (funcall (find-name "NAME" "FIVEAM") test)
                                  (type-of result)))
            #'string<))))

(defun output-of (function &rest arguments)
  "Call FUNCTION, a string, which prints as it tests: the lines that are not
blank, and its value."
  (let* ((value nil)
         (text (with-output-to-string (*standard-output*)
                 (setf value (apply (named-symbol function) arguments)))))
    (lambda ()
      (append (remove "" (lines text) :test #'string=)
              (list (format nil "value: ~A" value))))))

(defun output (function)
  "FUNCTION prints a line for each test."
  (output-of function))

(defun verbose-output (function)
  "FUNCTION prints a line for each test when it is told to."
  (output-of function :verbose t))

;;; All of it

(defun out (type)
  (concatenate 'string (setting "OUT") "." type))

(defun load-tests ()
  (asdf:initialize-source-registry
   `(:source-registry (:tree ,(setting "SOURCES"))
                      :ignore-inherited-configuration))
  (handler-bind ((warning #'muffle-warning))
    (let ((systems (setting "SYSTEM")))
      (loop for start = 0 then (1+ comma)
            for comma = (position #\, systems :start start)
            do (asdf:load-system (subseq systems start comma))
            while comma))))

(defun mprof-call (name &rest arguments)
  "Call a function of mprof, which is not there when this file is read."
  (apply (find-name name "MPROF") arguments))

(defun run-tests ()
  (let ((runner (find-name (setting "RUNNER") '#:library-tests))
        (argument (setting "ARGUMENT")))
    ;; ECL seeds it from the clock; tests with random data are to do the same
    ;; each time.
    (setf *random-state* (make-random-state 1))
    (ecase *mode*
      (:off (funcall runner argument))
      ((:on :full-walk)
       (prog2 (mprof-call "START" :full-walk (eq *mode* :full-walk))
           (funcall runner argument)
         (mprof-call "STOP")
         (mprof-call "SAVE" (out "data")))))))

(defun run ()
  (load-tests)
  (let ((results (funcall (run-tests))))
    (with-open-file (stream (out "results") :direction :output
                                            :if-exists :supersede
                                            :external-format :utf-8)
      (format stream "~{~A~%~}" results)))
  (ext:quit 0))

(setf ext:*invoke-debugger-hook*
      (lambda (condition hook)
        (declare (ignore hook))
        ;; not to a stream that the tests have bound
        (format *terminal-io* "~&~A~%" condition)
        (ext:quit 1)))

(run)
