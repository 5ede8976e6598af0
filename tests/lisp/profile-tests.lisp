;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; profile-tests.lisp -- the figures as Lisp data.

(in-package #:mprof.tests)

(in-suite mprof)

(defun call-make-conses (n)
  (make-conses n)
  (make-conses n))

(test figures-of-functions
  (with-idle-profiler
    (let* ((profile (profiled (call-make-conses 10)))
           (callee (mprof:find-function 'make-conses profile))
           (caller (mprof:find-function 'call-make-conses profile)))
      (is (= 20 (mprof:profile-allocations profile)))
      (is (= 320 (mprof:profile-bytes profile)))
      (is (string= "MPROF.TESTS::MAKE-CONSES" (mprof:function-name callee)))
      (is (= 20 (mprof:function-self-allocations callee)))
      (is (= 320 (mprof:function-self-bytes callee)))
      (is (= 2 (mprof:function-activations callee)))
      (is (= 0 (mprof:function-self-bytes caller)))
      (is (= 20 (mprof:function-inclusive-allocations caller)))
      (is (= 320 (mprof:function-inclusive-bytes caller)))
      (is (= 1 (mprof:function-activations caller)))
      (is (null (mprof:function-cycle callee)))
      (is (string= "subjects.lisp"
                   (file-namestring (mprof:function-file callee))))
      (is (plusp (mprof:function-line callee)))
      (let ((types (mprof:function-types callee)))
        (is (= 1 (length types)))
        (is (string= "CONS" (mprof:type-name (first types))))
        (is (= 320 (mprof:type-bytes (first types))))))))

(test figures-of-arcs
  (with-idle-profiler
    (let* ((profile (profiled (call-make-conses 10)))
           (arc (mprof:find-arc 'call-make-conses 'make-conses profile)))
      (is (string= "MPROF.TESTS::CALL-MAKE-CONSES" (mprof:arc-caller arc)))
      (is (string= "MPROF.TESTS::MAKE-CONSES" (mprof:arc-callee arc)))
      (is (= 2 (mprof:arc-calls arc)))
      (is (= 20 (mprof:arc-allocations arc)))
      (is (= 320 (mprof:arc-bytes arc)))
      (is (null (mprof:find-arc 'make-conses 'call-make-conses profile))))))

(test calls-that-are-not-known
  "Calls of C functions are NIL; those that C functions make are known."
  (let* ((profile (mprof:profile (asdf:system-relative-pathname
                                  "mprof"
                                  "../tests/golden/unknown-calls.data")))
         (arc (mprof:find-arc "PARSE" "sort" profile)))
    (is (null (mprof:function-activations
               (mprof:find-function "sort" profile))))
    (is (= 3 (mprof:function-activations
              (mprof:find-function "PARSE" profile))))
    (is (null (mprof:arc-calls arc)))
    (is (search "PARSE > sort unknown calls, 736 bytes" (princ-to-string arc)))
    (is (= 40 (mprof:arc-calls (mprof:find-arc "sort" "COMPARE" profile))))
    (is (equal '(("COMPARE" . 40) ("WORK" . 7) ("READ" . 8) ("WALK" . 6)
                 ("sort") ("visit") ("each") ("sort"))
               (loop for context in (mprof:profile-contexts profile)
                     collect (cons (mprof:context-function context)
                                   (mprof:context-calls context)))))))

(test figures-of-phases
  (with-idle-profiler
    (let* ((profile (profiled (make-conses 10) (eval '(make-conses 5))))
           (run (mprof:find-phase :run profile)))
      (is (= 15 (mprof:phase-allocations run)))
      (is (= 240 (mprof:phase-bytes run)))
      (is (equal '(240 0 0 0) (mprof:phase-category-bytes run)))
      (is (eq :run (mprof:phase-name run)))
      (is-true (mprof:find-phase :eval profile))
      (is (null (mprof:find-phase :load profile)))
      (is (search "RUN 15" (prin1-to-string run)))
      (is (= (mprof:profile-bytes profile)
             (reduce #'+ (mprof:profile-phases profile)
                     :key #'mprof:phase-bytes)))
      (is (= 15 (mprof:profile-allocations (mprof:profile nil :phase :run)))))))

(test figures-of-threads
  (with-idle-profiler
    (let* ((profile (profiled
                      (make-conses 10)
                      (mapc #'mp:process-join
                            (loop for n in '(20 30)
                                  collect (mp:process-run-function
                                           "twin" #'make-conses n)))))
           (twins (remove 0 (mprof:profile-threads profile)
                          :test-not #'eql
                          :key (lambda (thread)
                                 (search "twin"
                                         (mprof:thread-name thread))))))
      (is (= 2 (length twins)))
      (is (equal '(20 30)
                 (sort (loop for twin in twins
                             for part = (mprof:profile
                                         nil :thread
                                         (format nil "^~A$"
                                                 (mprof:thread-name twin)))
                             collect (mprof:function-self-allocations
                                      (mprof:find-function 'make-conses
                                                           part)))
                       #'<)))
      (is (eq (first twins)
              (mprof:find-thread (mprof:thread-name (first twins)) profile)))
      (is (equal '("twin" "twin#2")
                 (sort (mapcar #'mprof:thread-name twins) #'string<)))
      (is (= (mprof:profile-allocations profile)
             (reduce #'+ (mprof:profile-threads profile)
                     :key #'mprof:thread-allocations))))))

(test choices-that-make-no-sense
  (with-idle-profiler
    (signals mprof:mprof-error (mprof:profile nil :phase :cake))
    (signals mprof:mprof-error (mprof:profile nil :focus "("))
    (signals error (mprof:profile nil :cake t))))

(defstruct subject a b)

(test figures-of-types
  (with-idle-profiler
    (let* ((profile (profiled (make-conses 10)
                              (setf *kept* (make-doubles 5))
                              (setf *kept* (make-subject))))
           (conses (mprof:find-type 'cons profile))
           (doubles (mprof:find-type '(simple-array double-float) profile))
           (subjects (mprof:find-type 'subject profile)))
      (is (equal '("cons" "CONS" nil 10 160)
                 (list (mprof:type-category conses) (mprof:type-name conses)
                       (mprof:type-class conses)
                       (mprof:type-allocations conses)
                       (mprof:type-bytes conses))))
      (is (equal '("struct" 1 88)
                 (list (mprof:type-category doubles)
                       (mprof:type-allocations doubles)
                       (mprof:type-bytes doubles))))
      (is (equal '("struct" "MPROF.TESTS::SUBJECT" 1 80)
                 (list (mprof:type-category subjects)
                       (mprof:type-class subjects)
                       (mprof:type-allocations subjects)
                       (mprof:type-bytes subjects)))))))

(test comments
  (with-idle-profiler
    (let ((profile (profiled (make-conses 10))))
      (is (string= "lisp" (mprof:profile-comment "mprof.language" profile)))
      (is (string= "10" (mprof:profile-comment "mprof.allocations" profile)))
      (is (string= "160" (mprof:profile-comment "mprof.bytes" profile)))
      (is (null (mprof:profile-comment "mprof.cake" profile))))))

(test names-by-symbol-and-list
  "Names of functions print as they show in profiles."
  (loop for (name expected)
          in '((cl-user::foo "CL-USER::FOO")
               (mapcar "MAPCAR")
               (:key ":KEY")
               (mprof:report "MPROF:REPORT")
               (mprof::read-profile "MPROF::READ-PROFILE")
               (cl-user::|a b| "CL-USER::|a b|")
               ((setf cl-user::foo) "(SETF CL-USER::FOO)")
               ((setf car) "(SETF CAR)")
               ((method cl-user::area :around (integer t))
                "(METHOD CL-USER::AREA :AROUND (INTEGER T))")
               ((method cl-user::area ((eql 3)))
                "(METHOD CL-USER::AREA ((EQL 3)))")
               ((lambda :in cl-user::foo) "(LAMBDA :IN CL-USER::FOO)")
               ("any string" "any string"))
        do (is (string= expected (mprof::displayed-name name)))))

(test profile-of-a-file-that-is-none
  (with-temporary-file (file)
    (with-open-file (stream file :direction :output :if-exists :supersede)
      (write-line "This is no profile." stream))
    (let ((condition (handler-case (mprof:profile file)
                       (mprof:profile-file-error (condition) condition))))
      (is (typep condition 'mprof:profile-file-error))
      (is (equal (pathname file)
                 (mprof:profile-file-error-pathname condition)))
      (is (eql 0 (mprof:profile-file-error-offset condition)))
      (is (search file (report-of condition))))))

(test profile-of-no-file
  (let ((condition (handler-case (mprof:profile "/nowhere/at/all.data")
                     (mprof:profile-file-error (condition) condition))))
    (is (typep condition 'mprof:profile-file-error))
    (is (search "No such file or directory" (report-of condition)))))

(test profile-of-another-file
  (with-idle-profiler
    (with-temporary-file (file)
      (profiled (make-conses 3))
      (mprof:save file)
      (is (= 3 (mprof:profile-allocations
                (handler-bind ((mprof:profile-file-error
                                 (lambda (condition)
                                   (use-value file condition))))
                  (mprof:profile "/nowhere/at/all.data"))))))))

(defun call-in-folder-of-its-own (function)
  "Call FUNCTION on a pathname that matches all temporary files; they are in a
folder that nobody else uses meanwhile."
  (with-temporary-file (name)
    (let ((folder (format nil "~A-d/" name))
          (translations (logical-pathname-translations "TMP")))
      (ensure-directories-exist folder)
      (unwind-protect
           (progn
             (setf (logical-pathname-translations "TMP")
                   `(("TMP:*.*" ,(format nil "~A*.*" folder))))
             (funcall function (format nil "~A*" folder)))
        (setf (logical-pathname-translations "TMP") translations)
        (dolist (pattern '("*" "*.*"))
          (mapc #'delete-file (directory (format nil "~A~A" folder pattern))))
        (si:rmdir folder)))))

(test no-file-is-left-behind
  "Reading and reporting leave no temporary file."
  (with-idle-profiler
    (profiled (make-conses 3))
    (call-in-folder-of-its-own
     (lambda (files)
       (close (open (ext:mkstemp "TMP:mprof-")))
       (is (= 1 (length (directory files))))
       (mprof:profile)
       (mprof:report :stream (make-broadcast-stream))
       (is (= 1 (length (directory files))))))))

(test functions-of-a-type
  (with-idle-profiler
    (let ((rows (mprof:type-functions
                 'cons (profiled (make-conses 3) (call-make-conses 10)))))
      (is (= 1 (length rows)))
      (is (string= "MPROF.TESTS::MAKE-CONSES"
                   (mprof:function-name (car (first rows)))))
      (is (= (mprof:function-self-bytes (car (first rows)))
             (mprof:type-bytes (cdr (first rows))))))
    (is (null (mprof:type-functions 'ratio (profiled (make-conses 3)))))))

(test figures-print-readably-for-people
  (with-idle-profiler
    (let ((profile (profiled (call-make-conses 10))))
      (is (search "20 allocations, 320 bytes" (princ-to-string profile)))
      (is (search "MPROF.TESTS::MAKE-CONSES"
                  (princ-to-string (mprof:find-function 'make-conses
                                                        profile))))
      (is (search "CONS" (princ-to-string (mprof:find-type 'cons
                                                           profile)))))))

(defun |grüße an λ| (n)
  (make-conses n))

(test names-beyond-ascii
  "Names cross to C and back as UTF-8."
  (with-idle-profiler
    (let* ((profile (profiled (|grüße an λ| 3)))
           (name (format nil "MPROF.TESTS::|gr~C~Ce an ~C|" (code-char #xfc)
                         (code-char #xdf) (code-char #x3bb))))
      (is (= 48 (mprof:function-inclusive-bytes
                 (mprof:find-function name profile)))))))
