;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; advice-tests.lisp -- advice as text and as data, and whether a change
;;;; helps.  What the rules find is tested in ../advice/.

(in-package #:mprof.tests)

(in-suite mprof)

(declaim (notinline gather gather-twice twin))

(defun gather (&rest numbers)
  (setf *kept* (length numbers)))

(defun gather-twice (n)
  (dotimes (i n)
    (gather i i)
    (gather i i)))

;;; SUMS-OF-ROWS calls ROW-OF, and TABLE-OF it, directly.

(declaim (notinline table-of area-of))

(defun row-of (n)
  (loop repeat n collect n))

(defun sums-of-rows (n)
  (flet ((sum () (reduce #'+ (row-of 10))))
    (loop repeat n sum (sum))))

(defun table-of (n)
  (sums-of-rows n))

(defgeneric area-of (n))

(defmethod area-of ((n integer))
  (length (row-of n)))

(defun tried (function)
  "The values of FUNCTION, which calls TRY-ADVICE, and what that printed."
  (let* ((values '())
         (text (with-output-to-string (*standard-output*)
                 (setf values (multiple-value-list (funcall function))))))
    (values values text)))

(defmacro is-tried (values texts (&rest definitions) &body body)
  "Check what TRY-ADVICE gives back, a list, and that it prints TEXTS."
  `(multiple-value-bind (values text)
       (tried (lambda () (mprof:try-advice ,definitions ,@body)))
     (is (equal ',values values))
     (dolist (part ',texts)
       (is (search part text)))))

(defun twin (x)
  (vector x x))

(test advice-is-data
  (with-idle-profiler
    (let* ((profile (profiled (gather-twice 5)))
           (advice (data:figure :advice profile))
           (first (first advice)))
      (is (= 1 (length advice)))
      (is (equal '("rest-list" "MPROF.TESTS::GATHER" :check 320 320 20 10 20
                   "cl_grab_rest_args" "MPROF.TESTS::GATHER-TWICE")
                 (loop for key in '(:rule :name :grade :saved-bytes :bytes
                                    :allocations :calls :objects :called
                                    :caller)
                       collect (data:figure key first))))
      (is (search "advice-tests.lisp" (data:figure :file first)))
      (dolist (key '(:fault :remedy :example :unknown))
        (is (stringp (data:figure key first))))
      (is (null (data:figure :advice (mprof:profile profile
                                                    :ignore "GATHER$"))))
      (is (null (data:figure :advice (profiled (make-conses 5))))))))

(test advice-is-printed
  (with-idle-profiler
    (let* ((profile (profiled (gather-twice 5)))
           (text (mprof:advise :profile profile :stream nil :no-legend t)))
      (is (search "1. saves up to 320 bytes, 100 %: MPROF.TESTS::GATHER" text))
      (is (search "20 conses, 320 bytes, 16 each, in 10 calls" text))
      (is (eq profile (nth-value 1 (mprof:advise :profile profile
                                                 :stream nil))))
      (is (search "saves up to 320 bytes" (mprof:report :profile profile
                                                  :tables :advice
                                                  :stream nil)))
      (signals mprof:mprof-error (mprof:advise :profile profile :limit 0))
      (is (search "Nothing has been counted"
                  (progn (mprof:reset) (mprof:advise :stream nil)))))))

(test advice-without-a-doubt
  (with-idle-profiler
    (let* ((profile (profiled (twin 1)))
           (advice (data:figure :advice profile)))
      (is (equal '("vector-list") (mapcar (data:reader :rule) advice)))
      (is (null (data:figure :unknown (first advice))))
      (is (not (search "Not known" (mprof:advise :profile profile
                                                 :stream nil)))))))

;;; A library, with rules for those who use it: the example of mprof-advice(7).

(defun examples-of-rules ()
  "The rules, the program, the forms and what they print, strings."
  (with-open-file (page (asdf:system-relative-pathname
                         "mprof" "../reduce/mprof-advice.7"))
    (loop until (search "tests/lisp/advice-tests.lisp" (read-line page)))
    (loop repeat 4
          do (loop until (string= (read-line page) ".nf"))
          collect (with-output-to-string (text)
                    (loop for line = (read-line page)
                          until (string= line ".fi")
                          do (write-line (remove #\\ line) text))))))

(defun write-text (file text)
  (with-open-file (stream file :direction :output)
    (write-string text stream)))

(defun replaced (old new text)
  "TEXT with NEW in place of the first OLD."
  (let ((start (search old text)))
    (concatenate 'string (subseq text 0 start) new
                 (subseq text (+ start (length old))))))

(test rules-of-a-library
  (with-idle-profiler
    (with-folder (folder)
      (destructuring-bind (rules program forms result) (examples-of-rules)
        (let ((*default-pathname-defaults* (pathname folder))
              (*package* (find-package '#:cl-user))
              (text (make-string-output-stream)))
          (write-text "db.rules" rules)
          (write-text "app.lisp" program)
          (let ((*standard-output* text))
            (with-input-from-string (stream forms)
              (loop for form = (read stream nil)
                    while form
                    do (eval form))))
          (is (search result (replaced folder "/home/me/"
                                       (get-output-stream-string text))))
          (is (search "COUNT-NAMES parses a query each time"
                      (mprof:report :rules #p"db.rules" :stream nil)))
          (is (string= "coerce"
                       (data:figure :rule (first (data:figure
                                                  :advice
                                                  (mprof:profile)))))))))))

(test rules-that-are-wrong
  (with-idle-profiler
    (with-folder (folder)
      (let ((profile (profiled (twin 1)))
            (file (concatenate 'string folder "db.rules")))
        (write-text file (format nil "rule: a~%trough: B~%"))
        (flet ((message (function &rest arguments)
                 (handler-case (apply function arguments)
                   (mprof:profile-file-error () "of a profile")
                   (mprof:mprof-error (condition) (princ-to-string condition)))))
          (loop for text in (list (message #'mprof:advise :profile profile
                                                          :rules file)
                                  (message #'mprof:save "/tmp/a.json"
                                           :profile profile :rules file))
                do (is (search "db.rules:2: unknown key 'trough'; did you mean"
                               text))))))))

(test changes-are-tried
  (with-idle-profiler
    (let ((text (make-string-output-stream))
          (before #'gather))
      (let ((*standard-output* text))
        (is (equal '(320 20 t)
                   (multiple-value-list
                    (mprof:try-advice ((defun gather (a b)
                                         (declare (ignore a b))
                                         (setf *kept* 2)))
                      (gather-twice 5)
                      *kept*))))
        (is (equal '(320 20 nil)
                   (multiple-value-list
                    (mprof:try-advice ((defun gather (a b)
                                         (declare (ignore b))
                                         (setf *kept* a)))
                      (gather-twice 5)
                      *kept*)))))
      (is (eq before #'gather))
      (is (search "saved              320 bytes           20 allocations"
                  (get-output-stream-string text))))
    ;; however it ends
    (let ((before #'gather)
          (*standard-output* (make-broadcast-stream)))
      (signals program-error
        (mprof:try-advice ((defun gather (a) a)) (gather-twice 1)))
      (is (eq before #'gather))
      (signals mprof:mprof-error
        (mprof:try-advice ((defun gather-thrice (a) a)) (gather-twice 1)))
      (signals mprof:mprof-error
        (mprof:try-advice ((defmacro gather (a) a)) (gather-twice 1)))
      (signals mprof:mprof-error
        (mprof:try-advice ((defun gather (&rest a) (let))) (gather-twice 1)))
      (signals mprof:mprof-error (mprof:try-advice () (gather-twice 1)))
      (mprof:start)
      (signals mprof:already-active
        (mprof:try-advice ((defun gather (&rest a) a)) (gather-twice 1)))
      (mprof:stop))))

(defun show (n)
  (setf *kept* (format nil "~D ~A" n n)))

(defun show-by-formatter (n)
  (setf *kept* (format nil (load-time-value (formatter "~D ~A")) n n)))

(test changes-are-compiled-as-a-file-is
  "What a change saves is what it saves in the file."
  (with-idle-profiler
    (flet ((allocated (function)
             (dotimes (i 100) (funcall function i))
             (multiple-value-list
              (mprof:allocated-by (dotimes (i 100) (funcall function i))))))
      (let ((*standard-output* (make-broadcast-stream)))
        (is (equal (reverse (mapcar #'- (allocated 'show)
                                    (allocated 'show-by-formatter)))
                   (subseq (multiple-value-list
                            (mprof:try-advice
                                ((defun show (n)
                                   (setf *kept*
                                         (format nil (load-time-value
                                                      (formatter "~D ~A"))
                                                 n n))))
                              (dotimes (i 100) (funcall 'show i))))
                           0 2)))))))

(defmacro shown (form)
  `(list ,form))

(test macros-are-not-tried
  "They are what they were, as special operators are."
  (with-idle-profiler
    (loop for (name reason)
            in '((shown "MPROF.TESTS::SHOWN is a macro, not a function")
                 (if "IF is a special operator, not a function")
                 (nothing-yet "MPROF.TESTS::NOTHING-YET is not a function yet"))
          for before = (and (fboundp name) (fdefinition name))
          do (is (search reason
                         (handler-case
                             (let ((*package* (find-package '#:keyword)))
                               (mprof::call-trying-advice
                                (list `(defun ,name (n) n)) #'list nil))
                           (mprof:mprof-error (condition)
                             (report-of condition)))))
             (is (equal before (and (fboundp name) (fdefinition name)))))
    (is (macro-function 'shown))))

(test callers-are-compiled-again
  (with-idle-profiler
    (let ((before (list #'row-of #'sums-of-rows #'table-of)))
      (is-tried (1232 77 t)
          ("after                0 bytes            0 allocations"
           "MPROF.TESTS::SUMS-OF-ROWS and MPROF.TESTS::TABLE-OF.")
          ((defun row-of (n)
             "No list, but the constant that is its sum's."
             (declare (ignore n))
             '(100)))
        (table-of 7))
      (is (equal before (list #'row-of #'sums-of-rows #'table-of))))))

(test callers-in-a-folder-with-an-accent
  (with-temporary-file (file)
    (let ((source (mprof::named-file
                   (mprof::octets-of (format nil "~A-~C/rows.lisp" file
                                             (code-char #xE9))))))
      (ensure-directories-exist source)
      (with-open-file (stream source :direction :output)
        (with-standard-io-syntax
          (format stream "~S~%~S~%" '(defun accented-row (n) (make-list n))
                  '(defun accented-table (n) (accented-row n)))))
      (let ((*standard-output* (make-broadcast-stream)))
        (load (compile-file source)))
      (with-idle-profiler
        (is-tried (80 5 nil)
            ("Compiled again, to call the new definitions: MPROF.TESTS::ACC")
            ((defun accented-row (n) n))
          (accented-table 5)))
      (mapc #'delete-file (list (make-pathname :type "fas" :defaults source)
                                source))
      (si:rmdir (make-pathname :name nil :type nil :defaults source)))))

(test what-did-not-run-saves-nothing
  (with-idle-profiler
    (is-tried (nil)
        ("after   unknown: the old MPROF.TESTS::ROW-OF still ran."
         "Direct callers: (METHOD MPROF.TESTS::AREA-OF (INTEGER))."
         "declare MPROF.TESTS::ROW-OF NOTINLINE")
        ((defun row-of (n) (make-array n)))
      (area-of 10))
    (is-tried (nil)
        ("after   unknown: the new MPROF.TESTS::ROW-OF was never called."
         "declare MPROF.TESTS::ROW-OF NOTINLINE")
        ((defun row-of (n) (make-array n)))
      (gather-twice 1))
    ;; one of two is needed no more
    (is-tried (320 20 nil)
        ("saved              320 bytes           20 allocations, 100 %"
         "Note: the new MPROF.TESTS::GATHER was never called."
         "Warning: the body returned a different value.")
        ((defun gather (a b) (list a b))
         (defun gather-twice (n) n))
      (gather-twice 5))))
