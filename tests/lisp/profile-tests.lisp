;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; profile-tests.lisp -- the figures as Lisp data.

(in-package #:mprof.tests)

(in-suite mprof)

(defun call-make-conses (n)
  (make-conses n)
  (make-conses n))

(test figures-of-functions
  "What is no count of objects, bytes or calls; those are in tests/exact."
  (with-idle-profiler
    (let* ((profile (profiled (call-make-conses 10)))
           (callee (data:row :functions 'make-conses profile)))
      (is (null (data:figure :cycle callee)))
      (is (search "MPROF.TESTS::MAKE-CONSES" (princ-to-string callee)))
      (is (string= "subjects.lisp"
                   (file-namestring (data:figure :file callee))))
      (is (plusp (data:figure :line callee)))
      (is (null (data:row :arcs '(make-conses call-make-conses) profile))))))

(test calls-that-are-not-known
  "Calls of C functions are NIL; those that C functions make are known."
  (let* ((profile (mprof:load-profile (asdf:system-relative-pathname
                                  "mprof"
                                  "../tests/golden/unknown-calls.data")))
         (arc (data:row :arcs '("PARSE" "sort") profile)))
    (is (null (data:figure :calls
               (data:row :functions "sort" profile))))
    (is (= 3 (data:figure :calls
              (data:row :functions "PARSE" profile))))
    (is (null (data:figure :calls arc)))
    (is (search "PARSE > sort unknown calls, 736 bytes" (princ-to-string arc)))
    (is (= 40
           (data:figure :calls (data:row :arcs '("sort" "COMPARE") profile))))
    (is (equal '(("COMPARE" . 40) ("WORK" . 7) ("READ" . 8) ("WALK" . 6)
                 ("sort") ("visit") ("each") ("sort"))
               (loop for context in (data:figure :contexts profile)
                     collect (cons (data:figure :name context)
                                   (data:figure :calls context)))))))

(test figures-of-phases
  (with-idle-profiler
    (let* ((profile (profiled (make-conses 10) (eval '(make-conses 5))))
           (run (data:row :phases :run profile)))
      (is (= 15 (data:figure :allocations run)))
      (is (= 240 (data:figure :bytes run)))
      (is (equal '(240 0 0 0) (data:figure :category-bytes run)))
      (is (eq :run (data:figure :name run)))
      (is-true (data:row :phases :eval profile))
      (is (null (data:row :phases :load profile)))
      (is (search "RUN 15" (prin1-to-string run)))
      (is (= (data:figure :bytes profile)
             (reduce #'+ (data:figure :phases profile)
                     :key (data:reader :bytes))))
      (is (= 15 (data:figure :allocations
                              (mprof:load-profile nil :phase :run)))))))

(test figures-of-threads
  (with-idle-profiler
    (let* ((profile (profiled
                      (make-conses 10)
                      (mapc #'mp:process-join
                            (loop for (name n) in '(("twin" 20) ("twin" 30)
                                                    ("other" 40))
                                  collect (mp:process-run-function
                                           name #'make-conses n)))))
           (threads (data:figure :threads profile)))
      (loop for (name conses) in '(("twin" 50) ("other" 40))
            do (is (= 1 (count name threads
                               :key (data:reader :name) :test #'string=)))
               (is (= conses
                      (data:figure
                       :self-allocations
                       (data:row :functions 'make-conses
                                 (mprof:load-profile
                                  nil :thread (format nil "^~A$" name))))))
               (is (equal name
                          (data:figure :name
                                       (data:row :threads name profile)))))
      (is (= (data:figure :allocations profile)
             (reduce #'+ threads :key (data:reader :allocations)))))))

(defstruct subject a b)

(test figures-of-types
  (with-idle-profiler
    (let* ((profile (profiled (make-conses 10)
                              (setf *kept* (make-doubles 5))
                              (setf *kept* (make-subject))))
           (conses (data:row :types 'cons profile))
           (doubles (data:row :types '(simple-array double-float) profile))
           (subjects (data:row :types 'subject profile)))
      (is (equal '("cons" "CONS" nil 10 160)
                 (list (data:figure :category conses) (data:figure :type conses)
                       (data:figure :class conses)
                       (data:figure :allocations conses)
                       (data:figure :bytes conses))))
      (is (equal '("struct" 1 88)
                 (list (data:figure :category doubles)
                       (data:figure :allocations doubles)
                       (data:figure :bytes doubles))))
      (is (equal '("struct" "MPROF.TESTS::SUBJECT" 1 80)
                 (list (data:figure :category subjects)
                       (data:figure :class subjects)
                       (data:figure :allocations subjects)
                       (data:figure :bytes subjects)))))))

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
    (let ((condition (handler-case (mprof:load-profile file)
                       (mprof:profile-file-error (condition) condition))))
      (is (typep condition 'mprof:profile-file-error))
      (is (equal (pathname file)
                 (file-error-pathname condition)))
      (is (eql 0 (data:figure :offset condition)))
      (is (search file (report-of condition))))))

(test profile-of-another-file
  (with-idle-profiler
    (with-temporary-file (file)
      (profiled (make-conses 3))
      (mprof:save file)
      (is (= 3 (data:figure :allocations
                (handler-bind ((mprof:profile-file-error
                                 (lambda (condition)
                                   (use-value file condition))))
                  (mprof:load-profile "/nowhere/at/all.data"))))))))

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
       (mprof:load-profile)
       (mprof:report :stream (make-broadcast-stream))
       (is (= 1 (length (directory files))))))))

(test printing-a-profile-is-no-work
  "What is known is printed; nothing is reckoned, and no file looked at."
  (with-idle-profiler
    (with-temporary-file (file)
      (profiled (call-make-conses 10))
      (mprof:save file)
      (let ((now (mprof:report :stream (make-broadcast-stream)))
            (part (mprof:report :stream (make-broadcast-stream)
                                :focus "MAKE"))
            (read (mprof:report :stream (make-broadcast-stream)
                                :profile file)))
        (delete-file file)
        (is (string= "#<profile 20 allocations, 320 bytes>"
                     (princ-to-string now)))
        (is (string=
             "#<profile 20 allocations, 320 bytes, of it :FOCUS \"MAKE\">"
             (princ-to-string part)))
        (is (string= (format nil "#<profile of ~A>" file)
                     (princ-to-string read)))
        (dolist (each (list now part read))
          (is (null (mprof::known-figures each)))
          (is (= 320 (data:figure :bytes each))))
        (is (string= "#<profile 20 allocations, 320 bytes>"
                     (princ-to-string read)))))))

(test profiles-are-closed
  "When nobody refers to a profile any more, the C side lets go of it."
  (with-idle-profiler
    (profiled (make-conses 3))
    (let ((close #'mprof::close-profile)
          (closed 0))
      (unwind-protect
           (progn
             (setf (fdefinition 'mprof::close-profile)
                   (lambda (arguments)
                     (incf closed)
                     (funcall close arguments)))
             (loop repeat 50
                   do (mprof:load-profile (mprof:load-profile) :focus "MAKE"))
             (loop repeat 20
                   until (> closed 25)
                   do (si:gc t)
                      (setf *kept* (make-list 1000))))
        (setf (fdefinition 'mprof::close-profile) close))
      (is (> closed 25)))))

(defun collect-and-make-conses (n)
  (si:gc t)
  (make-conses n))

(test closing-profiles-is-not-counted
  "Profiles that are closed while a program is counted add nothing to it."
  (with-idle-profiler
    (profiled (make-conses 3))
    (loop repeat 50
          do (mprof:load-profile))
    (is (equal '(30 480)
               (multiple-value-list
                (mprof:allocated-by (collect-and-make-conses 10)
                                    (collect-and-make-conses 10)
                                    (collect-and-make-conses 10)))))))

(test rows-say-what-they-lack
  (with-idle-profiler
    (let ((type (data:row :types 'cons (profiled (make-conses 3)))))
      (is (string= "CONS" (data:figure :name type)))
      (is (search "CONS" (princ-to-string type)))
      (is (search "have no FILE"
                  (handler-case (data:figure :file type)
                    (mprof:mprof-error (condition)
                      (report-of condition))))))))

(test callers-and-callees
  (with-idle-profiler
    (let* ((profile (profiled (call-make-conses 10) (make-conses 5)))
           (arc (data:row :arcs '(call-make-conses make-conses) profile)))
      (is (eq arc (find "MPROF.TESTS::CALL-MAKE-CONSES"
                        (data:figure :callers (data:row :functions 'make-conses
                                                profile))
                        :key (data:reader :caller) :test #'string=)))
      (is (equal (list arc) (data:figure :callees (data:row :functions
                                                    'call-make-conses
                                                    profile))))
      (is (null (data:figure :callees (data:row :functions 'make-conses
                                        profile)))))))

(test functions-of-a-type
  (with-idle-profiler
    (let ((rows (data:type-functions
                 'cons (profiled (make-conses 3) (call-make-conses 10)))))
      (is (= 1 (length rows)))
      (is (string= "MPROF.TESTS::MAKE-CONSES"
                   (data:figure :name (car (first rows)))))
      (is (= (data:figure :self-bytes (car (first rows)))
             (data:figure :bytes (cdr (first rows))))))
    (is (null (data:type-functions 'ratio (profiled (make-conses 3)))))))

(defun |grüße an λ| (n)
  (make-conses n))

(defun über (n)
  (make-conses n))

(test names-beyond-ascii-need-no-bars
  "Compiled and interpreted functions go by what PRIN1 prints: bars are for what
the reader would change."
  (with-idle-profiler
    (eval '(defun straße (n) (make-conses n)))
    (eval '(defun |größe| (n) (make-conses n)))
    (let ((profile (profiled (über 3) (funcall 'straße 4)
                             (funcall '|größe| 5))))
      (dolist (name '(über straße |größe|))
        (let ((*package* (find-package '#:common-lisp)))
          (is (string= (prin1-to-string name)
                       (data:figure :name
                                    (data:row :functions name profile)))))))))

(test names-beyond-ascii
  "Names cross to C and back as UTF-8."
  (with-idle-profiler
    (let* ((profile (profiled (|grüße an λ| 3)))
           (name (format nil "MPROF.TESTS::|gr~C~Ce an ~C|" (code-char #xfc)
                         (code-char #xdf) (code-char #x3bb))))
      (is (= 48 (data:figure :bytes
                 (data:row :functions name profile)))))))
