;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; demo.lisp -- profile the two programs of mprof-demo.asd and say what the
;;;; profiles show.  Called by run.sh, which prints what is written here.
;;;;
;;;; MPROF_DEMO_OUT is the folder that gets the profiles (*.data) and the
;;;; texts `headline', `finding' and `residual'.  All figures come from the
;;;; profiles.  The exit status is 1, and the last line of the output says
;;;; why, when a profile is not what the demo claims.

(require :asdf)
(require :cmp)
(require :mprof)

(defun fail (control &rest arguments)
  (format t "~&mprof demo: ~?~%" control arguments)
  (ext:quit 1))

(setf ext:*invoke-debugger-hook*
      (lambda (condition hook)
        (declare (ignore hook))
        (fail "~A" (substitute #\Space #\Newline (princ-to-string condition)))))

;; These folders and nothing else: the demo is to be the same everywhere.
(asdf:initialize-source-registry
 `(:source-registry (:directory ,(ext:getenv "MPROF_DEMO_PPCRE"))
                    (:directory ,(directory-namestring *load-truename*))
                    :ignore-inherited-configuration))
(setf c::*cc-optimize* "-O0")           ; which changes no figure
(handler-bind ((warning #'muffle-warning))
  (asdf:load-system "mprof-demo"))

(defpackage #:demo
  (:use #:common-lisp)
  (:import-from #:cl-user #:fail))

(in-package #:demo)

(defconstant +most-bytes-of-a-file+ (* 64 1024))

(defun output-file (name)
  (concatenate 'string (ext:getenv "MPROF_DEMO_OUT") "/" name))

(defun file-bytes (name)
  (with-open-file (stream name :element-type '(unsigned-byte 8))
    (file-length stream)))

(defconstant +finalizer+ 48
  "What the collector takes for itself when an object gets a finalizer.")

(defun residual (profile)
  (parse-integer (mprof.data:comment "mprof.residual_bytes" profile)))

(defun check-profile (profile name)
  "Stop the demo unless PROFILE adds up to the byte and its file is small."
  (let ((lost (mprof.data:comment "mprof.unattributed_allocations" profile))
        (bytes (file-bytes (output-file name))))
    ;; Neither program opens files or makes threads; what gets a finalizer is
    ;; a special variable, when it is bound for the first time.
    (unless (and (>= (residual profile) 0)
                 (zerop (mod (residual profile) +finalizer+)))
      (fail "~A: ~D bytes differ from the collector's count, and they are no ~
             finalizers" name (residual profile)))
    (unless (equal lost "0")
      (fail "~A: ~A allocations have no caller" name lost))
    (when (> bytes +most-bytes-of-a-file+)
      (fail "~A has ~D bytes, more than 64 KiB" name bytes))))

(defun print-residual (before after stream)
  (unless (zerop (residual after))
    (fail "licences-after.data: ~D bytes differ from the collector's count ~
           where no special variable is new" (residual after)))
  (if (zerop (residual before))
      (format stream "The collector counted the same, to the byte.~%")
      (format stream "The residual is ~D finalizers of ~D bytes in the ~
                      collector's tables: ECL sets one~%when a special ~
                      variable is bound for the first time.  In the second ~
                      profile~%below, of the same process, it is 0.~%"
              (/ (residual before) +finalizer+) +finalizer+)))

(defmacro profiled ((name) form)
  "Run FORM and write its profile to the file NAME of the output folder.  Two
values: the profile, and FORM's value."
  `(let* ((file (output-file ,name))
          (value (mprof:with-profiling (:report nil :file file) ,form))
          (profile (mprof:load-profile file)))
     (check-profile profile ,name)
     (values profile value)))

;;; Licences: what to change

(defun begins-with (prefix string)
  (eql (mismatch prefix string) (length prefix)))

(defun names-api-p (name)
  "Is NAME that of a function of the program, or one that CL-PPCRE exports?"
  (let ((start (if (begins-with "(METHOD " name) (length "(METHOD ") 0)))
    (or (begins-with "LICENCES:" name)
        (and (search "CL-PPCRE:" name :start2 start)
             (eql start (search "CL-PPCRE:" name))
             (not (eql start (search "CL-PPCRE::" name)))))))

(defun heavy-functions (profile share)
  "Those functions of the program and of CL-PPCRE's interface under which at
least SHARE of all bytes were allocated, callers first."
  (loop for function in (mprof.data:figure :functions profile)
        when (and (names-api-p (mprof.data:figure :name function))
                  (>= (mprof.data:figure :bytes function)
                      (* share (mprof.data:figure :bytes profile))))
          collect function))

(defun percent (part whole)
  (floor (* 100 part) whole))

(defun print-heavy-functions (profile stream)
  (format stream "    %        bytes   calls   bytes/call  function~%")
  (dolist (function (heavy-functions profile 1/3))
    (let ((bytes (mprof.data:figure :bytes function))
          (calls (mprof.data:figure :calls function)))
      (format stream "  ~3D  ~11:D ~7:D  ~11:D  ~A~%"
              (percent bytes (mprof.data:figure :bytes profile))
              bytes calls (floor bytes calls)
              (mprof.data:figure :name function)))))

(defparameter *maker* "(METHOD CL-PPCRE:CREATE-SCANNER (T))"
  "What makes every scanner, from strings and from parse trees.")

(defun calls-of (name profile)
  (let ((function (mprof.data:row :functions name profile)))
    (if function (mprof.data:figure :calls function) 0)))

(defun bytes-below (name profile)
  (let ((function (mprof.data:row :functions name profile)))
    (if function (mprof.data:figure :bytes function) 0)))

(defun print-change (before after stream)
  (flet ((row (what key)
           (let ((old (funcall key before))
                 (new (funcall key after)))
             (format stream "  ~28A ~11:D  ~11:D  ~4@D %~%" what old new
                     (round (* 100 (- new old)) old)))))
    (format stream "  ~28A ~11@A  ~11@A~%" "" "before" "after")
    (row "bytes" (mprof.data:reader :bytes))
    (row "allocations" (mprof.data:reader :allocations))
    (row "bytes below CLASSIFY"
         (lambda (profile) (bytes-below 'licences::classify profile)))
    (row "scanners made" (lambda (profile) (calls-of *maker* profile)))))

(defun print-finding (before after stream)
  (let* ((patterns (length licences::*patterns*))
         (maker "(METHOD CL-PPCRE:CREATE-SCANNER (STRING))")
         (made (calls-of maker before)))
    (unless (> made patterns)
      (fail "~A was called ~D times for ~D patterns; there is nothing to find"
            maker made patterns))
    (format stream "The functions of the program, and those that CL-PPCRE ~
                    exports, below which a~%third of all bytes or more were ~
                    allocated:~2%")
    (print-heavy-functions before stream)
    (format stream "~%The rules of CLASSIFY are ~D patterns, but ~:D scanners ~
                    are made from strings:~%SCAN compiles the string that it ~
                    is given each time.  So make each scanner once:~2%  ~
                    before  (make-rules)~%  ~
                    after   (make-rules #'cl-ppcre:create-scanner)~2%"
            patterns made)
    (print-change before after stream)))

;;; Licences: what is left

(defun leak (texts)
  "The profile of the service, which writes it to licences-live.data."
  (let ((file (output-file "licences-live.data")))
    (mprof:reset)
    (mprof:start :live t)
    (licences:serve texts 100)
    (mprof:stop)
    (mprof:save file :holders t)
    (mprof:reset)
    (mprof:load-profile file)))

(defun print-leak (profile stream)
  "Stop the demo unless the cache holds nearly all that PROFILE says is alive."
  (let* ((holders (mprof.data:figure :holders profile))
         (cache (mprof.data:row :functions 'licences::*answers* holders)))
    (unless (and cache (> (mprof.data:figure :bytes cache)
                          (* 9/10 (mprof.data:figure :live-bytes profile))))
      (fail "LICENCES::*ANSWERS* is not what holds what is alive"))
    (format stream "A service answers questions about the texts.  When it has ~
                    answered them all,~%~:D bytes are alive.  Which variable ~
                    holds them?~2%"
            (mprof.data:figure :live-bytes profile))))

;;; All of it

(defun print-headline (before after stream)
  (let ((bytes (mprof.data:figure :bytes before))
        (bytes-after (mprof.data:figure :bytes after)))
    (format stream "CL-PPCRE at work on the licence texts of this machine: ~
                    ~:D allocations,~%~:D bytes, in ~D functions.  ~D % of ~
                    the bytes are one mistake in the~%program: with one line ~
                    changed it allocates ~:D bytes.~%"
            (mprof.data:figure :allocations before) bytes
            (length (mprof.data:figure :functions before))
            (percent (- bytes bytes-after) bytes) bytes-after)))

(defun run ()
  (let ((texts (licences:read-texts (ext:getenv "MPROF_DEMO_TEXTS"))))
    (profiled ("widgets.data")
      (producer-consumer:produce-and-consume 10000))
    (multiple-value-bind (before result)
        (profiled ("licences.data")
          (licences:survey texts (licences:make-rules)))
      (multiple-value-bind (after same-result)
          (profiled ("licences-after.data")
            (licences:survey texts
                             (licences:make-rules #'cl-ppcre:create-scanner)))
        (unless (equal result same-result)
          (fail "the change changed the program's result"))
        (flet ((write-text (name function &rest profiles)
                 (with-open-file (stream (output-file name)
                                         :direction :output
                                         :if-exists :supersede)
                   (apply function (append profiles (list stream))))))
          (write-text "finding" #'print-finding before after)
          (write-text "residual" #'print-residual before after)
          (write-text "headline" #'print-headline before after)
          (write-text "leak" #'print-leak (leak texts)))))))

(run)
(ext:quit 0)
