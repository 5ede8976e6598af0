;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; with-profiling-tests.lisp -- values, nesting, and all ways out of the
;;;; body.

(in-package #:mprof.tests)

(in-suite mprof)

(test with-profiling-values
  (with-idle-profiler
    (is (equal '(1 2 3)
               (multiple-value-list
                (mprof:with-profiling (:report nil) (values 1 2 3)))))
    (is (equal '() (multiple-value-list
                    (mprof:with-profiling (:report nil) (values)))))
    (is (equal '(nil) (multiple-value-list
                       (mprof:with-profiling (:report nil)))))))

(test with-profiling-counts-the-body-only
  (with-idle-profiler
    (mprof:with-profiling (:report nil) (make-conses 12))
    (is-false (active-p))
    (is (equal '(12 192) (figures)))))

(test with-profiling-prints-to-the-stream
  (with-idle-profiler
    (let* ((here (make-string-output-stream))
           (standard (with-output-to-string (*standard-output*)
                       (mprof:with-profiling (:stream here)
                         (make-conses 12))))
           (printed (get-output-stream-string here)))
      (is (string= "" standard))
      (dolist (title '("ALLOCATION BINS" "DIRECT ALLOCATION"
                       "ALLOCATION CALL GRAPH" "TYPES" "RECONCILIATION"
                       "MPROF.TESTS::MAKE-CONSES"))
        (is (search title printed))))
    (is (search "DIRECT ALLOCATION"
                (with-output-to-string (*standard-output*)
                  (mprof:with-profiling () (make-conses 12)))))))

(test with-profiling-chooses-tables
  (with-idle-profiler
    (flet ((printed (report)
             (with-output-to-string (stream)
               (mprof:with-profiling (:report report :stream stream)
                 (make-conses 12)))))
      (is (string= "" (printed nil)))
      (is (search "DIRECT ALLOCATION" (printed :direct)))
      (is (not (search "CALL GRAPH" (printed :direct))))
      (is (search "TYPES" (printed '(:types :bins))))
      (is (search "ALLOCATION BINS" (printed '(:types :bins))))
      (is (not (search "DIRECT" (printed '(:types :bins))))))))

(test with-profiling-an-unknown-table
  "A wrong table is said before the body runs."
  (with-idle-profiler
    (let ((ran nil))
      (signals mprof:mprof-error
        (mprof:with-profiling (:report :cake) (setf ran t)))
      (is-false ran)
      (is-false (active-p)))))

(test with-profiling-resets
  (with-idle-profiler
    (mprof:with-profiling (:report nil) (make-conses 12))
    (mprof:with-profiling (:report nil) (make-conses 3))
    (is (equal '(3 48) (figures)))
    (mprof:with-profiling (:report nil :reset nil) (make-conses 4))
    (is (equal '(7 112) (figures)))))

(test with-profiling-an-error
  "An error goes on its way, counting stops, the figures stay."
  (with-idle-profiler
    (let ((output (make-string-output-stream)))
      (is (eq 'caught
              (handler-case
                  (mprof:with-profiling (:stream output)
                    (make-conses 5)
                    (error "Out of cake."))
                (simple-error () 'caught))))
      (is (string= "" (get-output-stream-string output))))
    (is-false (active-p))
    (is (= 80 (data:figure :self-bytes
               (data:row :functions 'make-conses))))))

(test with-profiling-a-debugger
  "What a debugger allocates is counted, below INVOKE-DEBUGGER."
  (with-idle-profiler
    (mprof:with-profiling (:report nil)
      (make-conses 5)
      (let ((*debugger-hook* (lambda (condition hook)
                               (declare (ignore hook))
                               (make-conses 7)
                               (continue condition))))
        (with-simple-restart (continue "Go on.")
          (invoke-debugger (make-condition 'simple-condition))))
      (make-conses 5))
    (flet ((made (&rest options)
             (data:figure :self-allocations
                          (data:row :functions 'make-conses
                                    (apply #'mprof:load-profile nil options)))))
      (is (= 17 (made)))
      (is (= 10 (made :ignore "INVOKE-DEBUGGER"))))))

(test with-profiling-is-left
  "By a throw or a return; what is handled inside leaves nothing."
  (with-idle-profiler
    (flet ((left (value expected)
             (is (eq value expected))
             (is-false (active-p))
             (is (equal '(5 80) (figures)))))
      (left 'thrown (catch 'away
                      (mprof:with-profiling ()
                        (make-conses 5)
                        (throw 'away 'thrown))))
      (left 'returned (block here
                        (mprof:with-profiling ()
                          (make-conses 5)
                          (return-from here 'returned)))))
    (is (eq 'inside (mprof:with-profiling (:report nil)
                      (handler-case (error "Out of cake.")
                        (error () 'inside)))))))

(test with-profiling-nested
  "The inner one runs its body in the outer profile."
  (with-idle-profiler
    (let ((inner (make-string-output-stream)))
      (is (equal '(1 2)
                 (mprof:with-profiling (:report nil)
                   (make-conses 5)
                   (prog1 (multiple-value-list
                           (mprof:with-profiling (:stream inner)
                             (make-conses 6)
                             (values 1 2)))
                     (is-true (active-p))
                     (make-conses 7)))))
      (is (string= "" (get-output-stream-string inner))))
    (is-false (active-p))
    (is (= (* 18 16) (data:figure :self-bytes
                      (data:row :functions 'make-conses))))))

(test with-profiling-nested-with-a-file
  "The file would not be of the body alone: that is refused, before it runs."
  (with-idle-profiler
    (with-temporary-file (file)
      (delete-file file)
      (let ((ran 0))
        (flet ((inner ()
                 (mprof:with-profiling (:file file)
                   (incf ran))))
          (mprof:with-profiling (:report nil)
            (make-conses 5)
            (let ((condition (handler-case (inner)
                               (mprof:already-active (condition) condition))))
              (is (typep condition 'mprof:already-active))
              (is (search file (report-of condition))))
            (is (= 0 ran))
            (is (= 1 (handler-bind ((mprof:already-active #'continue))
                       (inner))))
            (is-true (active-p)))
          (is (null (probe-file file))))))))

(test with-profiling-says-what-it-takes
  "A forgotten list of options."
  (loop for (form said)
          in '(((mprof:with-profiling (compute 1))
                "WITH-PROFILING takes a list of options and values, or (),")
               ((mprof:with-profiling (compute 1) (compute 2))
                "before its body, not (COMPUTE 1)")
               ((mprof:with-profiling 5) "not 5")
               ((mprof:with-profiling (:live)) "not (:LIVE)")
               ((mprof:with-profiling (:live t :cake 10) 1)
                "has no option :CAKE; it has :REPORT, :STREAM,")
               ((mprof:with-region :parse) "takes a name in parentheses")
               ((mprof:with-region (:parse 1)) "not (:PARSE 1)")
               ((mprof:with-labels (:user) 1) "a list of labels and values")
               ((mprof:with-labels :user) "not :USER")
               ((mprof:with-labels (compute 1)) "not (COMPUTE 1)")
               ((mprof:with-allocation-budget 5) "a list of options")
               ((mprof:with-allocation-budget (:bites 5) 1)
                "has no option :BITES; it has :BYTES,")
               ((mprof:try-advice (defun f () 1) (f)) "not (DEFUN F NIL 1)")
               ((mprof:try-advice ((defun)) (f)) "not ((DEFUN))")
               ((mprof:try-advice () (f)) "takes a list of definitions before")
               ((mprof:with-profiling) "or (), before its body")
               ((mprof:with-region) "as (:parse), before its body")
               ((mprof:with-labels) "as (:user 17), before its body")
               ((mprof:with-allocation-budget) "or (), before its body")
               ((mprof:try-advice) "a list of definitions before its body"))
        for report = (handler-case (macroexpand-1 form)
                       (mprof:mprof-error (condition) (report-of condition)))
        do (is (search said report) "~S says ~S" form report)
           (is (or (rest form) (null (search ", not" report)))
               "~S says ~S" form report)))

(test the-body-has-a-name
  "Its function is called profiled body, by both compilers."
  (with-idle-profiler
    (flet ((chains ()
             (loop for context in (data:figure :contexts (mprof:load-profile))
                   when (equal "CONS" (data:figure :type context))
                     collect (cons (data:figure :allocations context)
                                   (data:figure :chain context)))))
      (loop for form in '((mprof:with-profiling (:report nil)
                            (setf *kept* (cons 1 2)))
                          (mprof:allocated-by (setf *kept* (cons 1 2))))
            do (funcall (compile nil `(lambda () ,form)))
               (is (equal '((1 "profiled body")) (chains)) "~S" form)
               (eval form)
               (is (equal '((1 "profiled body")) (chains)) "~S" form)))))

(test what-compile-makes-has-its-name
  "Of a lambda expression, and of the function that a name has by then."
  (with-idle-profiler
    (let ((*standard-output* (make-broadcast-stream)))
      (compile 'made-by-compile '(lambda (x) (setf *kept* (cons x x))))
      (setf (fdefinition 'named-later)
            (si:eval-with-env '(lambda (x) (setf *kept* (cons x x)))))
      (compile 'named-later)
      (compile '(setf made-by-compile)
               '(lambda (x) "Makes one." (setf *kept* (cons x x)))))
    (dolist (name '(made-by-compile named-later (setf made-by-compile)))
      (let ((function (fdefinition name)))
        (mprof:with-profiling (:report nil) (funcall function 1)))
      (is (equal (list (list 16 (mprof::displayed-name name)))
                 (loop for row in (data:figure :functions (mprof:load-profile))
                       when (plusp (data:figure :self-bytes row))
                         collect (list (data:figure :self-bytes row)
                                       (data:figure :name row))))))))

(test with-profiling-nested-and-left
  "A throw out of the inner one leaves the outer one counting."
  (with-idle-profiler
    (mprof:with-profiling (:report nil)
      (catch 'away
        (mprof:with-profiling ()
          (make-conses 6)
          (throw 'away nil)))
      (make-conses 7))
    (is-false (active-p))
    (is (= 208 (data:figure :self-bytes
                (data:row :functions 'make-conses))))))

(defun said (report)
  "Return what WITH-PROFILING prints for REPORT."
  (with-output-to-string (stream)
    (mprof:with-profiling (:report report :stream stream)
      (make-conses 3))))

(test with-profiling-after-start
  "A line says why there are no tables."
  (with-idle-profiler
    (mprof:start)
    (is (string= (format nil "mprof: no tables, since it was counting before ~
                              the body; (mprof:report) prints all.~%")
                 (said t)))
    (is (string= "" (said nil)))
    (is-true (active-p))
    (mprof:stop)
    (is (= 6 (data:figure :self-allocations
              (data:row :functions 'make-conses))))))

(test with-profiling-within-another
  "It prints nothing, but in another thread the line why."
  (with-idle-profiler
    (is (string= "" (mprof:with-profiling (:report nil) (said t))))
    (is (eql 0 (search "mprof: no tables"
                       (mprof:with-profiling (:report nil)
                         (mp:process-join
                          (mp:process-run-function "other" #'said t))))))))

(test with-profiling-and-stop-inside
  (with-idle-profiler
    (is (eq 'done (mprof:with-profiling (:report nil)
                    (make-conses 6)
                    (mprof:stop)
                    (make-conses 6)
                    'done)))
    (is (equal '(6 96) (figures)))))

(test with-profiling-writes-a-file
  (with-idle-profiler
    (with-temporary-file (file)
      (mprof:with-profiling (:report nil :file file)
        (make-conses 6)
        (is (= 96 (data:figure :self-bytes (data:row :functions 'make-conses
                                             (mprof:load-profile file))))))
      (is (= 96 (data:figure :self-bytes (data:row :functions 'make-conses
                                           (mprof:load-profile file))))))))

(test with-profiling-a-file-that-cannot-be-written
  "That is said before the body runs; the restart CONTINUE goes on without a
file."
  (with-idle-profiler
    (let ((ran 0))
      (flet ((run (&rest arguments)
               (apply #'mprof::call-with-profiling
                      (lambda () (make-conses 6) (incf ran))
                      :report nil :file "/nowhere/at/all.data" arguments)))
        (signals mprof:profile-file-error (run))
        (is (= 0 ran))
        (handler-bind ((mprof:profile-file-error #'continue))
          (is (= 1 (run)))
          (is (= 2 (run :live t))))
        (is (null mprof::*counted-in*))
        (is (= 96 (data:figure :bytes (data:row :functions 'make-conses))))))))

(test with-profiling-a-file-that-can-be-written-no-more
  "Figures and values survive; the restart CONTINUE goes on without a file."
  (with-idle-profiler
    (flet ((run ()
             (with-folder (folder)
               (let ((file (concatenate 'string folder "gone/a")))
                 (ensure-directories-exist file)
                 (mprof:with-profiling (:report nil :file file)
                   (delete-file file)
                   (si:rmdir (concatenate 'string folder "gone/"))
                   (mprof:reset)
                   (make-conses 6)
                   (values 1 2))))))
      (signals mprof:profile-file-error (run))
      (is-false (active-p))
      (is (equal '(6 96) (figures)))
      (is (equal '(1 2) (handler-bind ((mprof:profile-file-error #'continue))
                          (multiple-value-list (run))))))))

(defun inner-profiling ()
  (mprof:with-profiling (:report nil) (make-conses 6)))

(test with-profiling-nested-adds-nothing
  (with-idle-profiler
    (is (= 0 (self-allocations 'mprof::call-with-profiling
                               (profiled (inner-profiling)))))))
