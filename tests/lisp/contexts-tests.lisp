;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; contexts-tests.lisp -- call chains, and what is chosen of them.

(in-package #:mprof.tests)

(in-suite mprof)

(defun one-way (n)
  (make-conses n))

(defun other-way (n)
  (setf *kept* (make-doubles n))
  (make-conses n)
  (make-conses n))

(defun rows-of (profile)
  "The contexts of PROFILE as lists, but for their phases and threads."
  (loop for context in (data:contexts profile)
        collect (list (last (data:chain context) 2)
                      (data:type context)
                      (data:category context)
                      (data:class context)
                      (data:size context)
                      (data:allocations context)
                      (data:bytes context)
                      (data:calls context))))

(test contexts-are-chains
  (with-idle-profiler
    (is (equal '((("MPROF.TESTS::OTHER-WAY" "MPROF.TESTS::MAKE-CONSES")
                  "CONS" "cons" nil 16 20 320 2)
                 (("MPROF.TESTS::ONE-WAY" "MPROF.TESTS::MAKE-CONSES")
                  "CONS" "cons" nil 16 5 80 1))
               (rows-of (mprof:filter-profile
                         (profiled (one-way 5) (other-way 10))
                         :focus "MAKE-CONSES$"))))))

(test contexts-say-where-and-when
  (with-idle-profiler
    (let* ((profile (profiled
                      (make-conses 3)
                      (mp:process-join
                       (mp:process-run-function "other" #'make-conses 5))
                      (eval '(cons 1 2))))
           (rows (loop for context in (data:contexts
                                       (mprof:filter-profile
                                        profile :ignore "^MP:"))
                       when (equal (data:name context)
                                   "MPROF.TESTS::MAKE-CONSES")
                         collect (list (data:thread context)
                                       (data:phase context)
                                       (data:allocations context)))))
      (is (equal '(("other" :run 5)) (subseq rows 0 1)))
      (is (equal '(:run 3) (rest (second rows))))
      (is (= 2 (length rows)))
      (is (= (data:allocations (data:row :phases :eval profile))
             (loop for context in (data:contexts profile)
                   when (eq :eval (data:phase context))
                     sum (data:allocations context)))))))

(test contexts-of-special-sizes
  "Objects above 2,048 bytes are in one context, and so are bodies that grow."
  (with-idle-profiler
    (let ((profile (profiled
                     (dolist (n '(300 400))
                       (setf *kept* (make-doubles n)))
                     (let ((table (make-hash-table)))
                       (dotimes (i 1000)
                         (setf (gethash i table) i))))))
      ;; a header of 48 bytes, then the elements
      (is (equal '((:large 2 5696))
                 (loop for context in (data:contexts profile)
                       when (equal (data:type context)
                                   "(SIMPLE-ARRAY DOUBLE-FLOAT)")
                         collect (list (data:size context)
                                       (data:allocations context)
                                       (data:bytes context)))))
      (let ((grown (find :grown (data:contexts profile)
                         :key #'data:size))
            (bin (find :grown (data:bins profile)
                       :key #'data:size)))
        (is (string= "HASH-TABLE" (data:type grown)))
        (is (= 0 (data:allocations grown)))
        (is (= (data:bytes bin) (data:bytes grown)))))))

(test contexts-add-up
  "All of the profile is in its contexts, once."
  (with-idle-profiler
    (let* ((profile (profiled (one-way 5) (other-way 10)
                              (compile nil '(lambda (x) (list x)))))
           (contexts (data:contexts profile))
           (seen '()))
      (is (= (data:bytes profile)
             (reduce #'+ contexts :key #'data:bytes)))
      (is (= (data:allocations profile)
             (reduce #'+ contexts :key #'data:allocations)))
      (is (every #'>= (mapcar #'data:bytes contexts)
                 (mapcar #'data:bytes (rest contexts))))
      (is (null (multiple-value-list
                 (data:map-contexts
                  (lambda (context)
                    (push (data:bytes context) seen))
                  profile))))
      (is (equal (mapcar #'data:bytes contexts) (reverse seen)))
      ;; what each function allocated itself is in the contexts it ends
      (is (loop for function in (data:functions profile)
                always (= (data:self-bytes function)
                          (loop for context in contexts
                                when (string= (data:name context)
                                              (data:name function))
                                  sum (data:bytes context)))))
      ;; and what it is charged with in the contexts that it is in
      (is (loop for function in (data:functions profile)
                always (= (data:bytes function)
                          (loop for context in contexts
                                when (member (data:name function)
                                             (data:chain context)
                                             :test #'string=)
                                  sum (data:bytes context))))))))

(test contexts-can-be-left
  (with-idle-profiler
    (let ((profile (profiled (one-way 5) (other-way 10))))
      (call-in-folder-of-its-own
       (lambda (files)
         (is (eq :found (block search
                          (data:map-contexts
                           (lambda (context)
                             (declare (ignore context))
                             (return-from search :found))
                           profile))))
         (is (null (directory files))))))))

(test numbers-of-contexts
  "The reader of integers knows signs, and integers that are no fixnums."
  (let ((next (mprof::make-number-reader
               (coerce "x 0 -2 17
 123456789012345678 9223372036854775807 5" 'base-string)
               1)))
    (is (equal '(0 -2 17 123456789012345678 9223372036854775807 5)
               (loop repeat 6 collect (funcall next))))))

(test contexts-with-names-beyond-ascii
  (with-idle-profiler
    (let ((profile (profiled (|grüße an λ| 3))))
      (is (= 1 (count-if (lambda (context)
                           (find (mprof::displayed-name '|grüße an λ|)
                                 (data:chain context)
                                 :test #'string=))
                         (data:contexts profile)))))))

;;; Choosing

(defun self-allocations (name profile)
  (let ((function (data:row :functions name profile)))
    (and function (data:self-allocations function))))

(test filter-by-choices
  (with-idle-profiler
    (let* ((profile (profiled (one-way 5) (other-way 10)))
           (part (mprof:filter-profile profile :focus "OTHER-WAY")))
      (is (= 20 (self-allocations 'make-conses part)))
      (is (= 25 (self-allocations 'make-conses profile)))
      (is (equal (mapcar #'data:name
                         (data:functions
                          (mprof:profile nil :focus "OTHER-WAY")))
                 (mapcar #'data:name
                         (data:functions part))))
      (signals mprof:mprof-error (mprof:filter-profile profile :focus "("))
      (signals error (mprof:filter-profile profile :max 3)))))

(test filter-by-type-and-category
  "Choices on top of one another leave what is in all of them."
  (with-idle-profiler
    (let* ((profile (profiled (make-conses 5) (make-doubles 10)))
           (conses (mprof:filter-profile profile :object-type "^CONS$"))
           (others (mprof:filter-profile profile :category '(:struct :other))))
      (flet ((types (profile &rest choices)
               (sort (mapcar #'data:name
                             (data:types (apply #'mprof:filter-profile profile
                                                choices)))
                     #'string<)))
        (is (equal '("CONS") (types conses)))
        (is (= 80 (data:bytes conses)))
        (is (equal '("CONS") (types profile :category :cons)))
        (is (= 1 (length (types others))))
        (is (search "DOUBLE-FLOAT" (first (types others))))
        (is (null (types conses :object-type "DOUBLE")))
        (is (equal '("CONS") (types conses :object-type "O")))
        (is (null (types others :category :cons)))
        (is (equal (types others) (types others :category '(:cons :struct
                                                            :other)))))
      (signals mprof:mprof-error
        (mprof:filter-profile profile :category :cake)))))

(test filter-by-a-predicate
  (with-idle-profiler
    (let* ((profile (profiled (one-way 5) (other-way 10)))
           (conses (mprof:filter-profile
                    profile
                    :predicate (lambda (context)
                                 (string= (data:type context)
                                          "CONS"))))
           (figures (data:row :functions 'other-way conses)))
      (is (= 1 (length (data:types conses))))
      (is (= (data:bytes (data:row :types 'cons profile))
             (data:bytes conses)))
      (is (= 0 (data:self-allocations figures)))
      (is (= 320 (data:bytes figures)))
      ;; calls are known, though the vector that they made is left out
      (is (= 1 (data:calls figures)))
      (is (= 2 (data:calls (data:row :arcs '(other-way make-conses)
                                                conses))))
      (is (search "MAKE-CONSES" (mprof:report :profile conses :stream nil)))
      (is (not (search "DOUBLE-FLOAT" (mprof:report :profile conses
                                                    :stream nil))))
      (is (= 0 (data:allocations
                (mprof:filter-profile profile
                                      :predicate (constantly nil)))))
      (is (= (data:bytes profile)
             (data:bytes
              (mprof:filter-profile profile :predicate (constantly t))))))))

(test filters-come-on-top
  "What a filter leaves of a filtered profile is what both leave."
  (with-idle-profiler
    (let* ((profile (profiled
                      (one-way 5) (other-way 10)
                      (mapc #'mp:process-join
                            (list (mp:process-run-function
                                   "ab" #'make-conses 100)
                                  (mp:process-run-function
                                   "bc" #'make-conses 1000)))
                      (eval '(make-conses 10000))))
           (again (lambda (first second)
                    (self-allocations
                     'make-conses
                     (apply #'mprof:filter-profile
                            (apply #'mprof:filter-profile profile first)
                            second)))))
      (loop for (first second expected)
              in '(((:focus "MAKE-CONSES") (:focus "ONE-WAY") 5)
                   ((:focus "ONE-WAY") (:focus "MAKE-CONSES") 5)
                   ((:focus "ONE-WAY") (:focus "OTHER-WAY") nil)
                   ((:ignore "ONE-WAY") (:ignore "OTHER-WAY") 11100)
                   ((:thread "a") (:thread "b") 100)
                   ((:thread "b") (:thread "c$") 1000)
                   ((:thread "^a") (:thread "c$") nil)
                   ((:phase (:run :eval)) (:phase :run) 11125)
                   ((:phase :eval) (:phase :run) nil)
                   ((:focus "OTHER-WAY") (:phase :run) 20)
                   ((:focus "OTHER-WAY" :phase :run) (:thread "b") nil))
            do (is (eql expected (funcall again first second))
                   "~S then ~S left ~S and not ~S" first second
                   (funcall again first second) expected))
      (let ((hidden (mprof:filter-profile
                     (mprof:filter-profile profile :hide "MAKE-CONSES"
                                                   :focus "WAY")
                     :hide "OTHER-WAY")))
        (is (= 5 (self-allocations 'one-way hidden)))
        (is (null (self-allocations 'other-way hidden)))
        (is (null (self-allocations 'make-conses hidden))))
      (is (= 5 (self-allocations
                'make-conses
                (mprof:filter-profile
                 (mprof:filter-profile
                  profile
                  :predicate (lambda (context)
                               (member "MPROF.TESTS::ONE-WAY"
                                       (data:chain context)
                                       :test #'string=)))
                 :predicate (lambda (context)
                              (= 5 (data:allocations context))))))))))

(test a-profile-does-not-change
  "Neither when counting goes on, nor when its file goes away."
  (with-idle-profiler
    (with-temporary-file (file)
      (let ((profile (profiled (one-way 5)))
            (lazy (mprof:report :stream (make-broadcast-stream))))
        (mprof:save file)
        (let ((read (mprof:profile file))
              (reported (mprof:report :file file
                                      :stream (make-broadcast-stream))))
          (delete-file file)
          (mprof:start)
          (one-way 5)
          (mprof:stop)
          (dolist (each (list profile lazy read reported))
            (is (= 5 (self-allocations 'make-conses each)))
            (is (= 1 (count "MPROF.TESTS::MAKE-CONSES"
                            (data:contexts each)
                            :key #'data:name
                            :test #'string=)))))))))

(test several-files-are-one-profile
  (with-idle-profiler
    (with-temporary-file (a)
      (with-temporary-file (b)
        (profiled (one-way 5))
        (mprof:save a)
        (profiled (other-way 10))
        (mprof:save b)
        (let ((both (mprof:profile (list a b))))
          (is (= 25 (self-allocations 'make-conses both)))
          (is (= 20 (self-allocations
                     'make-conses
                     (mprof:filter-profile both :focus "OTHER-WAY"))))
          (is (= 25 (loop for context in (data:contexts both)
                          when (string= (data:name context)
                                        "MPROF.TESTS::MAKE-CONSES")
                            sum (data:allocations context)))))))))
