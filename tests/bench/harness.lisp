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
;;;; warm everything up, a collection, the run that counts, one line.  The
;;;; line has name, configuration, size, seconds, processor seconds,
;;;; collections, allocations, and bytes, separated by tabs; the last two are
;;;; 0 where nobody counts.
;;;;
;;;; The same file is compiled by the patched and by the unpatched ECL.  It
;;;; does not say which runs faster: report.lisp does.

(defpackage #:bench
  (:use #:common-lisp)
  (:export #:define-program #:repeat #:measure #:measure-instructions
           #:print-names))

(in-package #:bench)

(defstruct program
  name
  function          ; of the size
  result            ; function of the size: what FUNCTION gives back
  size              ; for about a quarter of a second in an unpatched ECL
  full-walk)        ; the same when each allocation walks the whole stack; NIL
                    ; when that cannot be done in seconds

(defvar *programs* '()
  "All programs that are loaded, the first defined first.")

(defmacro define-program (name (variable &key size (full-walk (ceiling size 64))
                                          result)
                          documentation &body body)
  "Define a program called NAME, a symbol, that runs with SIZE, and with
FULL-WALK where each allocation walks the whole stack.  In BODY, and in RESULT,
the form for what BODY should give, VARIABLE is the size."
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
                          :size ,size
                          :full-walk ',full-walk))))))

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

(defvar *collections* (c-function "GC_get_gc_no" :unsigned-long))
(defvar *nanoseconds* (c-function "bench_nanoseconds" :int64-t :int
                                  (library "region")))

(defun seconds (clock)
  "CLOCK: 1, time; 2, of the processors for this process (see time.h)."
  (/ (funcall *nanoseconds* clock) 1d9))

;;; Configurations.  Each is a function that begins to count, if anything is
;;; counted, and gives back a function of nothing for the numbers of objects
;;; and bytes so far.

(defun counts-nothing ()
  (constantly '(0 0)))

(defun call-mprof (name &rest arguments)
  "Call a function of mprof, which this file does not need."
  (apply (or (find-symbol name '#:mprof) (fail "there is no MPROF:~A" name))
         arguments))

(defun mprof-counts ()
  (list (call-mprof "ALLOCATIONS") (call-mprof "BYTES")))

(defun begin (configuration)
  (ecase configuration
    ((:reference :no-words :patched :loaded) (counts-nothing))
    (:stopped (call-mprof "START") (call-mprof "STOP") (counts-nothing))
    (:counter
     (funcall (c-function "bench_counter_start" :void nil (library "counter")))
     (let ((objects (c-function "bench_counter_objects" :uint64-t nil
                                (library "counter")))
           (bytes (c-function "bench_counter_bytes" :uint64-t nil
                              (library "counter"))))
       (lambda () (list (funcall objects) (funcall bytes)))))
    (:full-walk (call-mprof "START" :full-walk t) #'mprof-counts)
    (:mprof (call-mprof "START") #'mprof-counts)
    (:live (call-mprof "START" :live t) #'mprof-counts)))

(defun size-for (program configuration)
  (if (eq configuration :full-walk)
      (program-full-walk program)
      (program-size program)))

(defun warm-up (program size)
  (run-program program (ceiling size 10)))

(defun call-counted (counts function)
  "Call FUNCTION.  What it allocated: a list of objects and bytes."
  (let* ((before (funcall counts))
         (asking (funcall counts)))     ; allocates, too
    (funcall function)
    (loop for b in before
          for a in asking
          for c in (funcall counts)
          collect (- c a (- a b)))))

(defun measure (name configuration)
  "Measure the program called NAME under CONFIGURATION, a keyword, and print the
line."
  (let* ((program (find-program name))
         (size (size-for program configuration))
         (counts (begin configuration))
         seconds processor-seconds collections allocated)
    (warm-up program size)
    (si:gc t)
    (setf collections (funcall *collections*)
          processor-seconds (seconds 2)
          seconds (seconds 1)
          allocated (call-counted counts
                                  (lambda () (run-program program size)))
          seconds (- (seconds 1) seconds)
          processor-seconds (- (seconds 2) processor-seconds)
          collections (- (funcall *collections*) collections))
    (format t "~&~A~C~(~A~)~C~D~C~,6F~C~,6F~C~D~{~C~D~}~%" name #\Tab
            configuration #\Tab size #\Tab seconds #\Tab processor-seconds
            #\Tab collections
            (loop for number in allocated
                  collect #\Tab
                  collect number))
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
        (counts (begin configuration)))
    (dolist (name names)
      (let* ((program (find-program name))
             (size (ceiling (program-size program) divisor))
             (name (coerce name 'base-string))
             (allocated (call-counted counts
                                      (lambda ()
                                        (run-program program size)))))
        (format t "~&allocations~C~A~C~D~%" #\Tab name #\Tab
                (first allocated))
        (si:gc t)
        (funcall region-begin)
        (run-program program size)
        (funcall region-end name)))
    (ext:quit 0)))

(defun print-names ()
  "A line for each program: its name, and whether to walk whole stacks, too."
  (dolist (program *programs*)
    (format t "~&program ~A ~:[no~;yes~]~%" (program-name program)
            (program-full-walk program))))
