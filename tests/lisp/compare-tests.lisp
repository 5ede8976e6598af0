;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; compare-tests.lisp -- what changed from one profile to another.

(in-package #:mprof.tests)

(in-suite mprof)

(defun change-of (name differences)
  (let ((difference (find (mprof::displayed-name name) differences
                          :key #'mprof:difference-name :test #'string=)))
    (and difference
         (list (mprof:difference-old-allocations difference)
               (mprof:difference-new-allocations difference)
               (mprof:difference-allocations difference)
               (mprof:difference-old-bytes difference)
               (mprof:difference-new-bytes difference)
               (mprof:difference-bytes difference)))))

(test compare-functions-and-types
  (with-idle-profiler
    (let* ((old (profiled (one-way 100) (other-way 10)))
           (new (profiled (one-way 5) (other-way 10)
                          (setf *kept* (make-subject))))
           (comparison (mprof:compare-profiles old new))
           (functions (mprof:comparison-functions comparison)))
      (is (equal '(120 25 -95 1920 400 -1520)
                 (change-of 'make-conses functions)))
      (is (null (change-of 'one-way functions)))
      (is (null (change-of 'make-doubles functions)))
      (is (equal '(0 1 1 0 80 80)
                 (change-of 'subject (mprof:comparison-types comparison))))
      (is (string= "MPROF.TESTS::MAKE-CONSES"
                   (mprof:difference-name (first functions))))
      (is (eq old (mprof:comparison-old comparison)))
      (is (eq new (mprof:comparison-new comparison)))
      (is (= (- (mprof:profile-bytes new) (mprof:profile-bytes old))
             (mprof:comparison-bytes comparison)
             (reduce #'+ functions :key #'mprof:difference-bytes)
             (reduce #'+ (mprof:comparison-types comparison)
                     :key #'mprof:difference-bytes)))
      (is (= (- (mprof:profile-allocations new)
                (mprof:profile-allocations old))
             (mprof:comparison-allocations comparison)))
      (is (loop for (a b) on (mprof:comparison-functions comparison)
                always (or (null b)
                           (>= (abs (mprof:difference-bytes a))
                               (abs (mprof:difference-bytes b))))))
      (is (equal '(100 5 -95 1600 80 -1520)
                 (change-of 'one-way
                            (mprof:comparison-functions
                             (mprof:compare-profiles old new
                                                     :inclusive t))))))))

(test compare-call-chains
  "Chains that changed, each with what its end allocated, whatever it was."
  (with-idle-profiler
    (let* ((old (profiled (one-way 100) (other-way 10)))
           (new (profiled (one-way 5) (other-way 10) (make-conses 3)))
           (chains (mprof:comparison-contexts
                    (mprof:compare-profiles old new)))
           (ends (loop for chain in chains
                       collect (last (mprof:difference-functions chain) 2))))
      (is (equal '("MPROF.TESTS::ONE-WAY" "MPROF.TESTS::MAKE-CONSES")
                 (first ends)))
      (is (= -95 (mprof:difference-allocations (first chains))))
      (is (= 3 (mprof:difference-allocations (second chains))))
      (is (= 2 (length chains)))
      (is (every (lambda (chain)
                   (string= "MPROF.TESTS::MAKE-CONSES"
                            (mprof:difference-name chain)))
                 chains))
      (is (= (- (mprof:profile-bytes new) (mprof:profile-bytes old))
             (reduce #'+ chains :key #'mprof:difference-bytes)))
      (is (null (mprof:comparison-contexts
                 (mprof:compare-profiles old old)))))))

(test compare-what-is-new-and-what-is-gone
  (with-idle-profiler
    (let* ((conses (mprof:filter-profile (profiled (make-conses 3))
                                         :focus "MAKE-CONSES"))
           (nothing (mprof:filter-profile conses :ignore "MAKE-CONSES"))
           (grown (first (mprof:comparison-functions
                          (mprof:compare-profiles nothing conses))))
           (gone (first (mprof:comparison-functions
                         (mprof:compare-profiles conses nothing)))))
      (is (= 48 (mprof:difference-bytes grown)))
      (is (null (mprof:difference-old grown)))
      (is (= 48 (mprof:function-self-bytes (mprof:difference-new grown))))
      (is (= -48 (mprof:difference-bytes gone)))
      (is (null (mprof:difference-new gone)))
      (is (null (mprof:comparison-functions
                 (mprof:compare-profiles conses conses)))))))

(test compare-files
  (with-idle-profiler
    (with-temporary-file (file)
      (profiled (make-conses 3))
      (mprof:save file)
      (is (equal '(3 5 2 48 80 32)
                 (change-of 'make-conses
                            (mprof:comparison-functions
                             (mprof:compare-profiles
                              file (profiled (make-conses 5)))))))))
  (signals mprof:profile-file-error
    (mprof:compare-profiles "/nowhere/at/all" "/nowhere/at/all")))

(test comparisons-print
  (with-idle-profiler
    (let* ((comparison (mprof:compare-profiles (profiled (make-conses 3))
                                               (profiled (make-conses 5))))
           (described (with-output-to-string (stream)
                        (describe comparison stream))))
      (is (string= "#<difference MPROF.TESTS::MAKE-CONSES +32 bytes (48 to 80), +2 allocations>"
                   (princ-to-string
                    (find "MPROF.TESTS::MAKE-CONSES"
                          (mprof:comparison-functions comparison)
                          :key #'mprof:difference-name :test #'string=))))
      (is (search "+32 bytes" described))
      (is (search "MPROF.TESTS::MAKE-CONSES" described)))))
