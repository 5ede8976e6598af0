;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; advice-tests.lisp -- advice as text and as data, and whether a change
;;;; helps.  What the rules find is tested in ../advice/.

(in-package #:mprof.tests)

(in-suite mprof)

(declaim (notinline gather gather-twice))

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
      (is (null (data:figure :advice (mprof:load-profile profile
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
                                                  (mprof:load-profile)))))))))))

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
      (flet ((message (definitions)
               (handler-case (mprof::call-trying-advice
                              definitions (lambda () (gather-twice 1))
                              *standard-output*)
                 (mprof:mprof-error (condition) (report-of condition)))))
        (loop for (part . definitions)
                in '(("PROGRAM-ERROR: " (defun gather (a) a))
                     ("GATHER-THRICE is not defined yet, so there is"
                      (defun gather-thrice (a) a))
                     ("LET" (defun gather (&rest a) (let)))
                     ("the program ended"
                      (defun gather (a b) (ext:quit (+ a b) nil))))
              do (is (search part (message definitions)))))
      (is (eq before #'gather)))))

(test callers-call-the-new-definition
  (with-idle-profiler
    (let ((before (list #'row-of #'sums-of-rows #'table-of)))
      (is-tried (1232 77 t)
          ("after                0 bytes            0 allocations"
           "saved             1232 bytes           77 allocations, 100 %"
           "Compiled again: " "advice-tests.lisp")
          ((defun row-of (n)
             "No list, but the constant that is its sum's."
             (declare (ignore n))
             '(100)))
        (table-of 7))
      (is (equal before (list #'row-of #'sums-of-rows #'table-of))))
    (is-tried (48 10 t)
        ("saved               48 bytes           10 allocations, 27 %")
        ((defun row-of (n) (make-array n)))
      (area-of 10))
    ;; what did not run saves nothing, also while the profiler counts
    (mprof:start)
    (is-tried (0 0 t) () ((defun row-of (n) (make-array n)))
      (gather-twice 1))
    (mprof:stop)))

;;; Definitions of all kinds, in a file that is also edited by hand.

(defparameter *shop*
  '((eval-when (:compile-toplevel :load-toplevel :execute)
      (unless (find-package '#:mprof.tests)
        (make-package '#:mprof.tests :use '(#:cl))))
    (in-package #:mprof.tests)
    (defmacro with-list ((name n) &body body)
      `(let ((,name (make-list ,n))) ,@body))
    (defvar *sizes* (list 1 2 3))
    (defparameter *rounds* 10)
    (defclass item ()
      ((tags :initform (list 1 2 3) :accessor tags)
       (label :initarg :label :accessor label)))
    (defclass book (item) ())
    (defstruct place x y z)
    (defgeneric cost (item &optional more))
    (defmethod cost ((item item) &optional more)
      (length (list* more 2 (copy-list (tags item)))))
    (defmethod cost :around ((item book) &optional more)
      (1+ (call-next-method item (list more))))
    (defun helper (n) (with-list (list n) (length list)))
    (defun run-shop ()
      (let ((book (make-instance 'book :label "x")))
        (loop repeat *rounds*
              sum (+ (cost book) (cost (make-instance 'item)) (helper 5)
                     (length (mapcar #'1+ *sizes*))
                     (place-x (make-place :x 1))))))))

(defparameter *changes*
  '(((defmacro with-list ((name n) &body body)
       `(let ((,name (make-list (1- ,n)))) ,@body))
     (defclass item () ((tags :initform '(1 2 3) :accessor tags)
                        (label :initarg :label :accessor label)
                        (more :initform nil)))
     (defstruct place x y z u v)
     (defvar *sizes* (list 1 2)))
    ((defparameter *rounds* 3)
     (defclass book (item) ((title :initform (make-string 10))))
     (defmethod cost ((item item) &optional more) (if more 3 4))
     (deftype size () 'fixnum)
     (defun helper (n) (length (coerce (list n n) '(vector size)))))
    ((defmethod cost :around ((item book) &optional more)
       (call-next-method item more))
     (defgeneric cost (item &optional more)
       (:method (item &optional more) (list item more)))
     (declaim (inline new-helper))
     (defun new-helper (n) (list n n) n)
     (defun helper (n) (new-helper n)))))

(defun write-shop (file definitions)
  "Write *SHOP* to FILE, with DEFINITIONS in the place of its own, and others
before the first of them."
  (with-open-file (stream file :direction :output :if-exists :supersede)
    (with-standard-io-syntax
      (let ((*package* (find-package '#:mprof.tests))
            (added (remove-if (lambda (definition)
                                (some (lambda (form)
                                        (mprof::replacement
                                         form (list definition)))
                                      *shop*))
                              definitions)))
        (dolist (form *shop*)
          (let ((new (mprof::replacement form definitions)))
            (format stream "~@[~{~S~%~}~]~S~%" (and new (shiftf added '()))
                    (or new form))))))))

(defparameter *load-shop*
  "(let ((*standard-output* (make-broadcast-stream)))
     (load (~:[progn~;compile-file~] ~S)))"
  "A form that loads a file, compiled if an argument says so.")

(defun bytes-in-process (compiled file)
  "What the program in FILE allocates in a process of its own, in its second run."
  (parse-integer
   (with-open-stream
       (output (ext:run-program
                "/proc/self/exe"
                (list "--norc" "--eval" "(require :mprof)"
                      "--eval" (format nil *load-shop* compiled file)
                      "--eval" "(mprof.tests::run-shop)"
                      "--eval" "(print (nth-value 1 (mprof:allocated-by (mprof.tests::run-shop))))"
                      "--eval" "(ext:quit 0)")))
     (loop for line = (read-line output)
           until (and (string/= line "") (digit-char-p (char line 0)))
           finally (return line)))
   :junk-allowed t))

(defun is-as-edited (compiled changes)
  "Check for each of CHANGES that TRY-ADVICE says what editing the file does, and
leaves the program as it is."
  (with-folder (folder)
    (let ((file (concatenate 'string folder "shop.lisp"))
          (edited (concatenate 'string folder "edited.lisp")))
      (flet ((bytes ()
               (nth-value 1 (mprof:allocated-by (funcall 'run-shop)))))
        (write-shop file '())
        (eval (read-from-string (format nil *load-shop* compiled file)))
        (funcall 'run-shop)
        (is (equal (list (not compiled))
                   (loop for (name interpreted) in (mprof::program-files)
                         when (equal (truename file) name)
                           collect interpreted)))
        (let ((before (bytes)))
          (dolist (change changes)
            (write-shop edited change)
            (is (eql (bytes-in-process compiled edited)
                     (- before
                        (let ((*standard-output* (make-broadcast-stream)))
                          (mprof::call-trying-advice change 'run-shop
                                                     *standard-output*)))))
            (is (eql before (bytes)))))))))

(test changes-as-by-editing-the-file
  (with-idle-profiler
    (is-as-edited nil (list (second *changes*)))
    (is-as-edited t (list (first *changes*) (third *changes*)))))

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
            ("after                0 bytes" "rows.lisp.")
            ((defun accented-row (n) n))
          (accented-table 5)))
      (mapc #'delete-file (list (make-pathname :type "fas" :defaults source)
                                source))
      (si:rmdir (make-pathname :name nil :type nil :defaults source)))))
