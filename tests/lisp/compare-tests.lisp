;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; compare-tests.lisp -- what changed from one profile to another.

(in-package #:mprof.tests)

(in-suite mprof)

(defun change-of (name differences)
  (let ((difference (find (mprof::displayed-name name) differences
                          :key (data:reader :name) :test #'string=)))
    (and difference
         (list (data:figure :old-allocations difference)
               (data:figure :new-allocations difference)
               (data:figure :allocations difference)
               (data:figure :old-bytes difference)
               (data:figure :new-bytes difference)
               (data:figure :bytes difference)))))

(test compare-functions-and-types
  (with-idle-profiler
    (let* ((old (profiled (one-way 100) (other-way 10)))
           (new (profiled (one-way 5) (other-way 10)
                          (setf *kept* (make-subject))))
           (comparison (mprof:compare-profiles old new))
           (functions (data:figure :functions comparison)))
      (is (equal '(120 25 -95 1920 400 -1520)
                 (change-of 'make-conses functions)))
      (is (null (change-of 'one-way functions)))
      (is (null (change-of 'make-doubles functions)))
      (is (equal '(0 1 1 0 80 80)
                 (change-of 'subject (data:figure :types comparison))))
      (is (string= "MPROF.TESTS::MAKE-CONSES"
                   (data:figure :name (first functions))))
      (is (eq old (data:figure :old comparison)))
      (is (eq new (data:figure :new comparison)))
      (is (= (- (data:figure :bytes new) (data:figure :bytes old))
             (data:figure :bytes comparison)
             (reduce #'+ functions :key (data:reader :bytes))
             (reduce #'+ (data:figure :types comparison)
                     :key (data:reader :bytes))))
      (is (= (- (data:figure :allocations new)
                (data:figure :allocations old))
             (data:figure :allocations comparison)))
      (is (loop for (a b) on (data:figure :functions comparison)
                always (or (null b)
                           (>= (abs (data:figure :bytes a))
                               (abs (data:figure :bytes b))))))
      (is (equal '(100 5 -95 1600 80 -1520)
                 (change-of 'one-way
                            (data:figure :functions
                             (mprof:compare-profiles old new
                                                     :inclusive t))))))))

(test compare-call-chains
  "Chains that changed, each with what its end allocated, whatever it was."
  (with-idle-profiler
    (let* ((old (profiled (one-way 100) (other-way 10)))
           (new (profiled (one-way 5) (other-way 10) (make-conses 3)))
           (chains (data:figure :contexts
                    (mprof:compare-profiles old new)))
           (ends (loop for chain in chains
                       collect (last (data:figure :chain chain) 2))))
      (is (equal '("MPROF.TESTS::ONE-WAY" "MPROF.TESTS::MAKE-CONSES")
                 (first ends)))
      (is (= -95 (data:figure :allocations (first chains))))
      (is (= 3 (data:figure :allocations (second chains))))
      (is (= 2 (length chains)))
      (is (every (lambda (chain)
                   (search "MPROF.TESTS::MAKE-CONSES"
                           (data:figure :name chain)))
                 chains))
      (is (= (- (data:figure :bytes new) (data:figure :bytes old))
             (reduce #'+ chains :key (data:reader :bytes))))
      (is (null (data:figure :contexts
                 (mprof:compare-profiles old old)))))))

(test compare-what-is-new-and-what-is-gone
  (with-idle-profiler
    (let* ((conses (mprof:load-profile (profiled (make-conses 3))
                                         :focus "MAKE-CONSES"))
           (nothing (mprof:load-profile conses :ignore "MAKE-CONSES"))
           (grown (first (data:figure :functions
                          (mprof:compare-profiles nothing conses))))
           (gone (first (data:figure :functions
                         (mprof:compare-profiles conses nothing)))))
      (is (= 48 (data:figure :bytes grown)))
      (is (null (data:figure :old grown)))
      (is (= 48 (data:figure :self-bytes (data:figure :new grown))))
      (is (= -48 (data:figure :bytes gone)))
      (is (null (data:figure :new gone)))
      (is (null (data:figure :functions
                 (mprof:compare-profiles conses conses)))))))

(test compare-files
  (with-idle-profiler
    (with-temporary-file (file)
      (profiled (make-conses 3))
      (mprof:save file)
      (is (equal '(3 5 2 48 80 32)
                 (change-of 'make-conses
                            (data:figure :functions
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
                          (data:figure :functions comparison)
                          :key (data:reader :name) :test #'string=))))
      (is (search "+32 bytes" described))
      (is (search "MPROF.TESTS::MAKE-CONSES" described)))))
