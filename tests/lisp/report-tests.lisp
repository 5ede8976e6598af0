;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; report-tests.lisp -- the tables at the REPL, and the systems.

(in-package #:mprof.tests)

(in-suite mprof)

(defun report-text (&rest arguments)
  "What is printed when it is for the first time."
  (let ((mprof::*explained* '()))
    (with-output-to-string (stream)
      (apply #'mprof:report :stream stream arguments))))

(test report-gives-back-the-profile
  (with-idle-profiler
    (profiled (make-conses 3) (call-make-conses 5))
    (let ((profile (mprof:report :stream (make-broadcast-stream))))
      (is (= 13 (data:self-allocations
                 (data:row :functions 'make-conses profile))))
      ;; and that can be reported on again, with other choices
      (let ((part (mprof:report :profile profile :focus "CALL-MAKE-CONSES"
                                :stream (make-broadcast-stream))))
        (is (= 10 (data:allocations part)))
        (is (string= (report-text :profile part)
                     (report-text :focus "CALL-MAKE-CONSES"))))
      (is (eq profile (mprof:report :profile profile
                                    :stream (make-broadcast-stream))))
      (signals mprof:mprof-error
        (report-text :profile profile :file "/nowhere/at/all")))))

(test report-of-nothing
  "Choices that match nothing: a line, and no table; an error where a file is
to be written; nothing as data."
  (with-idle-profiler
    (profiled (make-conses 3))
    (let ((profile (mprof:profile)))
      (dolist (report (list #'mprof:report #'mprof:advise))
        (is (string= (format nil "mprof: nothing matches :focus ~
                                  MAKE-CONSESS; did you mean MAKE-CONSES?~%")
                     (funcall report :profile profile :stream nil
                                     :focus "MAKE-CONSESS"))))
      (is (string= (format nil "mprof: nothing matches :object-type KONS; ~
                                did you mean CONS?~%")
                   (report-text :profile profile :object-type "KONS")))
      (with-temporary-file (file)
        (signals mprof:mprof-error
          (mprof:save file :format :html :profile profile :focus "CONSESS")))
      (is (null (data:functions (mprof:filter-profile
                                 profile :focus "MAKE-CONSESS")))))))

(defclass character-list (gray:fundamental-character-output-stream)
  ((characters :initform '() :accessor characters)))

(defmethod gray:stream-write-char ((stream character-list) character)
  (push character (characters stream)))

(defmethod gray:stream-line-column ((stream character-list))
  nil)

(test report-to-all-kinds-of-streams
  (with-idle-profiler
    (profiled (make-conses 3))
    (let ((text (report-text))
          (gray (make-instance 'character-list)))
      (is (search "MAKE-CONSES" text))
      (multiple-value-bind (string profile) (mprof:report :stream nil :legend t)
        (is (string= text string))
        (is (= (mprof:allocations) (data:allocations profile))))
      (is (string= text (with-output-to-string (*standard-output*)
                          (mprof:report :stream t :legend t))))
      (is (typep (mprof:report :stream gray :legend t) 'mprof:profile))
      (is (string= text (coerce (reverse (characters gray)) 'string)))
      (with-temporary-file (file)
        (with-open-file (stream file :direction :output
                                     :if-exists :supersede)
          (mprof:report :stream stream :legend t))
        (is (string= text (file-text file)))))))

(test report-to-standard-output
  (with-idle-profiler
    (profiled (make-conses 3))
    (is (search "MAKE-CONSES"
                (with-output-to-string (*standard-output*)
                  (mprof:report))))))

(test report-options
  (with-idle-profiler
    (profiled (make-conses 1000) (setf *kept* (list 1 2 3)))
    (is (search "number of these" (report-text :tables :direct :verbose t)))
    (is (not (search "number of these"
                     (report-text :tables :direct :legend nil))))
    (is (= 1 (count-if (lambda (line) (search "MAKE-CONSES" line))
                       (mprof-lines (report-text :tables :flat :max 2)))))
    (is (not (search "MAKE-CONSES"
                     (report-text :tables :direct :ignore "MAKE-CONSES"))))
    (is (search "MAKE-CONSES"
                (report-text :tables :direct :focus "MAKE-CONSES"
                             :sort-by :allocations :min-percent 1/2
                             :show-runtime t)))
    (is (not (search "MAKE-CONSES"
                     (report-text :tables :direct :hide "MAKE-CONSES"))))))

(defun heading (title)
  (format nil "~%~A~%" title))

(test report-of-phases
  (with-idle-profiler
    (profiled (make-conses 100) (eval '(cons 1 2)))
    (is (search (heading "PHASES") (report-text)))
    (is (search "evaluation" (report-text :tables :phases)))
    (is (search "MAKE-CONSES" (report-text :tables :direct :phase :run)))
    (is (not (search "MAKE-CONSES"
                     (report-text :tables :direct :phase :eval))))
    (is (search "MAKE-CONSES"
                (report-text :tables :direct :phase '(:eval :run))))
    (profiled (make-conses 100))
    (is (not (search (heading "PHASES") (report-text))))
    (is (search (heading "PHASES") (report-text :verbose t)))))

(test report-by-package
  (with-idle-profiler
    (profiled (make-conses 100))
    (let ((text (report-text :tables :direct :by :package)))
      (is (search "MPROF.TESTS" text))
      (is (not (search "MAKE-CONSES" text))))
    (signals mprof:mprof-error (report-text :by :module))))

(test report-of-threads
  (with-idle-profiler
    (profiled (make-conses 100)
              (mp:process-join
               (mp:process-run-function "other" #'make-conses 100)))
    (is (search (heading "THREADS") (report-text)))
    (is (search "MAKE-CONSES" (report-text :tables :direct :thread "^other$")))
    (is (not (search "MAKE-CONSES"
                     (report-text :tables :direct :thread "^nobody$"))))
    (profiled (make-conses 100))
    (is (not (search (heading "THREADS") (report-text))))))

(defun options-of (command)
  "The long options that `mprof help COMMAND' lists, without dashes."
  (loop for line in (mprof-lines (nth-value 1 (mprof.bindings:run-command
                                               "help" command)))
        when (eql 0 (search "  --" line))
          collect (subseq line 4 (position-if (lambda (character)
                                                (find character " ="))
                                              line :start 4))))

(defun option-of (choice)
  "The name of the option that CHOICE, an element of MPROF::*CHOICES*, is."
  (let ((name (mprof::option-name choice)))
    (subseq name 0 (position #\= name))))

(defun keywords-of (function)
  (loop for (name . more) on (rest (member '&key (ext:function-lambda-list
                                                  function)))
        until (member name lambda-list-keywords)
        collect (intern (symbol-name (if (consp name) (first name) name))
                        '#:keyword)))

(test commands-and-functions-have-the-same-choices
  "Every option of a command is a keyword of the function that does the same,
but for those that the function has in another form, or that are about files; and
every keyword is such an option."
  (loop for (function command elsewhere own)
          in '((mprof:report "report"
                ("normal"               ; without :VERBOSE and :TERSE
                 "leaktable" "noleaktable" ; :TABLES
                 "lines" "callers" "suppressions" "show-suppressed" ; of C
                                        ; programs
                 "heap"                    ; as is what has two
                 "no-legend"               ; :LEGEND
                 "help")
                (:legend :stream :file :profile :collect :holders))
               (mprof:save "export"
                ("suppressions" "show-suppressed" "heap" "help")
                (:profile :format :collect :holders)))
        do (let ((options (options-of command))
                 (keywords (keywords-of function)))
             (is (> (length options) 10))
             (dolist (option options)
               (unless (member option elsewhere :test #'string=)
                 (let ((choice (find option mprof::*choices* :key #'option-of
                                                             :test #'string=)))
                   (is (or (string= option "format")
                           (member (first choice) keywords))
                       "~S has no keyword for --~A." function option))))
             (dolist (keyword keywords)
               (unless (member keyword own)
                 (is (member (option-of (assoc keyword mprof::*choices*))
                             options :test #'string=)
                     "~S of ~S is no option of mprof ~A." keyword function
                     command))))))

(defun selections ()
  "The keywords that say what a profile is."
  (mapcar #'first (mprof::choices-of '(:part))))

(test functions-share-their-choices
  "What both commands take, each function takes that makes a profile."
  (let ((shared (intersection (options-of "report") (options-of "export")
                              :test #'string=)))
    (dolist (function '(mprof:profile mprof:filter-profile mprof:report
                        mprof:save))
      (is (subsetp (selections) (keywords-of function))))
    (dolist (option (set-difference shared
                                    '("help" "o" "heap"
                                      ;; of C programs
                                      "suppressions" "show-suppressed"
                                      ;; how it is shown
                                      "min-percent" "limit" "value")
                                    :test #'string=))
      (is (member (first (find option mprof::*choices* :key #'option-of
                                                       :test #'string=))
                  (selections))
          "--~A is no choice of PROFILE." option))))

(test each-choice-does-something
  "Every keyword of REPORT is understood by the command."
  (with-idle-profiler
    (profiled (make-conses 3))
    (loop for (keyword value)
            in `((:tables :types) (:type :flat) (:legend nil) (:verbose t)
                 (:collect t) (:holders t)
                 (:limit 1) (:max 1)
                 (:min-percent 1/3) (:sort-by :allocations)
                 (:value :allocations) (:focus "CONS")
                 (:ignore "CONS") (:hide "CONS") (:show "CONS")
                 (:show-from "CONS") (:hide-system t)
                 (:by :package) (:phase :run) (:thread "x") (:region "x")
                 (:object-type "CONS") (:category (:cons :other))
                 (:show-runtime t) (:show-root t)
                 (:rules ,(asdf:system-relative-pathname
                           "mprof" "../reduce/advice/rules.txt"))
                 (:width 60)
                 (:color t))
          do (is (stringp (report-text keyword value)))
          collect keyword into tried
          finally (is (null (set-difference
                             (keywords-of 'mprof:report)
                             (list* :stream :file :profile tried)))))))

(test report-with-the-root-and-without-the-system
  (with-idle-profiler
    (mprof:with-profiling (:report nil) (setf *kept* (make-list 10)))
    (is (search "CALL-COUNTING"
                (report-text :tables :graph :show-root t :verbose t)))
    (is (not (search "CALL-COUNTING"
                     (report-text :tables :graph :verbose t))))
    (is (search " MAKE-LIST" (report-text :tables :direct)))
    (is (not (search " MAKE-LIST"
                     (report-text :tables :direct :hide-system t))))))

(defun mprof-lines (text)
  (with-input-from-string (stream text)
    (loop for line = (read-line stream nil)
          while line
          collect line)))

(test report-arguments-that-make-no-sense
  (with-idle-profiler
    (profiled (make-conses 3))
    (signals mprof:mprof-error (report-text :tables :cake))
    (signals mprof:mprof-error (report-text :tables '(:direct :cake)))
    (signals mprof:mprof-error (report-text :focus "("))
    (signals mprof:mprof-error (report-text :max 0))
    (signals mprof:mprof-error (report-text :phase :cake))
    (signals mprof:mprof-error (report-text :phase '(:run :cake)))
    (signals mprof:mprof-error (report-text :thread "("))
    (signals mprof:mprof-error (report-text :sort-by :cake))
    (signals mprof:mprof-error (report-text :min-percent "1"))
    (signals mprof:mprof-error (report-text :type :types))))

(test report-on-a-file
  (with-idle-profiler
    (with-temporary-file (file)
      (profiled (make-conses 3))
      (mprof:save file)
      (mprof:reset)
      (is (search "MAKE-CONSES" (report-text :file file)))
      (is (not (search "MAKE-CONSES" (report-text)))))
    (signals mprof:profile-file-error
      (report-text :file "/nowhere/at/all.data"))))

(test errors-name-keywords
  (with-idle-profiler
    (profiled (make-conses 3))
    (loop for (arguments said)
            in '(((:tables :cake) ":CAKE is not valid for :TABLES")
                 ((:sort-by :cake) ":CAKE is not valid for :SORT-BY")
                 ((:limit 0) "0 is not valid for :LIMIT")
                 ((:focus "(") ":focus: '(' is not a regular expression")
                 ((:min-percent 200) ":min-percent takes a number up to 100")
                 ((:value :live-allocations)
                  "collection: start with (mprof:start :live t)")
                 ((:value :kept) ":value live: the profile does not record"))
          for report = (handler-case (apply #'report-text arguments)
                         (mprof:mprof-error (condition)
                           (report-of condition)))
          do (is (search said report) "~S says ~S" arguments report)
             (is (not (search "--" report))))))

(test hints-are-keywords
  (with-idle-profiler
    (profiled (make-conses 1000) (setf *kept* (list 1 2 3)))
    (let ((text (report-text :tables :direct)))
      (is (search "; :verbose t shows them." text))
      (is (search "With :hide-system t, allocations" text))
      (is (not (search "-verbose" text)))
      (is (not (search "--hide" text))))
    (is (search ":width 0 shows them."
                (report-text :tables :direct :width 40))))
  (is (string= "a--focus -- :focus x :verbose t --cake :width 0-- :sort-by"
               (mprof::in-keywords
                "a--focus -- --focus=x -verbose --cake --width=0-- --sort"))))

(test the-legend-shows-once
  (with-idle-profiler
    (profiled (make-conses 3))
    (let ((mprof::*explained* '()))
      (flet ((legend-p (&rest arguments)
               (search "number of these"
                       (apply #'mprof:report :stream nil :tables :direct
                              arguments))))
        (is-true (legend-p))
        (is-false (legend-p))
        (is-true (legend-p :legend t))
        (is-false (legend-p :legend nil))
        ;; what has not been shown yet
        (is-true (search "the Lisp type" (mprof:report :stream nil
                                                       :tables :types)))
        (is-false (search "the Lisp type" (mprof:report :stream nil
                                                        :type :flat)))))))

(test nothing-counted-is-a-line
  (with-idle-profiler
    (is (eql 0 (search "Nothing has been counted: (mprof:start)"
                       (report-text))))
    (is (string= (format nil "Nothing was allocated while mprof counted.~%")
                 (with-output-to-string (stream)
                   (mprof:with-profiling (:stream stream) nil))))))

(test report-is-the-same-twice
  (with-idle-profiler
    (profiled (make-conses 3) (setf *kept* (make-doubles 4)))
    (is (string= (report-text :verbose t)
                 (report-text :verbose t)))))

;;; Conditions

(test conditions-are-mprof-errors
  (dolist (condition '(mprof:profiler-unavailable mprof:already-active
                       mprof:profile-file-error))
    (is-true (subtypep condition 'mprof:mprof-error)))
  (is-true (subtypep 'mprof:mprof-error 'error))
  (is-true (subtypep 'mprof:profile-file-error 'file-error))
  (is-true (subtypep 'mprof:profile-incomplete 'warning)))

;;; Other Lisps, as child processes of their own

(defun ecl-program ()
  (namestring (merge-pathnames "../../bin/ecl"
                               (translate-logical-pathname "SYS:"))))

(defun run-ecl (environment &rest forms)
  "What a fresh ECL prints that evaluates FORMS, strings."
  (with-output-to-string (output)
    (ext:run-program (ecl-program)
                     (append '("--norc")
                             (loop for form in forms
                                   collect "--eval" collect form)
                             '("--eval" "(ext:quit 0)"))
                     :environ (append environment (ext:environ))
                     :input nil :output output :error :output)))

(test require-works
  (is (search "(3 48)"
              (run-ecl '()
                       "(require :mprof)"
                       "(defvar *l*)"
                       "(mprof:with-profiling (:report nil)
                          (setf *l* (cons 1 (cons 2 (cons 3 nil)))))"
                       "(print (list (mprof:allocations) (mprof:bytes)))"))))

(test asdf-works
  (is (search "YES"
              (run-ecl '() "(require :asdf)" "(asdf:load-system \"mprof\")"
                       "(when (fboundp (find-symbol \"START\" \"MPROF\"))
                          (print 'yes))"))))

(test lines-fit-the-terminal
  "A stream that is a terminal says how wide its lines are."
  (let ((output
          (with-output-to-string (output)
            (ext:run-program
             "script"
             (list "-qc"
                   (format nil "stty cols 50; exec '~A' --norc ~
                                --eval '(require :mprof)' --eval ~
                                '(mprof:with-profiling (:report :direct) ~
                                (list 1 2))' --eval '(ext:quit 0)'"
                           (ecl-program))
                   "/dev/null")
             :input nil :output output :error :output))))
    (is (search "<TOTAL>" output))
    (is (search "No room for the columns" output))
    (is (search ":width 0 shows them." output))))

(test without-the-libraries
  "A Lisp that cannot profile says how to get one that can."
  (let ((output (run-ecl '("MPROF_LIB=/nowhere/at/all")
                         "(handler-case (require :mprof)
                            (error (c) (format t \"~A: ~A\" (type-of c) c)))")))
    (is (search "PROFILER-UNAVAILABLE" output))
    (is (search "/nowhere/at/all/libmprof-monitor.so" output))
    (is (search "patched ECL" output))
    (is (search "make" output))))
