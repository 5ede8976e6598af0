;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; compare-tests.lisp -- what changed from one profile to another.

(in-package #:mprof.tests)

(in-suite mprof)

(defun change-of (name differences)
  (let ((difference (find (mprof::displayed-name name) differences
                          :key #'data:name :test #'string=)))
    (and difference
         (list (data:old-allocations difference)
               (data:new-allocations difference)
               (data:allocations difference)
               (data:old-bytes difference)
               (data:new-bytes difference)
               (data:bytes difference)))))

(test compare-functions-and-types
  (with-idle-profiler
    (let* ((old (profiled (one-way 100) (other-way 10)))
           (new (profiled (one-way 5) (other-way 10)
                          (setf *kept* (make-subject))))
           (comparison (mprof:compare-profiles old new))
           (functions (data:functions comparison)))
      (is (equal '(120 25 -95 1920 400 -1520)
                 (change-of 'make-conses functions)))
      (is (null (change-of 'one-way functions)))
      (is (null (change-of 'make-doubles functions)))
      (is (equal '(0 1 1 0 80 80)
                 (change-of 'subject (data:types comparison))))
      (is (string= "MPROF.TESTS::MAKE-CONSES"
                   (data:name (first functions))))
      (is (eq old (data:old comparison)))
      (is (eq new (data:new comparison)))
      (is (= (- (data:bytes new) (data:bytes old))
             (data:bytes comparison)
             (reduce #'+ functions :key #'data:bytes)
             (reduce #'+ (data:types comparison)
                     :key #'data:bytes)))
      (is (= (- (data:allocations new)
                (data:allocations old))
             (data:allocations comparison)))
      (is (loop for (a b) on (data:functions comparison)
                always (or (null b)
                           (>= (abs (data:bytes a))
                               (abs (data:bytes b))))))
      (is (equal '(100 5 -95 1600 80 -1520)
                 (change-of 'one-way
                            (data:functions
                             (mprof:compare-profiles old new
                                                     :inclusive t))))))))

(test compare-call-chains
  "Chains that changed, each with what its end allocated, whatever it was."
  (with-idle-profiler
    (let* ((old (profiled (one-way 100) (other-way 10)))
           (new (profiled (one-way 5) (other-way 10) (make-conses 3)))
           (chains (data:contexts
                    (mprof:compare-profiles old new)))
           (ends (loop for chain in chains
                       collect (last (data:chain chain) 2))))
      (is (equal '("MPROF.TESTS::ONE-WAY" "MPROF.TESTS::MAKE-CONSES")
                 (first ends)))
      (is (= -95 (data:allocations (first chains))))
      (is (= 3 (data:allocations (second chains))))
      (is (= 2 (length chains)))
      (is (every (lambda (chain)
                   (string= "MPROF.TESTS::MAKE-CONSES"
                            (data:name chain)))
                 chains))
      (is (= (- (data:bytes new) (data:bytes old))
             (reduce #'+ chains :key #'data:bytes)))
      (is (null (data:contexts
                 (mprof:compare-profiles old old)))))))

(test compare-what-is-new-and-what-is-gone
  (with-idle-profiler
    (let* ((conses (mprof:filter-profile (profiled (make-conses 3))
                                         :focus "MAKE-CONSES"))
           (nothing (mprof:filter-profile conses :ignore "MAKE-CONSES"))
           (grown (first (data:functions
                          (mprof:compare-profiles nothing conses))))
           (gone (first (data:functions
                         (mprof:compare-profiles conses nothing)))))
      (is (= 48 (data:bytes grown)))
      (is (null (data:old grown)))
      (is (= 48 (data:self-bytes (data:new grown))))
      (is (= -48 (data:bytes gone)))
      (is (null (data:new gone)))
      (is (null (data:functions
                 (mprof:compare-profiles conses conses)))))))

(test compare-files
  (with-idle-profiler
    (with-temporary-file (file)
      (profiled (make-conses 3))
      (mprof:save file)
      (is (equal '(3 5 2 48 80 32)
                 (change-of 'make-conses
                            (data:functions
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
                          (data:functions comparison)
                          :key #'data:name :test #'string=))))
      (is (search "+32 bytes" described))
      (is (search "MPROF.TESTS::MAKE-CONSES" described)))))
