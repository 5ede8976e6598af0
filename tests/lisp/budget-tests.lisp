;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; budget-tests.lisp -- how much a body may allocate.

(in-package #:mprof.tests)

(in-suite mprof)

(defmacro excess (&body body)
  "The ALLOCATION-BUDGET-EXCEEDED that BODY signals, or its value."
  `(handler-case (progn ,@body)
     (mprof:allocation-budget-exceeded (condition) condition)))

(defun keeps (n bytes &optional allocations)
  (mprof:with-allocation-budget (:bytes bytes :allocations allocations)
    (make-conses n)
    :kept))

(test budgets-are-exact
  (with-idle-profiler
    (is (eq :kept (keeps 10 160)))
    (is (eq :kept (keeps 10 160 10)))
    (is (eq :kept (keeps 10 nil 10)))
    (is (eq :kept (keeps 10 nil nil)))
    (is (eq :kept (keeps 0 0 0)))
    (loop for (bytes allocations) in '((159 nil) (nil 9) (160 9) (159 10)
                                       (0 0))
          do (let ((condition (excess (keeps 10 bytes allocations))))
               (is (typep condition 'mprof:allocation-budget-exceeded))
               (is (= 160 (data:figure :bytes condition)))
               (is (= 10 (data:figure :allocations condition)))
               (is (equal (list :bytes bytes :allocations allocations
                                :function nil)
                          (data:figure :budget condition)))))))

(test budgets-give-back-values
  (with-idle-profiler
    (is (equal '(1 2 3) (multiple-value-list
                         (mprof:with-allocation-budget (:bytes 0)
                           (values 1 2 3)))))
    (is (equal '() (multiple-value-list
                    (mprof:with-allocation-budget (:bytes 0) (values)))))
    (is (equal '(1 2)
               (handler-bind ((mprof:allocation-budget-exceeded #'continue))
                 (multiple-value-list
                  (mprof:with-allocation-budget (:bytes 0)
                    (make-conses 3)
                    (values 1 2))))))))

(test budgets-say-who
  (with-idle-profiler
    (let* ((condition (excess (mprof:with-allocation-budget (:bytes 100)
                                (call-make-conses 10)
                                (setf *kept* (make-subject)))))
           (functions (data:figure :functions condition))
           (report (report-of condition)))
      (is (equal '(("MPROF.TESTS::MAKE-CONSES" 20 320)
                   ("MPROF.TESTS::MAKE-SUBJECT" 1 80))
                 (loop for function in functions
                       collect (list (data:figure :name function)
                                     (data:figure :allocations function)
                                     (data:figure :bytes function)))))
      (is (= 400 (data:figure :bytes (data:figure :profile condition))))
      (is (= 320 (data:figure :bytes
                  (data:row :arcs '(call-make-conses make-conses)
                                  (data:figure :profile condition)))))
      (is (search "400 bytes in 21 allocations; the budget is 100 bytes."
                  report))
      (is (search "320 bytes in      20 allocations by MPROF.TESTS::MAKE-CONSES"
                  report)))
    (is (search "the budget is 1 byte and 0 allocations."
                (report-of (excess (keeps 1 1 0)))))
    ;; the profile is there for REPORT, too
    (excess (keeps 10 159))
    (is (equal '(10 160) (figures)))))

(test budgets-for-one-function
  (with-idle-profiler
    (flet ((run (bytes function)
             (excess (mprof:with-allocation-budget (:bytes bytes
                                                    :function function)
                       (make-conses 100)
                       (call-make-conses 10)
                       :kept))))
      (is (eq :kept (run 320 'call-make-conses)))
      (is (eq :kept (run 1920 "MPROF.TESTS::MAKE-CONSES")))
      (is (eq :kept (run 0 "NOBODY")))
      (signals mprof:mprof-error (run 0 'nobody))
      (let ((condition (run 319 'call-make-conses)))
        (is (= 320 (data:figure :bytes condition)))
        (is (= 20 (data:figure :allocations condition)))
        (is (string= "MPROF.TESTS::CALL-MAKE-CONSES"
                     (getf (data:figure :budget condition) :function)))
        (is (search "CALL-MAKE-CONSES and what it called: 320 bytes"
                    (report-of condition)))
        (is (equal '(320) (mapcar (data:reader :bytes)
                                  (data:figure :functions condition)))))
      (is (= 1920 (data:figure :bytes (run 1919 'make-conses)))))))

(test budgets-and-other-ways-out
  "A body that is left is not judged."
  (with-idle-profiler
    (is (eq :thrown (catch 'away
                      (mprof:with-allocation-budget (:bytes 0)
                        (make-conses 5)
                        (throw 'away :thrown)))))
    (is-false (active-p))
    (is (eq :caught (handler-case (mprof:with-allocation-budget (:bytes 0)
                                    (make-conses 5)
                                    (error "Out of cake."))
                      (simple-error () :caught))))
    (is-false (active-p))
    (signals error (keeps 1 -1))
    (signals error (keeps 1 1.5))
    (signals error (keeps 1 nil :cake))
    (is-false (active-p))))

;;; A variable that a body captures is a cons when it is bound: none here.

(defun ten-conses ()
  (mprof:with-allocation-budget (:bytes 160)
    (make-conses 10)))

(defun nested-budgets ()
  "Thirty conses, none more than allowed."
  (mprof:with-allocation-budget (:bytes 480 :allocations 30)
    (make-conses 5)
    (mprof:with-allocation-budget (:bytes 240)
      (make-conses 5)
      (ten-conses))
    (make-conses 10)))

(test budgets-within-a-profile
  "A budget that is kept adds nothing to the profile that it is in."
  (with-idle-profiler
    (finishes (nested-budgets))
    (is (equal '(30 480) (figures)))
    (mprof:with-profiling (:report nil)
      (make-conses 1)
      (nested-budgets)
      (nested-budgets))
    (is (equal '(61 976) (figures)))
    (is (= 61 (self-allocations 'make-conses (mprof:load-profile))))
    (is (= 2 (data:figure :calls
              (data:row :functions 'nested-budgets))))
    (is (= 2 (data:figure :calls
              (data:row :functions 'ten-conses))))
    (mprof:start)
    (nested-budgets)
    (is-true (active-p))))

(defun within-a-profile ()
  (make-conses 100)
  (nested-budgets)
  (let ((condition (excess (keeps 10 159))))
    (make-conses 1000)
    condition))

(test budgets-exceeded-within-a-profile
  "Figures are those of the body alone, whatever was counted before."
  (with-idle-profiler
    (let* ((condition (mprof:with-profiling (:report nil)
                        (within-a-profile)
                        (within-a-profile)))
           (functions (data:figure :functions condition)))
      (is (= 160 (data:figure :bytes condition)))
      (is (equal '(("MPROF.TESTS::MAKE-CONSES" 10 160))
                 (loop for function in functions
                       when (plusp (data:figure :bytes function))
                         collect (list (data:figure :name function)
                                       (data:figure :allocations function)
                                       (data:figure :bytes function)))))
      (is (= (+ 100 30 10 1000 100 30 10)
             (self-allocations 'make-conses (data:figure :profile condition))))
      (is-false (active-p)))
    (let ((condition (mprof:with-profiling (:report nil)
                       (call-make-conses 1000)
                       (excess (mprof:with-allocation-budget
                                   (:bytes 319 :function 'call-make-conses)
                                 (make-conses 7)
                                 (call-make-conses 10))))))
      (is (= 320 (data:figure :bytes condition)))
      (is (= 20 (data:figure :allocations condition))))))

(test budgets-nested-deeply
  "The innermost of many budgets says who exceeded it."
  (with-idle-profiler
    (labels ((deep (n)
               (if (= n 0)
                   (keeps 1 16)
                   (mprof:with-allocation-budget (:bytes 100000)
                     (deep (1- n))))))
      (mprof:with-profiling (:report nil)
        (loop repeat 20
              do (catch 'away
                   (mprof:with-allocation-budget (:bytes 0)
                     (throw 'away nil)))
                 (excess (keeps 1 0)))
        (is (eq :kept (deep 10)))
        (let ((condition (excess (labels ((inner (n)
                                            (if (= n 0)
                                                (keeps 1 15)
                                                (mprof:with-allocation-budget
                                                    (:bytes 100000)
                                                  (inner (1- n))))))
                                   (inner 40)))))
          (is (equal '(("MPROF.TESTS::MAKE-CONSES" 16))
                     (loop for row in (data:figure :functions condition)
                           collect (list (data:figure :name row)
                                         (data:figure :bytes row))))))))))

(test budgets-name-the-programs-own-functions
  "What ECL's functions allocate is charged to those that call them."
  (with-idle-profiler
    (flet ((functions (condition)
             (loop for row in (data:figure :functions condition)
                   collect (cons (data:figure :name row)
                                 (data:figure :bytes row)))))
      (is (equal '(("profiled body" . 48) ("MPROF.TESTS::MAKE-CONSES" . 16))
                 (functions (excess (mprof:with-allocation-budget (:bytes 0)
                                      (setf *kept* (make-list 3))
                                      (make-conses 1))))))
      (is (equal '(("profiled body" . 48))
                 (functions (excess (mprof:with-allocation-budget
                                        (:bytes 0 :function 'make-list)
                                      (setf *kept* (make-list 3))
                                      (make-conses 1)))))))))

(test budgets-in-several-threads
  "All threads are counted."
  (with-idle-profiler
    (flet ((run (bytes)
             (excess (mprof:with-allocation-budget
                         (:bytes bytes :function 'make-conses)
                       (mapc #'mp:process-join
                             (loop repeat 3
                                   collect (mp:process-run-function
                                            "maker" #'make-conses 10)))
                       :kept))))
      (is (eq :kept (run 480)))
      (is (= 480 (data:figure :bytes (run 479)))))))

(test allocated-by
  (with-idle-profiler
    (is (equal '(10 160)
               (multiple-value-list (mprof:allocated-by (make-conses 10)))))
    (is (equal '(0 0) (multiple-value-list (mprof:allocated-by))))
    (mprof:start)
    (is (equal '(10 160)
               (multiple-value-list (mprof:allocated-by (make-conses 10)))))
    (is-true (active-p))))
