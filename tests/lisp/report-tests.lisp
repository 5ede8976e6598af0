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
      (is (= 13 (data:figure :self-allocations
                 (data:row :functions 'make-conses profile))))
      ;; and that can be reported on again, with options
      (is (string= (report-text :profile (mprof:load-profile
                                          profile :focus "CALL-MAKE-CONSES"))
                   (report-text :profile profile :focus "CALL-MAKE-CONSES")))
      (is (eq profile (mprof:report :profile profile
                                    :stream (make-broadcast-stream)))))))

(defun rows (&rest arguments)
  "The names in the table DIRECT ALLOCATION of REPORT with ARGUMENTS."
  (loop for line in (mprof-lines (apply #'mprof:report
                                        (append arguments '(:tables :direct
                                                            :stream nil))))
        for name = (search "MPROF.TESTS::" line)
        when name collect (subseq line (+ name 13))))

(defun cons-twice (n)
  (dotimes (i (* 2 n))
    (setf *kept* (cons i i))))

(test report-takes-what-people-type
  "A file comes first or after :PROFILE; what selects functions takes them."
  (with-temporary-file (file)
    (with-idle-profiler
      (profiled (make-conses 3) (cons-twice 4))
      (mprof:save (format nil "~A.data" (namestring file)))
      (mprof:reset))
    (let ((file (format nil "~A.data" (namestring file))))
      (is (equal '("CONS-TWICE" "MAKE-CONSES") (rows file)))
      (dolist (focus (list 'make-conses "TS::MAKE-C"))
        (is (equal '("MAKE-CONSES") (rows :profile file :focus focus))))
      (is (equal '("MAKE-CONSES") (rows file :focus #'make-conses)))
      (is (equal '("MAKE-CONSES") (rows file :ignore 'cons-twice)))
      (is (search "11 allocations, 176 bytes"
                  (mprof:advise file :stream nil)))
      (loop for arguments in `((,file :focus ,(lambda () nil))
                               (,file :focus 3) (,file ,file) (:direct)
                               (,file :profile ,file))
            do (signals mprof:mprof-error (apply #'rows arguments)))
      (delete-file file))))

(defgeneric conses-for (x))
(defmethod conses-for ((x string)) (make-conses 1))
(defmethod conses-for :before ((x string)) (make-conses 2))
(defmethod conses-for ((x integer)) (make-conses 4))
(defun conses-for-all () (make-conses 8))

(test a-generic-function-is-its-methods
  (with-idle-profiler
    (profiled (conses-for "a") (conses-for 1) (conses-for-all))
    (dolist (focus (list 'conses-for #'conses-for))
      (is (= 7 (data:figure :allocations
                            (mprof:load-profile nil :focus focus
                                               :type 'cons))))))
  (with-idle-profiler
    (signals mprof:allocation-budget-exceeded
      (mprof:with-allocation-budget (:bytes 63 :function 'conses-for)
        (conses-for 1)))))

(test report-of-nothing
  "Options that match nothing: a line, and no table; an error where a file is
to be written; nothing as data."
  (with-idle-profiler
    (profiled (make-conses 3))
    (let ((profile (mprof:load-profile)))
      (dolist (report (list #'mprof:report #'mprof:advise))
        (is (string= (format nil "mprof: nothing matches ~
                                  :focus MAKE-CONSESS; did you mean MAKE-CONSES?~%")
                     (funcall report :profile profile :stream nil
                                     :focus "MAKE-CONSESS"))))
      (is (string= (format nil "mprof: nothing matches :type KONS; ~
                                did you mean CONS?~%")
                   (report-text :profile profile :type "KONS")))
      (with-temporary-file (file)
        (signals mprof:mprof-error
          (mprof:save file :format :html :profile profile :focus "CONSESS")))
      (is (null (data:figure :functions (mprof:load-profile
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
      (multiple-value-bind (string profile)
          (mprof:report :stream nil :no-legend nil)
        (is (string= text string))
        (is (= (mprof::allocations) (data:figure :allocations profile))))
      (dolist (options '(() (:stream t)))
        (is (string= text (with-output-to-string (*standard-output*)
                            (apply #'mprof:report :no-legend nil options)))))
      (is (typep (mprof:report :stream gray :no-legend nil) 'mprof:profile))
      (is (string= text (coerce (reverse (characters gray)) 'string)))
      (with-temporary-file (file)
        (with-open-file (stream file :direction :output
                                     :if-exists :supersede)
          (mprof:report :stream stream :no-legend nil))
        (is (string= text (file-text file)))))))

(defun options-of (command)
  "The options that `mprof help COMMAND' lists, as keywords, with an example of a
value: T where they take none."
  (loop for line in (mprof-lines (mprof::run-command "help" command))
        for start = (and (eql 0 (search "  -" line))
                         (position #\- line :start 2 :test-not #'eql))
        for end = (and start (position-if (lambda (character)
                                            (find character " ="))
                                          line :start start))
        when start
          collect (intern (string-upcase (subseq line start end)) :keyword)
          and collect (eql #\Space (char (concatenate 'string line "  ")
                                         (1+ end)))))

(test every-option-is-a-keyword
  "Names and values are those of the command, and are passed to it."
  (with-idle-profiler
    (profiled (make-conses 3))
    (loop for (keyword value)
            in `((:tables :types) (:tables (:direct :types)) (:verbose t)
                 (:normal t) (:terse t) (:limit 1) (:min-percent 1/3)
                 (:min-percent 0.5) (:sort :allocs) (:value :allocs)
                 (:focus "CONS") (:ignore "CONS") (:hide "CONS") (:show "CONS")
                 (:show-from "CONS") (:system :hide) (:by :package)
                 (:phase :run) (:phase (:run :eval)) (:thread "x")
                 (:region "x") (:label "x=y") (:type "CONS") (:category (:cons :other))
                 (:system :show) (:system :root) (:offsets t)
                 (:rules ,(asdf:system-relative-pathname
                           "mprof" "../reduce/advice/rules.txt"))
                 (:width 60) (:color :always)
                 (:leaktable t) (:noleaktable t) (:callers 2)
                 (:suppressions :none) (:no-legend t) (:help t)
                 (:collect t) (:holders t))
          do (is (stringp (report-text keyword value))
                 "~S ~S is not taken." keyword value)
          collect keyword into tried
          finally (loop for (keyword) on (options-of "report") by #'cddr
                        do (is (member keyword
                                       (list* :o :suppressions :from :to :at
                                              tried))
                               "~S has not been tried." keyword)))))

(test what-selects-is-an-option-of-all-views
  "What selects is what all ways to look at a profile take, as their help says."
  (loop with others = (options-of "diff")
        for (keyword) on (options-of "flamegraph") by #'cddr
        do (is (eq (and (member keyword others)
                        (not (member keyword '(:o :help))))
                   (and (mprof::selecting-p keyword) t))
               "~S" keyword)))

(test errors-are-those-of-the-command
  "Options in them are keywords; names of files and of functions are as they are."
  (with-idle-profiler
    (profiled (make-conses 3))
    (loop for (keyword value option)
            in '((:tables :cake "--tables=cake")
                 (:tables (:direct :cake) "--tables=direct,cake")
                 (:limit 0 "--limit=0") (:limit t "--limit")
                 (:sort :bite "--sort=bite") (:verbose 3 "--verbose=3")
                 (:min-percent 200 "--min-percent=200")
                 (:cake 5 "--cake=5") (:focsu "x" "--focsu=x"))
          for expected = (nth-value 1 (if (eq value t)
                                          (mprof::run-command "report" option)
                                          (mprof::run-command "report" option
                                                              "--help")))
          do (is (string= (format nil "mprof: ~A"
                                  (mprof::with-keywords expected))
                          (handler-case (report-text keyword value)
                            (mprof:mprof-error (condition)
                              (report-of condition))))))
    (signals mprof:mprof-error (report-text :focus (format nil "a~%--verbose")))
    ;; an option without its value does not take the next one
    (is (string= "mprof: option ':focus' requires a value"
                 (handler-case (report-text :focus t :limit 3)
                   (mprof:mprof-error (condition) (report-of condition)))))
    (loop for (arguments said)
            in '(((:focus "(") "mprof: :focus: '(' is not a regular expression")
                 ((:profile "no--by/a--b.data") "no--by/a--b.data'")
                 ((:focus "F--BY") "mprof: nothing matches :focus F--BY")
                 ((:focsu 1) "unknown option ':focsu 1'; did you mean :focus?")
                 ((:value :live-allocs)
                  "(mprof:start :live t), and save with :collect t"))
          do (is (search said (handler-case (apply #'report-text arguments)
                                (mprof:mprof-error (condition)
                                  (report-of condition))))))))

(test report-with-the-root-and-without-the-system
  (with-idle-profiler
    (mprof:with-profiling (:report nil) (setf *kept* (make-list 10)))
    (is (search "CALL-COUNTING"
                (report-text :tables :graph :system :root :verbose t)))
    (is (not (search "CALL-COUNTING"
                     (report-text :tables :graph :verbose t))))
    (is (search " MAKE-LIST" (report-text :tables :direct)))
    (is (not (search " MAKE-LIST"
                     (report-text :tables :direct :system :hide))))))

(defun mprof-lines (text)
  (with-input-from-string (stream text)
    (loop for line = (read-line stream nil)
          while line
          collect line)))

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
        (is-true (legend-p :no-legend nil))
        (is-false (legend-p :no-legend t))
        ;; what has not been shown yet
        (is-true (search "the Lisp type" (mprof:report :stream nil
                                                       :tables :types)))
        (is-false (search "the Lisp type" (mprof:report :stream nil
                                                        :tables :direct)))))))

(test nothing-counted-is-a-line
  (with-idle-profiler
    (is (eql 0 (search "Nothing has been counted: (mprof:start)"
                       (report-text))))
    (is (eql 0 (search "usage: mprof report" (report-text :help t))))
    (signals mprof:mprof-error (report-text :limit 0))
    (let ((said (format nil "Nothing was allocated while mprof counted: count ~
                             a part of the program that~%allocates.~%")))
      (is (string= said (with-output-to-string (stream)
                          (mprof:with-profiling (:stream stream) nil))))
      (is (string= said (mprof:advise :stream nil)))
      (with-temporary-file (file)
        (mprof:save file)
        (dolist (command '("report" "advise"))
          (is (string= said (mprof::run-command command "--" file))))))))

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

(test options-are-keywords-in-what-is-printed
  "In legends and messages; what is no option stays."
  (loop for (said expected)
          in '(("With --system=hide, x" "With :system :hide, x")
               ("x; --verbose shows them." "x; :verbose t shows them.")
               ("count (--value=live)" "count (:value :live)")
               ("last (five; see --callers);" "last (five; see :callers);")
               ("'--limit=5' --" "':limit 5' --")
               (" a--b -- ---- --" " a--b -- ---- --") ("--by" ":by")
               (" --worker --by=it" " --worker :by :it"))
        do (is (string= expected (mprof::with-keywords said))))
  (with-idle-profiler
    (profiled (make-conses 3))
    (is (search "With :system :hide, allocations" (report-text)))))

(test without-the-libraries
  "A Lisp that cannot profile says how to get one that can."
  (let ((output (run-ecl '("MPROF_LIB=/nowhere/at/all")
                         "(handler-case (require :mprof)
                            (error (c) (format t \"~A: ~A\" (type-of c) c)))")))
    (is (search "PROFILER-UNAVAILABLE" output))
    (is (search "/nowhere/at/all/libmprof-monitor.so" output))
    (is (search "patched ECL" output))
    (is (search "make" output))))

(test options-to-begin-with
  (with-idle-profiler
    (let ((profile (profiled (gather-twice 5)))
          (mprof:*options* '(:tables :direct :system :hide :no-legend t)))
      (flet ((same (text &rest options)
               (is (string= text (apply #'mprof:report profile :stream nil
                                        options)))))
        (let ((text (mprof:report profile :stream nil)))
          (is (search "MPROF.TESTS::GATHER" text))
          (is (not (search "CALL GRAPH" text)))
          (is (search "CALL GRAPH"
                      (mprof:report profile :stream nil :tables :graph)))
          (let ((mprof:*options* '()))
            (same text :tables :direct :system :hide :no-legend t))
          ;; what the command does not know is left out
          (is (search "saves up to" (mprof:advise profile :stream nil)))
          (with-folder (folder)
            (flet ((saved (type)
                     (mprof:save (format nil "~Aa.~A" folder type)
                                 :profile profile)))
              (saved "txt")
              (with-open-file (stream (saved "txt"))
                (is (string= (read-line stream)
                             (subseq text 0 (position #\Newline text)))))
              ;; a complete profile stays complete
              (is (equalp (data:figure :functions
                                       (mprof:load-profile (saved "data")))
                          (data:figure :functions profile)))))))
      (let ((mprof:*options* '(:limit)))
        (signals mprof:mprof-error (mprof:report profile))))))
