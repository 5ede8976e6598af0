;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; report-tests.lisp -- the tables at the REPL, and the systems.

(in-package #:mprof.tests)

(in-suite mprof)

(defun report-text (&rest arguments)
  (with-output-to-string (stream)
    (apply #'mprof:report :stream stream arguments)))

(test report-gives-no-values
  (with-idle-profiler
    (profiled (make-conses 3))
    (is (null (multiple-value-list
               (mprof:report :stream (make-broadcast-stream)))))))

(test report-to-standard-output
  (with-idle-profiler
    (profiled (make-conses 3))
    (is (search "MAKE-CONSES"
                (with-output-to-string (*standard-output*)
                  (mprof:report))))))

(test report-options
  (with-idle-profiler
    (profiled (make-conses 1000) (setf *kept* (list 1 2 3)))
    (is (search "those bytes" (report-text :type :direct :detail :verbose)))
    (is (not (search "those bytes" (report-text :type :direct :legend nil))))
    (is (= 1 (count-if (lambda (line) (search "MAKE-CONSES" line))
                       (mprof-lines (report-text :type :flat :max 2)))))
    (is (not (search "MAKE-CONSES"
                     (report-text :type :direct :ignore "MAKE-CONSES"))))
    (is (search "MAKE-CONSES"
                (report-text :type :direct :focus "MAKE-CONSES"
                             :sort-by :allocations :min-percent 1/2
                             :show-runtime t)))
    (is (not (search "MAKE-CONSES"
                     (report-text :type :direct :hide "MAKE-CONSES"))))))

(defun heading (title)
  (format nil "~%~A~%" title))

(test report-of-phases
  (with-idle-profiler
    (profiled (make-conses 100) (eval '(cons 1 2)))
    (is (search (heading "PHASES") (report-text)))
    (is (search "evaluation" (report-text :type :phases)))
    (is (search "MAKE-CONSES" (report-text :type :direct :phase :run)))
    (is (not (search "MAKE-CONSES"
                     (report-text :type :direct :phase :eval))))
    (is (search "MAKE-CONSES"
                (report-text :type :direct :phase '(:eval :run))))
    (profiled (make-conses 100))
    (is (not (search (heading "PHASES") (report-text))))
    (is (search (heading "PHASES") (report-text :detail :verbose)))))

(test report-by-package
  (with-idle-profiler
    (profiled (make-conses 100))
    (let ((text (report-text :type :direct :by :package)))
      (is (search "MPROF.TESTS" text))
      (is (not (search "MAKE-CONSES" text))))
    (signals mprof:mprof-error (report-text :by :module))))

(test report-of-threads
  (with-idle-profiler
    (profiled (make-conses 100)
              (mp:process-join
               (mp:process-run-function "other" #'make-conses 100)))
    (is (search (heading "THREADS") (report-text)))
    (is (search "MAKE-CONSES" (report-text :type :direct :thread "^other$")))
    (is (not (search "MAKE-CONSES"
                     (report-text :type :direct :thread "^nobody$"))))
    (profiled (make-conses 100))
    (is (not (search (heading "THREADS") (report-text))))))

(test report-has-all-choices-of-the-command
  "Every option of `mprof report' but for where it reads and writes is a choice."
  (let ((help (nth-value 1 (mprof.bindings:run-command "help" "report")))
        (elsewhere '("verbose" "normal" "terse" "tables" "leaktable"
                     "noleaktable" "no-legend" "color" "o" "help")))
    (dolist (line (mprof-lines help))
      (let ((start (mismatch "  -" line)))
        (when (and start (> start 2))
          (let* ((name (string-left-trim "-" (subseq line 2)))
                 (name (subseq name 0 (position-if (lambda (c) (find c " ="))
                                                   name))))
            (unless (member name elsewhere :test #'string=)
              (is (find name mprof::*choices* :test #'search
                        :key (lambda (choice)
                               (if (stringp (second choice))
                                   (second choice)
                                   (mprof::choice-option
                                    (first choice)
                                    (case (first choice)
                                      (:detail :normal)
                                      (:min-percent 1)
                                      (:sort-by :name)
                                      (:by :package)
                                      (:phase :run))))))
                  "There is no choice for --~A." name))))))))

(test report-with-the-root-and-without-the-system
  (with-idle-profiler
    (mprof:with-profiling (:report nil) (setf *kept* (make-list 10)))
    (is (search "CALL-COUNTING"
                (report-text :type :graph :show-root t :detail :verbose)))
    (is (not (search "CALL-COUNTING"
                     (report-text :type :graph :detail :verbose))))
    (is (search " MAKE-LIST" (report-text :type :direct)))
    (is (not (search " MAKE-LIST"
                     (report-text :type :direct :hide-system t))))))

(defun mprof-lines (text)
  (with-input-from-string (stream text)
    (loop for line = (read-line stream nil)
          while line
          collect line)))

(test report-arguments-that-make-no-sense
  (with-idle-profiler
    (signals mprof:mprof-error (report-text :type :cake))
    (signals mprof:mprof-error (report-text :type '(:direct :cake)))
    (signals mprof:mprof-error (report-text :focus "("))
    (signals mprof:mprof-error (report-text :max 0))
    (signals mprof:mprof-error (report-text :phase :cake))
    (signals mprof:mprof-error (report-text :phase '(:run :cake)))
    (signals mprof:mprof-error (report-text :thread "("))
    (signals mprof:mprof-error (report-text :sort-by :cake))
    (signals mprof:mprof-error (report-text :min-percent "1"))
    (signals error (report-text :detail :cake))))

(test report-on-a-file
  (with-idle-profiler
    (with-temporary-file (file)
      (profiled (make-conses 3))
      (mprof:save file)
      (mprof:reset)
      (is (search "MAKE-CONSES" (report-text :file file)))
      (is (not (search "MAKE-CONSES" (report-text)))))
    (signals mprof:profile-file-error
      (report-text :file "/nowhere/at/all.data"))))

(test report-is-the-same-twice
  (with-idle-profiler
    (profiled (make-conses 3) (setf *kept* (make-doubles 4)))
    (is (string= (report-text :detail :verbose)
                 (report-text :detail :verbose)))))

;;; Conditions

(test conditions-are-mprof-errors
  (dolist (condition '(mprof:profiler-unavailable mprof:already-active
                       mprof:not-active mprof:profile-file-error))
    (is-true (subtypep condition 'mprof:mprof-error)))
  (is-true (subtypep 'mprof:mprof-error 'error))
  (is-true (subtypep 'mprof:profile-incomplete 'warning)))

;;; Other Lisps, as child processes of their own

(defun run-ecl (environment &rest forms)
  "What a fresh ECL prints that evaluates FORMS, strings."
  (let ((ecl (namestring (merge-pathnames "../../bin/ecl"
                                          (translate-logical-pathname
                                           "SYS:")))))
    (with-output-to-string (output)
      (ext:run-program ecl
                       (append '("--norc")
                               (loop for form in forms
                                     collect "--eval" collect form)
                               '("--eval" "(ext:quit 0)"))
                       :environ (append environment (ext:environ))
                       :input nil :output output :error :output))))

(test require-works
  (is (search "(3 48)"
              (run-ecl '()
                       "(require :mprof)"
                       "(defvar *l*)"
                       "(mprof:with-profiling (:report nil)
                          (setf *l* (cons 1 (cons 2 (cons 3 nil)))))"
                       "(print (list (mprof:allocations) (mprof:bytes)))"))))

(test asdf-works
  (is (search "YES"
              (run-ecl '() "(require :asdf)" "(asdf:load-system \"mprof\")"
                       "(when (fboundp (find-symbol \"START\" \"MPROF\"))
                          (print 'yes))"))))

(test without-the-libraries
  "A Lisp that cannot profile says how to get one that can."
  (let ((output (run-ecl '("MPROF_LIB=/nowhere/at/all")
                         "(handler-case (require :mprof)
                            (error (c) (format t \"~A: ~A\" (type-of c) c)))")))
    (is (search "PROFILER-UNAVAILABLE" output))
    (is (search "/nowhere/at/all/libmprof-monitor.so" output))
    (is (search "patched ECL" output))
    (is (search "make" output))))
