;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; bindings.lisp -- the C functions of monitor.h and reduce/mprof.h.
;;;;
;;;; The addresses are looked up when this file is loaded; FAILURE says whether
;;;; that went well.  Strings cross as UTF-8, pointers as integers, which are
;;;; fixnums.  What runs while the program is counted allocates nothing: its
;;;; list of arguments is made beforehand.

(in-package #:mprof.bindings)

(defvar *failure* nil
  "Why a C function was not found first, a string; or NIL.")

(defun failure ()
  "Why the C libraries cannot be used, a string; NIL when they can."
  *failure*)

(defun library-file (c-name)
  "The file of the C library that has the function C-NAME, a string: in the
folder that the environment variable MPROF_LIB names, else in SYS:mprof/."
  (let ((folder (ext:getenv "MPROF_LIB"))
        (file (cond ((or (search "mprof_monitor" c-name)
                         (search "mprof_snapshot" c-name))
                     "libmprof-monitor.so")
                    ((or (search "mprof_server" c-name)
                         (search "mprof_ship" c-name)
                         (search "mprof_lisp" c-name))
                     "libmprof-serve.so")
                    (t "libmprof-reduce.so"))))
    (if (and folder (string/= folder ""))
        (format nil "~A/~A" (string-right-trim "/" folder) file)
        (namestring (translate-logical-pathname
                     (format nil "SYS:mprof/~A" file))))))

(defun foreign-function (c-name)
  "The address of the C function C-NAME, a string; or NIL."
  #-(and dffi dlopen)
  (setf *failure* "this ECL was built without dynamic foreign calls")
  #+(and dffi dlopen)
  (handler-case
      (si:find-foreign-symbol c-name (library-file c-name) :pointer-void 0)
    (error (condition)
      (unless *failure*
        (setf *failure* (string-right-trim
                         "." (substitute #\Space #\Newline
                                         (princ-to-string condition)))))
      nil)))

(defvar *late-functions* '()
  "Functions that find a C function that is not needed by all.")

(defun late-p (c-name)
  "True when the library of the C function C-NAME brings others with it, and is
loaded when it is needed."
  (search "libmprof-serve" (library-file c-name)))

(defun find-when-due (c-name found)
  "Call FOUND with the address of the C function C-NAME, now or later."
  (flet ((look () (funcall found (foreign-function c-name))))
    (if (late-p c-name)
        (push #'look *late-functions*)
        (look))))

(defun find-late-functions ()
  "Load libmprof-serve.so and what it needs, once.  NIL, or why not, a string."
  (let ((*failure* nil))
    (mapc #'funcall *late-functions*)
    (unless *failure*
      (setf *late-functions* '()))
    *failure*))

(defmacro define-foreign-functions (&body functions)
  "Define FUNCTIONS, each (NAME C-NAME TYPE ARGUMENTS DOCUMENTATION), as C
functions that give back TYPE.  ARGUMENTS is a list of (VARIABLE TYPE), types
being those of SI:CALL-CFUN; or (&LIST VARIABLE TYPE...): then NAME takes its
arguments in a list, and allocates nothing, as it does without arguments.
See FIND-LATE-FUNCTIONS for those of libmprof-serve.so."
  `(progn
     ,@(loop for (name c-name type arguments documentation) in functions
             for listed = (eq (first arguments) '&list)
             for variables = (if listed
                                 (list (second arguments))
                                 (mapcar #'first arguments))
             collect `(let ((pointer nil))
                        (find-when-due ,c-name
                                       (lambda (found) (setf pointer found)))
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
  "STRING in UTF-8, as a base string with a character for each byte."
  (if (ascii-p string)
      (coerce string 'base-string)
      (let ((octets (make-array 0 :element-type '(unsigned-byte 8)
                                  :adjustable t :fill-pointer t)))
        (with-open-stream (stream (ext:make-sequence-output-stream
                                   octets :external-format :utf-8))
          (write-string string stream))
        (map 'base-string #'code-char octets))))

(defun ascii-p (string)
  "True when STRING is its own UTF-8."
  (flet ((ascii-p (character) (< (char-code character) 128)))
    (if (typep string 'simple-base-string) ; from the C side, maybe megabytes
        (loop for character across (the simple-base-string string)
              always (ascii-p character))
        (every #'ascii-p string))))

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

(defun arguments (name &rest more)
  "The list of arguments of a function that takes NAME, a string, in one; and
MORE."
  (cons (octets-of name) more))

;;; The monitor

(define-foreign-functions
  (monitor-start "mprof_monitor_start" :int
      ((contexts :unsigned-long) (options :int))
    "Begin to count; CONTEXTS at most (0: the default), OPTIONS the sum of 1
(keep recursion unfolded), 2 (walk whole stacks), 4 (follow objects until they
are dead) and 16 (tell calls in one line apart).  A status, 0 for done.")
  (monitor-stop "mprof_monitor_stop" :int ()
    "Stop counting.  A status, 0 for done.")
  (monitor-reset "mprof_monitor_reset" :int ()
    "Forget all figures.  A status, 0 for done.")
  (monitor-write "mprof_monitor_write" :int (&list arguments :cstring :int)
    "Write the profile to the file of which the first of ARGUMENTS was made; the
second is 1 to collect garbage first, 2 to find out then who holds what is
alive, or 0.  A status.")
  (autosave-every "mprof_monitor_autosave_every" :int
      ((milliseconds :unsigned-long))
    "Save every so many MILLISECONDS; 0 ends AUTOSAVE.")
  (autosave "mprof_monitor_autosave" :int (&list arguments :cstring)
    "Wait, save to the file of which ARGUMENTS were made, and so on till then.")
  (monitor-map "mprof_monitor_map" :int (&list arguments :cstring)
    "Count in the file of which ARGUMENTS were made, mapped.  A status.")
  (monitor-unmap "mprof_monitor_unmap" :int ((keep :int))
    "Take that file away, unless KEEP is 1.  A status.")
  (autoname "mprof_monitor_autoname" :int ()
    "Wait, put names into that file, and so on till then.")
  (message "mprof_monitor_message" :cstring ()
    "What went wrong in the last call that failed, in the C library's memory.")
  (monitor-counter "mprof_monitor_counter" :unsigned-long-long
      (&list arguments :int)
    "The counter whose number in monitor.h is in ARGUMENTS.")
  (region-begin "mprof_monitor_region_begin" :int (&list arguments :cstring)
    "Enter the region of whose name ARGUMENTS were made.")
  (region-end "mprof_monitor_region_end" :int ()
    "Leave the innermost region.")
  (take-snapshot "mprof_monitor_snapshot" :unsigned-long (&list arguments :int)
    "The address of a snapshot of all figures, or 0; the one of ARGUMENTS is the
second of MONITOR-WRITE.")
  (free-snapshot "mprof_snapshot_free" :void (&list arguments :unsigned-long)
    "Free the snapshot whose address is in ARGUMENTS.")
  (snapshot-octets "mprof_snapshot_octets" :unsigned-long
      ((snapshot :unsigned-long))
    "The address of what is in SNAPSHOT.")
  (snapshot-length "mprof_snapshot_length" :unsigned-long
      ((snapshot :unsigned-long))
    "How many bytes are in SNAPSHOT."))

;;; The server

(define-foreign-functions
  (serve-open "mprof_lisp_serve" :unsigned-long
      ((address :cstring) (port :unsigned-int) (token :cstring))
    "The address of a server that listens to PORT (0: a free one) of ADDRESS
(\"\": the loopback), or 0; who has TOKEN may start, stop and reset.")
  (serve-message "mprof_lisp_serve_message" :cstring ()
    "Why that was 0.")
  (serve-port "mprof_server_port" :unsigned-int ((server :unsigned-long))
    "The port that SERVER listens to.")
  (serve-run "mprof_server_run" :int (&list arguments :unsigned-long)
    "Serve until there is something to do, a number of enum serve_event; the one
of ARGUMENTS is the server's address.")
  (serve-answer "mprof_server_answer" :void
      ((server :unsigned-long) (message :cstring))
    "It was done, or MESSAGE says why not.")
  (serve-stop "mprof_server_stop" :void ((server :unsigned-long))
    "Have SERVE-RUN give back 0.")
  (serve-close "mprof_server_close" :void ((server :unsigned-long))
    "Nobody runs it any more."))

;;; The shipper

(define-foreign-functions
  (ship-open "mprof_lisp_ship" :unsigned-long
      ((url :cstring) (protocol :cstring) (service :cstring) (labels :cstring)
       (milliseconds :unsigned-long))
    "The address of a shipper to URL every so many MILLISECONDS, or 0; LABELS are
lines NAME=VALUE.")
  (ship-message "mprof_lisp_ship_message" :cstring ((shipper :unsigned-long))
    "Why that was 0, for SHIPPER 0, else what has become of it.")
  (ship-run "mprof_ship_run" :void (&list arguments :unsigned-long)
    "Ship until SHIP-STOP, and what there is then; the one of ARGUMENTS is the
shipper's address.")
  (ship-note "mprof_ship_note" :void (&list arguments :unsigned-long)
    "Have a snapshot taken that the shipper keeps.")
  (ship-stop "mprof_ship_stop" :void (&list arguments :unsigned-long)
    "Have SHIP-RUN end.")
  (ship-count "mprof_lisp_ship_count" :unsigned-long-long
      ((shipper :unsigned-long) (which :int))
    "The count WHICH of struct ship_counts.")
  (ship-close "mprof_ship_close" :void ((shipper :unsigned-long))
    "Nobody runs it any more."))

(defun monitor-message ()
  "What went wrong in the last call of this thread that failed."
  (string-of (message)))

(defun monitor-active-p ()
  "True while the monitor counts.  Allocates nothing."
  (eql 1 (monitor-counter '(5))))

(defun monitor-allocations ()
  "How many allocations the monitor has counted.  Allocates nothing."
  (monitor-counter '(0)))

(defun monitor-bytes ()
  "How many bytes the monitor has counted.  Allocates nothing."
  (monitor-counter '(1)))

;;; The reducer

(define-foreign-functions
  (open-octets "mprof_profile_open_octets" :unsigned-long
      ((octets :unsigned-long) (length :unsigned-long))
    "The address of a profile of LENGTH bytes at OCTETS, or 0.")
  (open-names "mprof_profile_open" :unsigned-long ((names :cstring))
    "The address of a profile of the files NAMES, one a line; or 0.")
  (close-profile "mprof_profile_close" :void (&list arguments :unsigned-long)
    "Close the profile whose address is in ARGUMENTS.")
  (run "mprof_run_command" :unsigned-long ((arguments :cstring))
    "Run the command line ARGUMENTS, one a line; a result to be freed.")
  (run-on "mprof_profile_command" :unsigned-long
      ((profile :unsigned-long) (arguments :cstring)
       (samples :unsigned-long) (count :uint64-t))
    "The same on PROFILE; of it those COUNT samples count whose numbers are at
the address SAMPLES, if that is not 0.")
  (result-status "mprof_result_status" :int ((result :unsigned-long))
    "The exit status of RESULT: 0 done, 1 failed, 2 usage.")
  (result-output "mprof_result_output" :cstring ((result :unsigned-long))
    "What RESULT's command printed, in memory that lives as long as RESULT.")
  (result-error "mprof_result_error" :cstring ((result :unsigned-long))
    "What went wrong, in memory that lives as long as RESULT.")
  (result-offset "mprof_result_offset" :int64-t ((result :unsigned-long))
    "The byte offset that the error names, or -1.")
  (result-free "mprof_result_free" :void ((result :unsigned-long))
    "Free RESULT.")
  (terminal-width "mprof_terminal_width" :int ((descriptor :int))
    "How many characters a line of the terminal DESCRIPTOR has; 0 when it does
not say, -1 when it is no terminal."))

(defun open-snapshot (snapshot)
  "The address of a profile, made of SNAPSHOT, which stays as it is; or 0."
  (open-octets (snapshot-octets snapshot) (snapshot-length snapshot)))

(defun open-files (names)
  "The address of a profile of the files NAMES, a list of strings; or 0.  What
cannot be read is said by the commands that are run on it."
  (open-names (octets-of (format nil "~{~A~^~%~}" names))))

(defun call-with-output (function profile samples &rest arguments)
  "Run the command mprof with ARGUMENTS, strings without newlines, on PROFILE,
an address or NIL, and call FUNCTION with what it printed, in UTF-8: a base
string that is gone when FUNCTION returns, which gives back the values.  SAMPLES
(a vector of (UNSIGNED-BYTE 64), or NIL for all): the numbers of the samples
that count, and one more element that does not matter.  When the command fails
FUNCTION is not called, and the values are NIL, the exit status (1 failed, 2
usage), what went wrong (a string), and a byte offset or NIL."
  (let* ((line (octets-of (format nil "~{~A~^~%~}" arguments)))
         (numbers (and samples (si:make-foreign-data-from-array samples)))
         (result (if profile
                     (run-on profile line
                             (if numbers (si:foreign-data-address numbers) 0)
                             (if numbers (1- (length samples)) 0))
                     (run line))))
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
      (apply #'call-with-output #'string-of nil nil arguments)
    (if output
        (values 0 output "" nil)
        (values status "" message offset))))
