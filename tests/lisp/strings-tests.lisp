;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; strings-tests.lisp -- strings of all characters on their way to C and back,
;;;; and the names of files.

(in-package #:mprof.tests)

(in-suite mprof)

(defun octets (&rest codes)
  "A base string of CODES."
  (map 'simple-base-string #'code-char codes))

(test strings-of-all-characters
  "Each is the same after it has been in C, and has its length in UTF-8.  Those
at the ends of ranges are tried, and of those from #x1000 on each hundredth."
  (let ((bad '()))
    (loop for code from 1 below char-code-limit
          for string = (string (code-char code))
          when (and (or (< code #x1000) (zerop (mod code 100))
                        (< (mod (+ code 8) #x800) 16))
                    (not (<= #xD800 code #xDFFF)))
            do (let ((octets (mprof::octets-of string)))
                 (unless (and (typep octets 'simple-base-string)
                              (mprof::utf-8-p octets)
                              (= (length octets)
                                 (cond ((< code #x80) 1) ((< code #x800) 2)
                                       ((< code #x10000) 3) (t 4)))
                              (string= string (mprof::string-of octets)))
                   (push code bad))))
    (is (null bad))))

(test strings-of-all-kinds
  (dolist (string (list "" "abc" "é" "aλ😀z" (coerce "abc" 'base-string)
                        (make-array 5 :element-type 'character :fill-pointer 2
                                      :initial-element #\é)
                        (make-array 5 :element-type 'base-char :fill-pointer 2
                                      :initial-element #\e)
                        (make-array 2 :element-type 'character :adjustable t
                                      :initial-element #\λ)))
    (is (string= string (mprof::string-of (mprof::octets-of string)))))
  (loop for (character sign) in '((0 #x2400) (#xD800 #xFFFD) (#xDFFF #xFFFD))
        do (is (string= (format nil "a~Ab" (code-char sign))
                        (mprof::string-of
                         (mprof::octets-of
                          (format nil "a~Ab" (code-char character))))))))

(test strings-that-are-no-utf-8
  "Each byte that is none becomes a sign; all others are what they were."
  (loop for (bad codes) in '((1 (#xFF)) (1 (#xC3)) (2 (#xC0 #x80)) (1 (#x80))
                             (2 (#xE2 #x82)) (3 (#xED #xA0 #x80))
                             (4 (#xF4 #x90 #x80 #x80)) (4 (#xF0 #x80 #x80 #x80))
                             (3 (#xE0 #x9F #xBF)))
        for octets = (apply #'octets 65 (append codes '(195 169)))
        do (is-false (mprof::utf-8-p octets))
           (is (string= (format nil "A~V@{~A~:*~}~*é" bad (code-char #xFFFD))
                        (mprof::string-of octets)))))

(test strings-in-regions-labels-and-options
  (with-idle-profiler
    (mprof:with-profiling (:report nil)
      (mprof:with-region ("régión") (make-conses 3))
      (mprof:with-region ((string #\λ)) (make-conses 5))
      (mprof:with-labels (:né "ü😀") (make-conses 7)))
    (is (= 3 (data:figure :allocations
              (data:row :regions "régión" (mprof:load-profile)))))
    (is (= 5 (conses-in "^λ$")))
    (is (= 8 (conses-in "^[^=]*$")))
    (is (= 7 (labelled "né=.*")))
    (is (search "régión" (mprof:report :tables :regions :no-legend t
                                       :stream nil)))
    (is (search "'é('" (handler-case (mprof:load-profile nil :focus "é(")
                         (mprof:mprof-error (condition)
                           (report-of condition)))))))

;;; Names

(test names-of-odd-packages-and-symbols
  "They are what READ takes, but for a NUL, which is a sign in its place."
  (unwind-protect
       (with-idle-profiler
         (let* ((package (make-package "weird;pkg é(" :use '()))
                (names (loop for name in (list "a;b" "A" "λ"
                                               (format nil "a~Cb"
                                                       (code-char 0)))
                             collect (intern name package)))
                (shown '("|weird;pkg é(|::|a;b|" "|weird;pkg é(|::A"
                         "|weird;pkg é(|::|λ|" "|weird;pkg é(|::|a␀b|")))
           (is (equal shown (mapcar #'mprof::displayed-name names)))
           (dolist (name names)
             (eval `(defun ,name () (make-conses 3))))
           (let ((profile (profiled (mapc #'funcall names))))
             (dolist (name names)
               (is (= 48 (data:figure :bytes
                          (data:row :functions name profile)))))
             (is (eq (first names)
                     (read-from-string
                      (data:figure :name (data:row :functions (first names)
                                                   profile))))))))
    (delete-package "weird;pkg é(")))

(defun system-name (name)
  "Return NAME as ECL reads it from the system: 21.2.1 makes each octet a
character."
  (if (mprof::ecl-encodes-names-p) name (mprof::octets-of name)))

(test names-in-compiled-files
  "They are the same, and so is the file, in a folder with accents, even if these
look like the octets of others."
  (unwind-protect
       (with-idle-profiler
         (make-package "weird;pkg" :use '())
         (dolist (accents '("é λ" "Ã©"))
           (call-in-folder
            (system-name accents)
            (lambda (folder)
              (with-open-file (stream "x.lisp" :direction :output)
                (format stream "(cl:defun |weird;pkg|::|a;b| ()~%~
                                (mprof.tests::make-conses 3))~%"))
              (ext:chdir "..") ; as ASDF compiles, in another folder
              (let ((*standard-output* (make-broadcast-stream)))
                (load (compile-file (format nil "~Ax.lisp" folder))))
              (let* ((name (find-symbol "a;b" "weird;pkg"))
                     (row (data:row :functions name
                                    (profiled (funcall name)))))
                (is (string= "|weird;pkg|::|a;b|" (data:figure :name row)))
                (is (equal (mprof::string-of
                            (mprof::file-name (format nil "~Ax.lisp" folder)))
                           (data:figure :file row))))))))
    (delete-package "weird;pkg")))

;;; Files

(defun call-in-folder (name function)
  "Call FUNCTION in a new folder called NAME in a new folder, with the folder."
  (let ((before (ext:getcwd)))
    (with-folder (folder)
      (let ((inner (format nil "~A~A/" folder name)))
        (ensure-directories-exist inner)
        (unwind-protect (progn (ext:chdir inner)
                               (funcall function inner))
          (ext:chdir before)
          (dolist (pattern '("*" "*.*"))
            (mapc #'delete-file
                  (directory (format nil "~A~A" inner pattern))))
          (si:rmdir inner))))))

(test file-names
  "They are UTF-8, but for what is there already under another name; ECL finds
them by the pathname that SAVE returns."
  (with-idle-profiler
    (dolist (folder (list "a b" (mprof::octets-of "é λ") (octets 106 233)))
      (profiled (make-conses 12))
      (call-in-folder
       folder
       (lambda (folder)
         (dolist (name '("fé.data" "λ.data" "x.data"))
           (let ((file (mprof:save name)))
             (is (equal (namestring (probe-file file)) (namestring file)))
             (is (equal folder (directory-namestring file)))
             (is (= 12 (data:figure :allocations (mprof:load-profile name))))
             (is (= 12 (data:figure :allocations (mprof:load-profile file))))))
         (is (= 36 (data:figure :allocations
                    (mprof:load-profile (directory "*.data")))))
         (is (equal (sort (mapcar #'system-name '("fé.data" "λ.data" "x.data"))
                          #'string<)
                    (sort (mapcar #'file-namestring (directory "*.data"))
                          #'string<)))
         (mprof:with-profiling (:report nil :file "né.data")
           (make-conses 3))
         (is (= 3 (data:figure :allocations (mprof:load-profile "né.data"))))
         (dolist (name (list (format nil "a~Ab" (code-char 0)) "*" :wild "x?"))
           (let ((file (make-pathname :name name :type "data")))
             (signals mprof:mprof-error (mprof:save file))
             (signals mprof:mprof-error (mprof:start :file file))
             (signals mprof:mprof-error (mprof:load-profile file)))))))))

(test file-that-ecl-named-otherwise
  "A file that OPEN made with one octet for a character is found by its name."
  (with-idle-profiler
    (profiled (make-conses 12))
    (call-in-folder
     "a"
     (lambda (folder)
       (close (open "fé.data" :direction :output))
       (let ((names (directory "*.data")))
         (mprof:save "fé.data")
         (is (equal names (directory "*.data")))
         (is (= 12 (data:figure :allocations
                                 (mprof:load-profile "fé.data")))))))))

(test file-and-another-folder
  "A file is where its name led to when it was given."
  (with-idle-profiler
    (call-in-folder
     "b"
     (lambda (folder)
       (ensure-directories-exist (format nil "~Ac/" folder))
       (with-open-file (stream "c/x.data" :direction :output)
         (write-line "precious" stream))
       (unwind-protect
            (dolist (count '(10 20))
              (if (= count 10)
                  (mprof:with-profiling (:report nil :file "x.data")
                    (ext:chdir "c/")
                    (make-conses count))
                  (progn
                    (mprof:start :file "x.data")
                    (ext:chdir "c/")
                    (make-conses count)
                    (mprof:stop)))
              (ext:chdir folder)
              (is (= count (data:figure :self-allocations
                            (data:row :functions 'make-conses
                                      (mprof:load-profile "x.data")))))
              (mprof:reset)
              (is (string= (format nil "precious~%") (file-text "c/x.data")))
              (let ((*default-pathname-defaults* (pathname "c/")))
                (is (string= (format nil "~Ac/y.data" folder)
                             (mprof::file-name "y.data")))))
         (delete-file "c/x.data")
         (si:rmdir "c/"))))))

(test file-of-an-error
  "It is the one that was given, whatever characters are in its name."
  (with-idle-profiler
    (profiled (make-conses 3))
    (call-in-folder
     "it's 'a'"
     (lambda (folder)
       (dolist (name '("it's.data" "'" "né.data"))
         (let ((file (mprof::absolute name)))
           (flet ((file-of (function)
                    (handler-case (funcall function)
                      (mprof:profile-file-error (condition)
                        (file-error-pathname condition)))))
             (is (equal file (file-of (lambda () (mprof:load-profile name)))))
             (is (equal (mprof::absolute (format nil "no/~A" name))
                        (file-of (lambda ()
                                   (mprof:save (format nil "no/~A" name)
                                               :format :csv)))))
             (with-open-file (stream file :direction :output)
               (write-line "text" stream))
             (is (equal file (file-of (lambda () (mprof:load-profile name)))))
             (delete-file file))))
       (is (equal (pathname folder)
                  (handler-case (mprof:load-profile folder)
                    (mprof:profile-file-error (condition)
                      (file-error-pathname condition)))))))
    ;; what is not about a file is no such error
    (dolist (options '((:focus "'(") (:tables :cake)))
      (is (eq 'mprof:mprof-error
              (handler-case (apply #'mprof:report :stream nil options)
                (mprof:mprof-error (condition) (type-of condition))))))))
