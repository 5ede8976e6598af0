;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; save-tests.lisp -- files of all formats.

(in-package #:mprof.tests)

(in-suite mprof)

(defun file-text (file)
  (with-open-file (stream file :external-format :utf-8)
    (with-output-to-string (text)
      (loop for line = (read-line stream nil)
            while line
            do (write-line line text)))))

(test types-of-complete-profiles
  (loop for (name complete)
          in '(("mprof.data" t) ("a.b.pb.gz" t) ("profile" t) ("A.PPROF" t)
               ("/x.txt/a" t) ("a.svg" nil) ("/x.y/a.txt" nil)
               (#p"/x/a.data" t) ("a.folded" nil) ("a.gz" nil))
        do (is (eq complete (and (mprof::complete-type-p name) t))
               "~S is ~S" name (not complete))))

(defun formats ()
  "The formats that `mprof help export' lists, as keywords."
  (loop for line in (rest (member "Formats:"
                                  (mprof-lines (mprof::run-command
                                               "help" "export"))
                                  :test #'string=))
        until (string= line "")
        collect (intern (string-upcase
                         (subseq line 2 (position #\Space line :start 2)))
                        '#:keyword)))

(defun file-octets (file)
  (with-open-file (stream file :element-type '(unsigned-byte 8))
    (let ((octets (make-array (file-length stream)
                              :element-type '(unsigned-byte 8))))
      (read-sequence octets stream)
      octets)))

(test save-in-all-formats
  "A file has what the command exports of the same profile; the page, which
names it, has tests of its own, and suppressions are for C."
  (with-idle-profiler
    (profiled (one-way 5) (other-way 10))
    (with-folder (folder)
      (flet ((in-folder (name)
               (concatenate 'string folder name)))
        (mprof:save (in-folder "a.data"))
        (let ((profile (mprof:load-profile (in-folder "a.data"))))
          (dolist (format (set-difference (formats) '(:html :suppressions)))
            (is (equal (pathname (in-folder "a"))
                       (mprof:save (in-folder "a") :format format
                                                   :profile profile)))
            (mprof::run-command "export" (format nil "--format=~(~A~)" format)
                                "-o" (in-folder "b") (in-folder "a.data"))
            (is (equalp (file-octets (in-folder "b"))
                        (file-octets (in-folder "a")))
                "~A" format)
            (delete-file (in-folder "b"))))
        (is (>= (length (formats)) 10))))))

(test save-by-file-type
  "The name says the format, and :FORMAT does so first."
  (with-idle-profiler
    (profiled (one-way 5) (other-way 10))
    (with-folder (folder)
      (flet ((saved (name &rest choices)
               (file-octets (apply #'mprof:save (concatenate 'string folder name)
                                   choices))))
        (loop for (type format) in '(("folded" :folded) ("lisp" :lisp)
                                     ("json" :json) ("dot" :dot) ("csv" :csv)
                                     ("speedscope.json" :speedscope)
                                     ("callgrind" :callgrind))
              for expected = (saved "b.lisp" :format format)
              do (is (equalp expected (saved (format nil "a.~A" type))) type)
                 (is (equalp expected (saved "b" :format format)) type))
        (saved "a.txt")
        (is (search "DIRECT ALLOCATION"
                    (file-text (concatenate 'string folder "a.txt"))))
        (saved "a.folded" :focus "OTHER-WAY" :frames :types :value :allocs)
        (is (search "OTHER-WAY;MPROF.TESTS::MAKE-CONSES;CONS 20"
                    (file-text (concatenate 'string folder "a.folded"))))))))

;;; Each profile in a page is three lines, packed.
(test flamegraph-compares
  (with-idle-profiler
    (let* ((profile (profiled (one-way 5) (other-way 10)))
           (part (mprof:load-profile profile :focus "OTHER-WAY")))
      (with-folder (folder)
        (flet ((parts (&rest choices)
                 (let ((file (concatenate 'string folder "a.html")))
                   (apply #'mprof:save file choices)
                   (with-open-file (stream file)
                     (loop for line = (read-line stream nil)
                           while line
                           count (and (eql 0 (search "eJ" line))
                                      (< 50 (length line))))))))
          (let ((old (concatenate 'string folder "old.data")))
            (mprof:save old)
            (is (= 3 (parts)))
            (is (= 3 (parts :no-source t)))
            (is (= 6 (parts :base old)))
            (is (= 6 (parts :base old :profile part)))
            (let ((*default-pathname-defaults* (pathname folder)))
              (is (= 6 (parts :base #p"old.data"))))
            (signals mprof:mprof-error (parts :base old :format :json)))
          ;; it is read, not written
          (let ((said (handler-case (parts :base "/nowhere/old.data")
                        (mprof:profile-file-error (condition)
                          (is (equal #p"/nowhere/old.data"
                                     (file-error-pathname condition)))
                          (report-of condition)))))
            (is (search "cannot open '/nowhere/old.data'" said))
            (is (search "Give a file that (mprof:save FILE) or `mprof run'" said))))))))

(test save-a-profile
  (with-idle-profiler
    (let* ((profile (profiled (one-way 5) (other-way 10)))
           (part (mprof:load-profile profile :focus "OTHER-WAY")))
      (mprof:reset)
      (with-folder (folder)
        (let ((file (concatenate 'string folder "a")))
          (is (equal (pathname file) (mprof:save file :profile profile)))
          (is (= 25 (self-allocations 'make-conses (mprof:load-profile file))))
          (mprof:save file :profile part)
          (is (= 20 (self-allocations 'make-conses (mprof:load-profile file))))
          (mprof:save file :profile part :format :folded)
          (is (search "OTHER-WAY" (file-text file)))
          (is (not (search "ONE-WAY" (file-text file))))
          (is (equal (list (pathname file))
                     (directory (concatenate 'string folder "*")))))))))

(test save-what-makes-no-sense
  (with-idle-profiler
    (profiled (one-way 5))
    (with-folder (folder)
      (let ((file (concatenate 'string folder "a")))
        (loop for (type . choices) in '(("" :format :cake) (".cake")
                                        ("" :format :csv :tables :cake)
                                        ("" :format :folded :focus "("))
              do (signals mprof:mprof-error
                   (apply #'mprof:save (concatenate 'string file type) choices)))
        (is (null (directory (concatenate 'string folder "*"))))))))

(test save-where-it-cannot
  "An error says why, in all formats; nothing is lost."
  (with-idle-profiler
    (let ((profile (profiled (one-way 5))))
      (loop for (reason . arguments)
              in `(("No such file or directory" "/nowhere/at/all")
                   ("No space left on device" "/dev/full")
                   ("No such file or directory" "/nowhere/at/all.folded")
                   ("No such file or directory" "/nowhere/at/all" :format :lisp)
                   ("No such file or directory" "/nowhere/at/all"
                    :profile ,profile))
            for file = (first arguments)
            for condition = (handler-case (apply #'mprof:save arguments)
                              (mprof:profile-file-error (condition) condition))
            do (is (typep condition 'mprof:profile-file-error))
               (is (equal (pathname file) (file-error-pathname condition)))
               (is (null (data:figure :offset condition)))
               (loop for part in (list (format nil "cannot write '~A': ~A" file
                                               reason)
                                       "(mprof:save FILE)")
                     do (is (search part (report-of condition)))))
      (is (equal '(5 80) (figures))))))

(defun answered (line &rest more)
  "What the restart USE-VALUE of SAVE gives when the user types LINE and MORE;
then what it printed.  The first value is NIL when the user gave up."
  (let* ((output (make-string-output-stream))
         (*query-io* (make-two-way-stream
                      (make-string-input-stream
                       (format nil "~{~A~%~}" (cons line more)))
                      output)))
    (values (with-simple-restart (abort "Give up.")
              (handler-bind ((mprof:profile-file-error
                               (lambda (condition)
                                 (invoke-restart-interactively
                                  (find-restart 'use-value condition)))))
                (mprof:save "/nowhere/at/all.data")))
            (get-output-stream-string output))))

(test save-asks-for-a-file
  "A form is no answer."
  (with-idle-profiler
    (profiled (one-way 5))
    (with-folder (folder)
      (let ((file (concatenate 'string folder "a.data")))
        (is (equal (pathname file)
                   (answered "(mprof:report)" ":q" "/nowhere/b.data" file "c")))
        (is-true (probe-file file))
        (is (equal (pathname file) (answered (format nil "~S" file))))
        (is (null (answered "")))))))
