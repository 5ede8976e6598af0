;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; bindings.lisp -- the C functions of monitor.h and reduce/mprof.h.
;;;;
;;;; The addresses are looked up when this file is loaded, so that an ECL which
;;;; cannot profile says so at once.  Strings cross as UTF-8.  MONITOR-STOP
;;;; allocates nothing before the monitor stops counting, and MONITOR-START
;;;; nothing after it begins: what is counted is the program.

(in-package #:mprof.bindings)

(defun library-file (name)
  "The file of the C library NAME, a string: in the folder that the environment
variable MPROF_LIB names, else in SYS:mprof/."
  (let ((folder (ext:getenv "MPROF_LIB"))
        (file (concatenate 'string name ".so")))
    (if (and folder (string/= folder ""))
        (concatenate 'string (string-right-trim "/" folder) "/" file)
        (namestring (translate-logical-pathname
                     (concatenate 'string "SYS:mprof/" file))))))

(defun foreign-function (c-name library)
  "The address of the C function C-NAME in LIBRARY, both strings.  Signals
MPROF:PROFILER-UNAVAILABLE when it is not to be had."
  #-(and dffi dlopen)
  (error 'mprof:profiler-unavailable
         :reason "this ECL was built without dynamic foreign calls")
  #+(and dffi dlopen)
  (handler-case
      (si:find-foreign-symbol c-name (library-file library) :pointer-void 0)
    (error (condition)
      (error 'mprof:profiler-unavailable
             :reason (string-right-trim
                      "." (substitute #\Space #\Newline
                                      (princ-to-string condition)))))))

(defmacro define-foreign (name (library c-name) type (&rest arguments)
                          documentation)
  "Define NAME as the C function C-NAME of LIBRARY, which gives back TYPE.
ARGUMENTS is a list of (VARIABLE TYPE); types are those of SI:CALL-CFUN."
  `(let ((pointer (foreign-function ,c-name ,library)))
     (defun ,name ,(mapcar #'first arguments)
       ,documentation
       (si:call-cfun pointer ,type ',(mapcar #'second arguments)
                     (list ,@(mapcar #'first arguments))))))

;;; Strings

(defun octets-of (string)
  "STRING in UTF-8, as a base string with a character for each byte."
  (if (ascii-p string)
      (coerce string 'base-string)
      (let ((octets (make-array (length string)
                                :element-type '(unsigned-byte 8)
                                :adjustable t :fill-pointer 0)))
        (with-open-stream (stream (ext:make-sequence-output-stream
                                   octets :external-format :utf-8))
          (write-string string stream))
        (map 'base-string #'code-char octets))))

(defun ascii-p (string)
  "True when STRING is its own UTF-8."
  (if (typep string 'simple-base-string)
      ;; what the C side gives; maybe megabytes
      (locally (declare (type simple-base-string string)
                        (optimize (speed 3) (safety 0)))
        (dotimes (i (length string) t)
          (declare (type fixnum i))
          (unless (< (char-code (schar string i)) 128)
            (return nil))))
      (every (lambda (character) (< (char-code character) 128)) string)))

(defun string-of (octets)
  "The string that OCTETS, a string with a character for each byte, is the UTF-8
of; always a fresh one, since ECL makes C strings into Lisp strings without
copying."
  (if (ascii-p octets)
      (copy-seq octets)
      (with-open-stream (stream (ext:make-sequence-input-stream
                                 (map '(vector (unsigned-byte 8)) #'char-code
                                      octets)
                                 :external-format :utf-8))
        (with-output-to-string (string)
          (loop for character = (read-char stream nil)
                while character
                do (write-char character string))))))

;;; The monitor

(define-foreign monitor-start ("libmprof-monitor" "mprof_monitor_start") :int
    ((budget :unsigned-long) (options :int))
  "Begin to count; BUDGET contexts at most (0: the default), OPTIONS the sum of
1 (keep recursion unfolded) and 2 (walk whole stacks).  A status, 0 for done.")

(define-foreign monitor-stop ("libmprof-monitor" "mprof_monitor_stop") :int ()
  "Stop counting.  A status, 0 for done.")

(define-foreign monitor-reset ("libmprof-monitor" "mprof_monitor_reset") :int
    ()
  "Forget all figures.  A status, 0 for done.")

(define-foreign monitor-write* ("libmprof-monitor" "mprof_monitor_write") :int
    ((octets :cstring))
  "Write the profile to the file whose name is OCTETS.  A status, 0 for done.")

(defun monitor-write (file)
  "Write the profile to FILE, a string.  A status, 0 for done."
  (monitor-write* (octets-of file)))

(define-foreign monitor-counter ("libmprof-monitor" "mprof_monitor_counter")
    :unsigned-long-long ((which :int))
  "The counter WHICH, a number of enum mprof_counter in monitor.h.")

;;; What works while the program is counted must not allocate: arguments are
;;; made beforehand, and constant lists are.

(let ((pointer (foreign-function "mprof_monitor_counter" "libmprof-monitor")))
  (defun monitor-active-p ()
    "True while the monitor counts.  Allocates nothing."
    ;; 5 is MPROF_RUNNING
    (eql 1 (si:call-cfun pointer :unsigned-long-long '(:int) '(5))))
  (defun monitor-allocations ()
    "How many allocations the monitor has counted.  Allocates nothing."
    (si:call-cfun pointer :unsigned-long-long '(:int) '(0)))
  (defun monitor-bytes ()
    "How many bytes the monitor has counted.  Allocates nothing."
    (si:call-cfun pointer :unsigned-long-long '(:int) '(1))))

(let ((pointer (foreign-function "mprof_monitor_write" "libmprof-monitor")))
  (defun monitor-write-quietly (arguments)
    "Write the profile to the file whose name is in ARGUMENTS, a list that
FILE-ARGUMENTS made.  True when that is done.  Allocates nothing."
    (eql 0 (si:call-cfun pointer :int '(:cstring) arguments))))

(let ((pointer (foreign-function "unlink" "libmprof-monitor")))
  (defun delete-quietly (arguments)
    "Delete the file whose name is in ARGUMENTS, a list that FILE-ARGUMENTS
made, if there is one.  Allocates nothing."
    (si:call-cfun pointer :int '(:cstring) arguments)))

(defun file-arguments (name)
  "What MONITOR-WRITE-QUIETLY and DELETE-QUIETLY take for the file NAME, a
string."
  (list (octets-of name)))

;;; Regions.  The list of arguments is made beforehand, so that to enter and
;;; leave a region allocates nothing.

(let ((pointer (foreign-function "mprof_monitor_region_begin"
                                 "libmprof-monitor")))
  (defun region-begin (arguments)
    "Enter the region that ARGUMENTS, made by REGION-ARGUMENTS, names.
Allocates nothing."
    (si:call-cfun pointer :int '(:cstring) arguments)))

(let ((pointer (foreign-function "mprof_monitor_region_end"
                                 "libmprof-monitor")))
  (defun region-end ()
    "Leave the innermost region.  Allocates nothing."
    (si:call-cfun pointer :int '() '())))

(defun region-arguments (name)
  "What REGION-BEGIN takes for the region NAME, a string."
  (list (octets-of name)))

(define-foreign monitor-message* ("libmprof-monitor" "mprof_monitor_message")
    :cstring ()
  "What went wrong in the last call that failed, in the C library's memory.")

(defun monitor-message ()
  "What went wrong in the last call of this thread that failed."
  (string-of (monitor-message*)))

;;; The reducer

(define-foreign reducer-run ("libmprof-reduce" "mprof_run_command")
    :pointer-void ((arguments :cstring))
  "Run the command line ARGUMENTS, one a line; a result to be freed.")

(define-foreign result-status ("libmprof-reduce" "mprof_result_status") :int
    ((result :pointer-void))
  "The exit status of RESULT: 0 done, 1 failed, 2 usage.")

(define-foreign result-output ("libmprof-reduce" "mprof_result_output")
    :cstring ((result :pointer-void))
  "What RESULT's command printed, in memory that lives as long as RESULT.")

(define-foreign result-error ("libmprof-reduce" "mprof_result_error") :cstring
    ((result :pointer-void))
  "What went wrong, in memory that lives as long as RESULT.")

(define-foreign result-offset ("libmprof-reduce" "mprof_result_offset")
    :int64-t ((result :pointer-void))
  "The byte offset that the error names, or -1.")

(define-foreign result-free ("libmprof-reduce" "mprof_result_free") :void
    ((result :pointer-void))
  "Free RESULT.")

(defun call-with-output (function &rest arguments)
  "Run the command mprof with ARGUMENTS, strings without newlines, and call
FUNCTION with what it printed, in UTF-8: a base string that is gone when FUNCTION
returns, which gives back the values.  When the command fails FUNCTION is not
called, and the values are NIL, the exit status (1 failed, 2 usage), what went
wrong (a string), and a byte offset or NIL."
  (let ((result (reducer-run (octets-of (format nil "~{~A~^~%~}" arguments)))))
    (unwind-protect
         (let ((status (result-status result))
               (offset (result-offset result)))
           (if (eql status 0)
               (funcall function (result-output result))
               (values nil status (string-of (result-error result))
                       (if (minusp offset) nil offset))))
      (result-free result))))

(defun run-command (&rest arguments)
  "Run the command mprof with ARGUMENTS, strings without newlines.  Four values:
the exit status (0 done, 1 failed, 2 usage), what it printed, what went wrong
(both strings, maybe empty), and a byte offset or NIL."
  (multiple-value-bind (output status message offset)
      (apply #'call-with-output #'string-of arguments)
    (if output
        (values 0 output "" nil)
        (values status "" message offset))))
