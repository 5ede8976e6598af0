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
  (loop for context in (data:figure :contexts profile)
        collect (list (last (data:figure :chain context) 2)
                      (data:figure :type context)
                      (data:figure :category context)
                      (data:figure :class context)
                      (data:figure :size context)
                      (data:figure :allocations context)
                      (data:figure :bytes context)
                      (data:figure :calls context))))

(test contexts-are-chains
  (with-idle-profiler
    (is (equal '((("MPROF.TESTS::OTHER-WAY" "MPROF.TESTS::MAKE-CONSES")
                  "CONS" "cons" nil 16 20 320 2)
                 (("MPROF.TESTS::ONE-WAY" "MPROF.TESTS::MAKE-CONSES")
                  "CONS" "cons" nil 16 5 80 1))
               (rows-of (mprof:load-profile
                         (profiled (one-way 5) (other-way 10))
                         :focus "MAKE-CONSES$"))))))

(test contexts-say-where-and-when
  (with-idle-profiler
    (let* ((profile (profiled
                      (make-conses 3)
                      (mp:process-join
                       (mp:process-run-function "other" #'make-conses 5))
                      (eval '(cons 1 2))))
           (rows (loop for context in (data:figure :contexts
                                       (mprof:load-profile
                                        profile :ignore "^MP:"))
                       when (equal (data:figure :name context)
                                   "MPROF.TESTS::MAKE-CONSES")
                         collect (list (data:figure :thread context)
                                       (data:figure :phase context)
                                       (data:figure :allocations context)))))
      (is (equal '(("other" :run 5)) (subseq rows 0 1)))
      (is (equal '(:run 3) (rest (second rows))))
      (is (= 2 (length rows)))
      (is (= (data:figure :allocations (data:row :phases :eval profile))
             (loop for context in (data:figure :contexts profile)
                   when (eq :eval (data:figure :phase context))
                     sum (data:figure :allocations context)))))))

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
                 (loop for context in (data:figure :contexts profile)
                       when (equal (data:figure :type context)
                                   "(SIMPLE-ARRAY DOUBLE-FLOAT)")
                         collect (list (data:figure :size context)
                                       (data:figure :allocations context)
                                       (data:figure :bytes context)))))
      (let ((grown (find :grown (data:figure :contexts profile)
                         :key (data:reader :size)))
            (bin (find :grown (data:figure :bins profile)
                       :key (data:reader :size))))
        (is (string= "HASH-TABLE" (data:figure :type grown)))
        (is (= 0 (data:figure :allocations grown)))
        (is (= (data:figure :bytes bin) (data:figure :bytes grown)))))))

(test contexts-add-up
  "All of the profile is in its contexts, once."
  (with-idle-profiler
    (let* ((profile (profiled (one-way 5) (other-way 10)
                              (compile nil '(lambda (x) (list x)))))
           (contexts (data:figure :contexts profile))
           (seen '()))
      (is (= (data:figure :bytes profile)
             (reduce #'+ contexts :key (data:reader :bytes))))
      (is (= (data:figure :allocations profile)
             (reduce #'+ contexts :key (data:reader :allocations))))
      (is (every #'>= (mapcar (data:reader :bytes) contexts)
                 (mapcar (data:reader :bytes) (rest contexts))))
      (is (null (multiple-value-list
                 (data:map-contexts
                  (lambda (context)
                    (push (data:figure :bytes context) seen))
                  profile))))
      (is (equal (mapcar (data:reader :bytes) contexts) (reverse seen)))
      ;; what each function is charged with is in the contexts that it is in
      (is (loop for function in (data:figure :functions profile)
                always (= (data:figure :bytes function)
                          (loop for context in contexts
                                when (member (data:figure :name function)
                                             (data:figure :chain context)
                                             :test #'string=)
                                  sum (data:figure :bytes context))))))))

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

;;; Choosing

(defun self-allocations (name profile)
  (let ((function (data:row :functions name profile)))
    (and function (data:figure :self-allocations function))))

(test filter-by-a-predicate
  (with-idle-profiler
    (let* ((profile (profiled (one-way 5) (other-way 10)))
           (conses (mprof:load-profile
                    profile
                    :predicate (lambda (context)
                                 (string= (data:figure :type context)
                                          "CONS"))))
           (figures (data:row :functions 'other-way conses)))
      (is (= 1 (length (data:figure :types conses))))
      (is (= (data:figure :bytes (data:row :types 'cons profile))
             (data:figure :bytes conses)))
      (is (= 0 (data:figure :self-allocations figures)))
      (is (= 320 (data:figure :bytes figures)))
      ;; calls are known, though the vector that they made is left out
      (is (= 1 (data:figure :calls figures)))
      (is (= 2 (data:figure :calls (data:row :arcs '(other-way make-conses)
                                                conses))))
      (is (search "MAKE-CONSES" (mprof:report :profile conses :stream nil)))
      (is (not (search "DOUBLE-FLOAT" (mprof:report :profile conses
                                                    :stream nil))))
      (is (= 0 (data:figure :allocations
                (mprof:load-profile profile
                                      :predicate (constantly nil)))))
      (is (= (data:figure :bytes profile)
             (data:figure :bytes
              (mprof:load-profile profile :predicate (constantly t))))))))

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
                     (apply #'mprof:load-profile
                            (apply #'mprof:load-profile profile first)
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
                   ((:category (:cons :other)) (:type "^CONS$") 11125)
                   ((:type "O") (:category :struct) nil)
                   ((:focus "OTHER-WAY" :phase :run) (:thread "b") nil))
            do (is (eql expected (funcall again first second))
                   "~S then ~S left ~S and not ~S" first second
                   (funcall again first second) expected))
      (let ((hidden (mprof:load-profile
                     (mprof:load-profile profile :hide "MAKE-CONSES"
                                                   :focus "WAY")
                     :hide "OTHER-WAY")))
        (is (= 5 (self-allocations 'one-way hidden)))
        (is (null (self-allocations 'other-way hidden)))
        (is (null (self-allocations 'make-conses hidden))))
      (is (= 5 (self-allocations
                'make-conses
                (mprof:load-profile
                 (mprof:load-profile
                  profile
                  :predicate (lambda (context)
                               (member "MPROF.TESTS::ONE-WAY"
                                       (data:figure :chain context)
                                       :test #'string=)))
                 :predicate (lambda (context)
                              (= 5 (data:figure :allocations context))))))))))

(test a-profile-does-not-change
  "Neither when counting goes on, nor when its file goes away."
  (with-idle-profiler
    (with-temporary-file (file)
      (let ((profile (profiled (one-way 5)))
            (lazy (mprof:report :stream (make-broadcast-stream))))
        (mprof:save file)
        (let ((read (mprof:load-profile file))
              (reported (mprof:report :profile file
                                      :stream (make-broadcast-stream))))
          (delete-file file)
          (mprof:start)
          (one-way 5)
          (mprof:stop)
          (dolist (each (list profile lazy read reported))
            (is (= 5 (self-allocations 'make-conses each)))
            (is (= 1 (count "MPROF.TESTS::MAKE-CONSES"
                            (data:figure :contexts each)
                            :key (data:reader :name)
                            :test #'string=)))))))))

(test several-files-are-one-profile
  (with-idle-profiler
    (with-temporary-file (a)
      (with-temporary-file (b)
        (profiled (one-way 5))
        (mprof:save a)
        (profiled (other-way 10))
        (mprof:save b)
        (let ((both (mprof:load-profile (list a b))))
          (is (= 25 (self-allocations 'make-conses both)))
          (is (= 20 (self-allocations
                     'make-conses
                     (mprof:load-profile both :focus "OTHER-WAY"))))
          (is (= 25 (loop for context in (data:figure :contexts both)
                          when (string= (data:figure :name context)
                                        "MPROF.TESTS::MAKE-CONSES")
                            sum (data:figure :allocations context)))))))))
