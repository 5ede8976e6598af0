;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; harness.lisp -- what a program of the benchmark is, and how one is
;;;; measured.
;;;;
;;;; A program is a function of its size, which is proportional to the work
;;;; that it does and to what it allocates.  Its result is compared with what
;;;; is known of it, so that no program can become fast by going wrong.
;;;;
;;;; One process measures one program in one configuration: a short run to
;;;; warm everything up, a collection, the run that counts, one line: name,
;;;; configuration, processor seconds and allocations, separated by blanks;
;;;; the last is 0 where nobody counts.
;;;;
;;;; The same file is compiled by the patched and by the unpatched ECL.

(defpackage #:bench
  (:use #:common-lisp)
  (:export #:define-program #:repeat #:measure #:measure-instructions
           #:print-names))

(in-package #:bench)

(defstruct program
  name
  function          ; of the size
  result            ; function of the size: what FUNCTION gives back
  size)             ; for about a quarter of a second in an unpatched ECL

(defvar *programs* '()
  "All programs that are loaded, the first defined first.")

(defmacro define-program (name (variable &key size result)
                          documentation &body body)
  "Define a program called NAME, a symbol, that runs with SIZE.  In BODY, and in
RESULT, the form for what BODY should give, VARIABLE is the size."
  `(progn
     (defun ,name (,variable)
       ,documentation
       (declare (fixnum ,variable))
       ,@body)
     (setf *programs*
           (append *programs*
                   (list (make-program
                          :name (string-downcase ',name)
                          :function ',name
                          :result (lambda (,variable)
                                    (declare (ignorable ,variable))
                                    ,result)
                          :size ,size))))))

(defmacro repeat (count &body body)
  "Run BODY COUNT times; the values of the last time."
  (let ((i (gensym)) (values (gensym)))
    `(let ((,values nil))
       (dotimes (,i ,count ,values)
         (declare (ignorable ,i))
         (setf ,values (progn ,@body))))))

(defun fail (control &rest arguments)
  (format *error-output* "~&bench: ~?~%" control arguments)
  (ext:quit 1))

(defun find-program (name)
  (or (find name *programs* :key #'program-name :test #'string=)
      (fail "there is no program ~A" name)))

(defun run-program (program size)
  "Run PROGRAM; stop everything unless it computes what it should."
  (let ((result (funcall (program-function program) size))
        (expected (funcall (program-result program) size)))
    (unless (equalp result expected)
      (fail "~A of ~D gives ~S, and should give ~S" (program-name program) size
            result expected))))

;;; C functions.  Each is a closure, so that looking it up is not measured.

(defun c-function (name type &optional argument-type (library :default))
  "The C function NAME of LIBRARY, which takes one argument or none."
  (let ((pointer (si:find-foreign-symbol name library :pointer-void 0))
        (types (and argument-type (list argument-type))))
    (lambda (&rest arguments)
      (si:call-cfun pointer type types arguments))))

(defun library (name)
  (concatenate 'string (ext:getenv "BENCH_LIBRARIES") "/" name ".so"))

(defvar *nanoseconds* (c-function "bench_nanoseconds" :int64-t nil
                                  (library "region")))

;;; Configurations.  Each is a function that begins to count, if anything is
;;; counted, and gives back a function of nothing for the number of objects so
;;; far.

(defun call-mprof (name &rest arguments)
  "Call a function of mprof, which this file does not need."
  (apply (or (find-symbol name '#:mprof) (fail "there is no MPROF:~A" name))
         arguments))

(defun begin (configuration)
  (ecase configuration
    ((:reference :patched) (constantly 0))
    (:stopped (call-mprof "START") (call-mprof "STOP") (constantly 0))
    (:mprof (call-mprof "START") (lambda () (call-mprof "ALLOCATIONS")))))

(defun call-counted (count function)
  "Call FUNCTION.  How many objects it allocated, by COUNT."
  (let* ((before (funcall count))
         (asking (funcall count)))      ; allocates, too
    (funcall function)
    (- (funcall count) asking (- asking before))))

(defun measure (name configuration)
  "Measure the program called NAME under CONFIGURATION, a keyword, and print the
line."
  (let* ((program (find-program name))
         (size (program-size program))
         (count (begin configuration)))
    (run-program program (ceiling size 10))
    (si:gc t)
    (let* ((begun (funcall *nanoseconds*))
           (allocated (call-counted count
                                    (lambda () (run-program program size)))))
      (format t "~&~A ~(~A~) ~,6F ~D~%" name configuration
              (/ (- (funcall *nanoseconds*) begun) 1d9) allocated))
    (finish-output)
    (ext:quit 0)))

(defun measure-instructions (configuration divisor names)
  "For callgrind: run the programs called NAMES at their size divided by DIVISOR,
and have it note down its figures for each.  Prints a line for each: how much
was allocated, if that is counted."
  (let ((region-begin (c-function "bench_region_begin" :void nil
                                  (library "region")))
        (region-end (c-function "bench_region_end" :void :cstring
                                (library "region")))
        (count (begin configuration)))
    (dolist (name names)
      (let* ((program (find-program name))
             (size (ceiling (program-size program) divisor)))
        (format t "~&allocations ~A ~D~%" name
                (call-counted count (lambda () (run-program program size))))
        (si:gc t)
        (funcall region-begin)
        (run-program program size)
        (funcall region-end (coerce name 'base-string))))
    (ext:quit 0)))

(defun print-names ()
  (dolist (program *programs*)
    (format t "~&program ~A~%" (program-name program))))
