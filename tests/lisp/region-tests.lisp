;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; region-tests.lisp -- named regions: what is counted in them, and what they
;;;; themselves must not add.

(in-package #:mprof.tests)

(in-suite mprof)

(defun in-regions ()
  "Make 3 * (5 + 7) + 11 + 13 conses: five in OUTER, seven in OUTER;a;b."
  (dotimes (i 3)
    (mprof:with-region (:outer)
      (make-conses 5)
      (mprof:with-region ("a;b") (make-conses 7))))
  (mprof:with-region ('other) (make-conses 11))
  (make-conses 13))

(defun leave-region ()
  "Leave two regions by a throw, having made two conses in them."
  (catch 'out
    (mprof:with-region (:thrown)
      (make-conses 1)
      (mprof:with-region (:inner)
        (make-conses 1)
        (throw 'out nil))))
  (make-conses 3))

(defun conses-in (region)
  "How many objects were allocated in the regions that REGION matches."
  (data:figure :allocations (mprof:load-profile nil :region region)))

(test region-figures
  "A region's figures go up into the one around it; nothing else is counted."
  (with-idle-profiler
    (mprof:with-profiling (:report nil) (in-regions))
    (is (equal '(60 960) (figures)))
    (is (= 36 (conses-in "^outer$")))
    (is (= 21 (conses-in "^outer;")))
    (is (= 11 (conses-in "^other$")))
    (is (= 0 (conses-in "nowhere")))
    (is (every (lambda (function)
                 (null (data:figure :calls function)))
               (data:figure :functions (mprof:load-profile nil :region "outer")))
        "Nobody counts calls by region.")
    (is (null (search "calls"
                      (mprof:report :tables :direct :no-legend t :stream nil
                                    :region "outer"))))))

(test regions-in-new-threads
  "A thread's first region adds nothing."
  (with-idle-profiler
    (flet ((bytes-in-thread (work)
             (mprof:with-profiling (:report nil)
               (mp:process-join (mp:process-run-function "new" work)))
             (getf (mprof:status) :bytes)))
      (is (= (bytes-in-thread (lambda () (make-conses 3)))
             (bytes-in-thread
              (lambda () (mprof:with-region (:in) (make-conses 3)))))))))

(test region-data
  "The same as Lisp data, the largest first."
  (with-idle-profiler
    (mprof:with-profiling (:report nil) (in-regions))
    (let ((profile (mprof:load-profile)))
      (is (equal '(("outer" 36 576 3) ("outer;a\\;b" 21 336 3)
                   ("other" 11 176 1))
                 (loop for region in (data:figure :regions profile)
                       collect (list (data:figure :name region)
                                     (data:figure :allocations region)
                                     (data:figure :bytes region)
                                     (data:figure :calls region)))))
      (is (equal '(176 0 0 0)
                 (data:figure :category-bytes
                  (data:row :regions 'other profile))))
      (is (plusp (data:figure :nanoseconds
                  (data:row :regions :outer profile))))
      (is (null (data:row :regions "nowhere" profile))))))

(test region-exit
  "A throw leaves the regions that it passes."
  (with-idle-profiler
    (mprof:with-profiling (:report nil) (leave-region))
    (is (= 2 (conses-in "^thrown$")))
    (is (= 1 (conses-in "^thrown;inner$")))
    (is (equal '(5 80) (figures)))))

(test region-values
  "The values are the body's, also where nobody counts."
  (with-idle-profiler
    (is (equal '(1 2) (multiple-value-list
                       (mprof:with-region (:two)
                         (declare (optimize speed))
                         (values 1 2)))))))

(test region-names
  (signals mprof:mprof-error
    (eval '(let ((name 7)) (mprof:with-region (name) nil)))))

(defun labelled (label &rest options)
  "How many objects were allocated with LABEL."
  (data:figure :allocations (apply #'mprof:load-profile nil :label label options)))

(test labels
  "Labels nest, are found wherever they stand, and reach another thread if that
is asked for."
  (with-idle-profiler
    (mprof:with-profiling (:report nil)
      (mprof:with-labels (:request "/login" :user 17)
        (make-conses 5)
        (mprof:with-labels ("request" "/") (make-conses 7))
        (mapc #'mp:process-join
              (list (mp:process-run-function
                     "same" (mprof:with-same-labels
                             (lambda () (make-conses 1000))))
                    (mp:process-run-function
                     "none" (lambda () (make-conses 2000))))))
      (mprof:with-labels (:user 17) (make-conses 11))
      (mprof:with-labels () (make-conses 13))
      (let ((outside (mprof:with-same-labels (lambda () (make-conses 17)))))
        (funcall outside)
        (mprof:with-labels (:user 20)
          (funcall outside)
          (make-conses 19))))
    (is (= 7 (labelled "request=/")))
    (is (= 1012 (labelled "request=/login" :focus "MAKE-CONSES")))
    (is (= 0 (labelled "user=17" :focus "MAKE-CONSES" :thread "none")))
    (is (= (+ 11 (labelled "request=/login")) (labelled "user=1[0-9]")))
    (is (= (labelled "request=/login") (labelled "request=/.+")))
    (is (= 19 (labelled "user=20" :focus "MAKE-CONSES")))
    (is (= 0 (labelled "request=")))
    (is (= 0 (labelled "quest=/")))
    ;; Of too many values the rest is [other], and nothing is lost.  Names are
    ;; there until the process ends.
    (mprof:with-profiling (:report nil)
      (dotimes (i 5000)
        (mprof:with-labels (:number i) (make-conses 3)))
      (mprof:with-region (:plain) (make-conses 5)))
    (let* ((names (mapcar (lambda (region) (data:figure :name region))
                          (data:figure :regions (mprof:load-profile))))
           (own (count-if (lambda (name) (search "number=" name)) names)))
      (is (member "number=[other]" names :test #'string=))
      (is (= 3 (labelled "number=7")))
      (is (< 3000 own 4095))
      (is (= 15000 (labelled "number=.*")))
      (is (= (- 15000 (* 3 (1- own))) (labelled "number=\\[other\\]"))))
    (is (= 5 (conses-in "plain")))))
