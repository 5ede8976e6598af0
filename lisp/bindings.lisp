;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; bindings.lisp -- the C functions behind mprof: the monitor counts; the
;;;; reducer reads profiles and prints tables; the server and the shipper send
;;;; profiles.  ECL's dynamic foreign function interface needs no C compiler.
;;;;
;;;; The addresses are looked up when this file is loaded; *FAILURE* says if
;;;; that failed.  Strings are passed as UTF-8, pointers as integers, which are
;;;; fixnums.  Functions called while the program is counted allocate nothing:
;;;; their argument lists are made beforehand.

(in-package #:mprof)

(defvar *failure* nil
  "Why the first missing C function was not found, a string; or NIL.")

(defvar *late-functions* '()
  "Functions that look up the C functions of libmprof-serve.so, which depends on
further libraries and is therefore loaded only when it is needed.")

(defun library-file (library)
  "Return the file of LIBRARY, a string.  It is in the folder named by the
environment variable MPROF_LIB, or else in SYS:mprof/."
  (let ((folder (ext:getenv "MPROF_LIB")))
    (if (and folder (string/= folder ""))
        (format nil "~A/~A" (string-right-trim "/" folder) library)
        (namestring (translate-logical-pathname
                     (format nil "SYS:mprof/~A" library))))))

(defun foreign-function (library c-name)
  "Return the address of the C function C-NAME of LIBRARY, both strings; or
NIL."
  #-(and dffi dlopen)
  (setf *failure* "this ECL was built without dynamic foreign calls")
  #+(and dffi dlopen)
  (handler-case
      (si:find-foreign-symbol c-name (library-file library) :pointer-void 0)
    (error (condition)
      (unless *failure*
        (setf *failure* (string-right-trim
                         "." (substitute #\Space #\Newline
                                         (princ-to-string condition)))))
      nil)))

(defun find-late-functions ()
  "Load libmprof-serve.so and its dependencies, once; signal an MPROF-ERROR if
that fails."
  (let ((*failure* nil))
    (mapc #'funcall *late-functions*)
    (when *failure*
      (fail "cannot load libmprof-serve.so: ~A" *failure*))
    (setf *late-functions* '())))

(defmacro define-foreign-functions (library &body functions)
  "Define FUNCTIONS, each (NAME C-NAME TYPE ARGUMENTS DOCUMENTATION), as C
functions of LIBRARY that return TYPE.  ARGUMENTS is a list of (VARIABLE TYPE),
with the types of SI:CALL-CFUN; or (&LIST VARIABLE TYPE...): then NAME takes its
arguments in a list.  Functions with &LIST or without arguments allocate
nothing."
  `(progn
     ,@(loop for (name c-name type arguments documentation) in functions
             for listed = (eq (first arguments) '&list)
             for variables = (if listed
                                 (list (second arguments))
                                 (mapcar #'first arguments))
             for look = `(setf pointer (foreign-function ,library ,c-name))
             collect `(let ((pointer nil))
                        ,(if (string= library "libmprof-serve.so")
                             `(push (lambda () ,look) *late-functions*)
                             look)
                        (defun ,name ,variables
                          ,documentation
                          (si:call-cfun pointer ,type
                                        ',(if listed
                                              (cddr arguments)
                                              (mapcar #'second arguments))
                                        ,(cond (listed (first variables))
                                               (variables
                                                `(list ,@variables)))))))))

;;; Strings

(defun octets-of (string)
  "Return STRING in UTF-8, as a base string with one character for each byte."
  (if (ascii-p string)
      (coerce string 'base-string)
      (let ((octets (make-array 0 :element-type '(unsigned-byte 8)
                                  :adjustable t :fill-pointer t)))
        (with-open-stream (stream (ext:make-sequence-output-stream
                                   octets :external-format :utf-8))
          (write-string string stream))
        (map 'base-string #'code-char octets))))

(defun ascii-p (string)
  "True if all characters of STRING are ASCII."
  (flet ((ascii-p (character) (< (char-code character) 128)))
    (if (typep string 'simple-base-string) ; from the C side, maybe megabytes
        (loop for character across (the simple-base-string string)
              always (ascii-p character))
        (every #'ascii-p string))))

(defun string-of (octets)
  "Decode OCTETS, a string with one character for each byte of UTF-8.  Return a
fresh string, since ECL turns C strings into Lisp strings without copying them."
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

(defun arguments (name &rest more)
  "Return an argument list for a function with &LIST: NAME, a string, and
MORE."
  (cons (octets-of name) more))

;;; The monitor

(define-foreign-functions "libmprof-monitor.so"
  (monitor-start "mprof_monitor_start" :int
      ((contexts :unsigned-long) (options :int))
    "Start counting, with at most CONTEXTS contexts (0: the default).  OPTIONS
is the sum of 1 (keep recursion unfolded), 2 (walk whole stacks), 4 (follow
objects until they are dead) and 16 (distinguish calls on one line).  Return a
status, 0 for success.")
  (monitor-stop "mprof_monitor_stop" :int ()
    "Stop counting.  Return a status, 0 for success.")
  (monitor-reset "mprof_monitor_reset" :int ()
    "Reset all figures.  Return a status, 0 for success.")
  (monitor-map "mprof_monitor_map" :int (&list arguments :cstring)
    "Count in the file named in ARGUMENTS, which is mapped.  Return a status.")
  (monitor-unmap "mprof_monitor_unmap" :int ((keep :int))
    "Unmap that file, and delete it unless KEEP is 1 or another file is in its
place.  Return a status.")
  (monitor-message "mprof_monitor_message" :cstring ()
    "Return the message of the last failed call, in memory of the C library.")
  (monitor-counter "mprof_monitor_counter" :unsigned-long-long
      (&list arguments :int)
    "Return the counter whose number in monitor.h is in ARGUMENTS.")
  (region-begin "mprof_monitor_region_begin" :int (&list arguments :cstring)
    "Enter the region named in ARGUMENTS.")
  (region-end "mprof_monitor_region_end" :int ()
    "Leave the innermost region.")
  (take-snapshot "mprof_monitor_snapshot" :unsigned-long (&list arguments :int)
    "Return the address of a snapshot of all figures, or 0.  ARGUMENTS has 0, or 1
to collect garbage first, or 2 to find the holders of live objects as well.")
  (free-snapshot "mprof_snapshot_free" :void (&list arguments :unsigned-long)
    "Free the snapshot whose address is in ARGUMENTS.")
  (snapshot-octets "mprof_snapshot_octets" :unsigned-long
      ((snapshot :unsigned-long))
    "Return the address of the contents of SNAPSHOT.")
  (snapshot-length "mprof_snapshot_length" :unsigned-long
      ((snapshot :unsigned-long))
    "Return the size of SNAPSHOT in bytes."))

;;; The server

(define-foreign-functions "libmprof-serve.so"
  (serve-open "mprof_lisp_serve" :unsigned-long
      ((address :cstring) (port :unsigned-int) (token :cstring))
    "Return the address of a server that listens on PORT (0: a free port) of
ADDRESS (\"\": the loopback interface), or 0.  Clients that know TOKEN may
start, stop and reset the profiler.")
  (serve-message "mprof_lisp_serve_message" :cstring ()
    "Return the reason why SERVE-OPEN returned 0.")
  (serve-port "mprof_server_port" :unsigned-int ((server :unsigned-long))
    "Return the port that SERVER listens on.")
  (serve-run "mprof_server_run" :int (&list arguments :unsigned-long)
    "Serve until the caller has something to do, and return what, a number of
enum serve_event.  ARGUMENTS has the address of the server.")
  (serve-answer "mprof_server_answer" :void
      ((server :unsigned-long) (message :cstring))
    "Answer the client of SERVER: its request succeeded, or failed with
MESSAGE.")
  (serve-stop "mprof_server_stop" :void (&list arguments :unsigned-long)
    "Make SERVE-RUN return 0.")
  (serve-close "mprof_server_close" :void ((server :unsigned-long))
    "Free SERVER, which must have stopped."))

;;; The shipper

(define-foreign-functions "libmprof-serve.so"
  (ship-open "mprof_lisp_ship" :unsigned-long
      ((url :cstring) (protocol :cstring) (service :cstring) (labels :cstring)
       (milliseconds :unsigned-long))
    "Return the address of a shipper that sends to URL every MILLISECONDS, or 0.
LABELS are lines NAME=VALUE.")
  (ship-message "mprof_lisp_ship_message" :cstring ((shipper :unsigned-long))
    "Return why SHIP-OPEN failed, if SHIPPER is 0; else a summary of SHIPPER.")
  (ship-run "mprof_ship_run" :void (&list arguments :unsigned-long)
    "Ship until SHIP-STOP, then ship the rest.  ARGUMENTS has the address of the
shipper.")
  (ship-note "mprof_ship_note" :void (&list arguments :unsigned-long)
    "Take a snapshot for the shipper.")
  (ship-stop "mprof_ship_stop" :void (&list arguments :unsigned-long)
    "Make SHIP-RUN return.")
  (ship-count "mprof_lisp_ship_count" :unsigned-long-long
      ((shipper :unsigned-long) (which :int))
    "Return the count WHICH of struct ship_counts.")
  (ship-close "mprof_ship_close" :void ((shipper :unsigned-long))
    "Free SHIPPER, which must have stopped."))

(defun active-p ()
  "True while the monitor is counting.  Allocates nothing."
  (eql 1 (monitor-counter '(5))))

(defun allocations ()
  "Return the number of allocations counted.  Allocates nothing."
  (monitor-counter '(0)))

(defun bytes ()
  "Return the number of bytes counted.  Allocates nothing."
  (monitor-counter '(1)))

;;; The reducer

(define-foreign-functions "libmprof-reduce.so"
  (open-octets "mprof_profile_open_octets" :unsigned-long
      ((octets :unsigned-long) (length :unsigned-long))
    "Return the address of a profile of LENGTH bytes at OCTETS, or 0.")
  (open-files "mprof_profile_open" :unsigned-long ((names :cstring))
    "Return the address of a profile of the files NAMES, one per line; or 0.
Commands run on the profile report the files that cannot be read.")
  (close-profile "mprof_profile_close" :void (&list arguments :unsigned-long)
    "Close the profile whose address is in ARGUMENTS.")
  (run "mprof_run_command" :unsigned-long ((arguments :cstring))
    "Run the command with ARGUMENTS, one per line; the result must be freed.")
  (run-on "mprof_profile_command" :unsigned-long
      ((profile :unsigned-long) (arguments :cstring)
       (samples :unsigned-long) (count :uint64-t))
    "Like RUN, on PROFILE.  If SAMPLES is not 0, it is the address of COUNT
numbers of samples, and only these samples are used.")
  (result-status "mprof_result_status" :int ((result :unsigned-long))
    "Return the exit status of RESULT: 0 success, 1 failure, 2 wrong usage.")
  (result-output "mprof_result_output" :cstring ((result :unsigned-long))
    "Return the output of the command, in memory that lives as long as RESULT.")
  (result-error "mprof_result_error" :cstring ((result :unsigned-long))
    "Return the error message, in memory that lives as long as RESULT.")
  (result-offset "mprof_result_offset" :int64-t ((result :unsigned-long))
    "Return the byte offset of the error, or -1.")
  (result-free "mprof_result_free" :void ((result :unsigned-long))
    "Free RESULT.")
  (terminal-width "mprof_terminal_width" :int ((descriptor :int))
    "Return the width of the terminal DESCRIPTOR in characters: 0 if unknown, -1
if DESCRIPTOR is not a terminal."))

(defun lines (strings)
  "Return STRINGS as lines, for the C side."
  (dolist (string strings)
    (when (find #\Newline string)
      (fail "'~A' is more than one line" string)))
  (octets-of (format nil "~{~A~^~%~}" strings)))

(defun call-with-output (function profile samples arguments)
  "Run the command mprof with ARGUMENTS, strings, on PROFILE, an address or NIL.
Call FUNCTION with the output, and return its values.  The output is UTF-8 in a
base string that is freed when FUNCTION returns.  SAMPLES (a vector of
(UNSIGNED-BYTE 64), or NIL for all) has the numbers of the samples to use, and
one more element that is ignored.  If the command fails, FUNCTION is not called,
and the values are NIL, the exit status (1 failure, 2 wrong usage), an error
message (a string), and a byte offset or NIL."
  (let* ((numbers (and samples (si:make-foreign-data-from-array samples)))
         (result (if profile
                     (run-on profile (lines arguments)
                             (if numbers (si:foreign-data-address numbers) 0)
                             (if numbers (1- (length samples)) 0))
                     (run (lines arguments)))))
    (unwind-protect
         (let ((status (result-status result))
               (offset (result-offset result)))
           (if (eql status 0)
               (funcall function (result-output result))
               (values nil status (string-of (result-error result))
                       (if (minusp offset) nil offset))))
      (result-free result))))

(defun run-command (&rest arguments)
  "Run the command mprof with ARGUMENTS, strings.  Return its output; or NIL and
the other values of CALL-WITH-OUTPUT."
  (call-with-output #'string-of nil nil arguments))
