;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; run.lisp -- check the programs of many seeds.
;;;;
;;;; A program that is for the interpreter only is defined by EVAL.  Programs
;;;; with compiled functions go to the compiler many at a time, since each
;;;; start of the C compiler takes a second.  What a program defines is taken
;;;; away after its turn.
;;;;
;;;; A program that fails is reported with the command that runs it, in which
;;;; fewer functions and less fuel make it smaller.

(in-package #:random-tests)

(defvar *failures* 0)
(defvar *compared* 0 "Programs whose chains were compared one by one.")

(defun forget (program)
  (dolist (symbol (program-symbols program))
    (fmakunbound symbol)
    (unintern symbol '#:rp)))

(defun define-by-eval (programs)
  (dolist (program programs)
    (mapc #'eval (program-definitions program))))

(defun define-by-compiler (programs)
  (let* ((source (format nil "~A.lisp" *file*))
         (fas (format nil "~A.fas" *file*))
         (*compile-verbose* nil)
         (output (make-string-output-stream)))
    (with-open-file (out source :direction :output :if-exists :supersede)
      (with-standard-io-syntax
        (let ((*package* (find-package '#:rp)))
          (format out "(in-package #:rp)~%")
          (dolist (program programs)
            (format out "~{~S~%~}" (program-definitions program))))))
    (unwind-protect
         (multiple-value-bind (result warnings failure)
             (let ((*standard-output* output) (*error-output* output))
               (compile-file source :output-file fas))
           (declare (ignore warnings))
           (when (or failure (null result))
             (error "programs ~D to ~D do not compile:~%~A"
                    (program-seed (first programs))
                    (program-seed (first (last programs)))
                    (get-output-stream-string output)))
           (load result :verbose nil))
      (dolist (file (list source fas))
        (when (probe-file file)
          (delete-file file))))))

(defun define (programs)
  (if (program-compiled (first programs))
      (define-by-compiler programs)
      (define-by-eval programs)))

(defun shown (text)
  "TEXT, without the middle of what is too long for a line."
  (if (> (length text) 400)
      (format nil "~A ... ~A" (subseq text 0 120)
              (subseq text (- (length text) 270)))
      text))

(defun report-failure (program collect differences)
  (incf *failures*)
  (format t "not ok - program ~D~:[~;, compiled~]~%" (program-seed program)
          (program-compiled program))
  (format t "# make check-random SEED=~D COUNT=1 KIND=~:[bytecode~;compiled~]~
             ~:[~; COLLECT=1~] FUNCTIONS=~D FUEL=~D~%"
          (program-seed program) (program-compiled program) collect
          (program-functions program) (program-fuel program))
  (let ((all (sort (copy-list differences) #'< :key #'length)))
    (format t "# ~D differences~%~{# ~A~%~}" (length all)
            (mapcar #'shown (subseq all 0 (min 8 (length all))))))
  (finish-output))

(defun check-programs (from count batch &rest options)
  "Check COUNT programs from the seed FROM, BATCH at a time."
  (loop for first from from below (+ from count) by batch
        for programs = (loop for seed from first
                               below (min (+ first batch) (+ from count))
                             collect (apply #'make-program seed options))
        do (define programs)
           (dolist (program programs)
             (multiple-value-bind (differences unfolded)
                 (check-program program)
               (when unfolded
                 (incf *compared*))
               (if differences
                   (report-failure program (getf options :collect)
                                   differences)
                   (format t "ok - program ~D~:[~;, compiled~]~%"
                           (program-seed program)
                           (program-compiled program)))))
           (mapc #'forget programs)))

(defun environment (name &optional default)
  "The number in the environment variable NAME."
  (let ((text (ext:getenv name)))
    (if (and text (plusp (length text)))
        (parse-integer text)
        default)))

(defun main ()
  "Check what the environment asks for; exit with 1 if a program failed."
  (setf *print-pretty* nil)
  (let ((compiled (equal (ext:getenv "KIND") "compiled")))
    (check-programs (environment "SEED") (environment "COUNT")
                    (if compiled 25 1)
                    :compiled compiled
                    :collect (eql 1 (environment "COLLECT"))
                    :functions (environment "FUNCTIONS")
                    :fuel (environment "FUEL")))
  (format t "# chains compared one by one in ~D programs~%" *compared*)
  (delete-file *file*)
  (ext:quit (if (zerop *failures*) 0 1)))
