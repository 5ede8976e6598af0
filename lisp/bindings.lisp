;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; bindings.lisp -- the C functions behind mprof: the monitor counts; the
;;;; reducer reads profiles and prints tables; the server sends them.  ECL's
;;;; dynamic foreign function interface needs no C compiler.
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

(defun variable-folder ()
  "Return the folder that the environment variable MPROF_LIB names, a string; NIL
if it names none, or if the program has rights that its caller lacks (AT_SECURE):
then the caller must not choose what it loads."
  #+(and dffi dlopen)
  (let ((folder (ext:getenv "MPROF_LIB"))
        (at-secure 23))
    (unless (or (member folder '(nil "") :test #'equal)
                (plusp (si:call-cfun (si:find-foreign-symbol
                                      "getauxval" :default :pointer-void 0)
                                     :unsigned-long '(:unsigned-long)
                                     (list at-secure))))
      (string-right-trim "/" folder))))

(defun foreign-function (library c-name)
  "Return the address of the C function C-NAME of LIBRARY, both strings; or NIL.
The library is in the folder named by the environment variable MPROF_LIB, or
else in SYS:mprof/."
  #-(and dffi dlopen)
  (setf *failure* "this ECL was built without dynamic foreign calls")
  #+(and dffi dlopen)
  (handler-case
      (let ((folder (variable-folder)))
        (si:find-foreign-symbol
         c-name (if folder
                    (format nil "~A/~A" folder library)
                    (namestring (translate-logical-pathname
                                 (format nil "SYS:mprof/~A" library))))
         :pointer-void 0))
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
  "Define FUNCTIONS, each (NAME C-NAME TYPE ARGUMENTS [:WAITS]), as C functions of
LIBRARY that return TYPE.  ARGUMENTS is a list of types, as for SI:CALL-CFUN; or
(&LIST TYPE...): then NAME takes its arguments in a list.  Functions with &LIST
or without arguments allocate nothing.

An interrupt waits until the function returns, since a handler that throws would
leave malloc, or a lock of the library, locked for the whole process, and one
that calls C would replace the arguments.  Finalizers close profiles, so this
concerns every thread.  Functions with :WAITS, which threads of their own call,
block signals themselves, but for the time that they wait."
  `(progn
     ,@(loop for (name c-name type types waits) in functions
             for listed = (eq (first types) '&list)
             for variables = (loop for nil in (if listed '(arguments) types)
                                   collect (gensym "ARGUMENT"))
             for look = `(setf pointer (foreign-function ,library ,c-name))
             collect `(let ((pointer nil))
                        ,(if (string= library "libmprof-serve.so")
                             `(push (lambda () ,look) *late-functions*)
                             look)
                        (defun ,name ,variables
                          (,@(if waits
                                 '(progn (si::check-pending-interrupts))
                                 '(mp:without-interrupts))
                           (si:call-cfun pointer ,type ',(remove '&list types)
                                         ,(cond (listed (first variables))
                                                (variables
                                                 `(list ,@variables))))))))))

;;; Strings

(defun plain-p (string)
  "True if all characters of STRING are ASCII and none is NUL."
  (flet ((plain-p (character) (< 0 (char-code character) 128)))
    (if (typep string 'simple-base-string) ; from the C side, maybe megabytes
        (loop for character across (the simple-base-string string)
              always (plain-p character))
        (loop for c across (the string string) always (plain-p c)))))

(defun octets-of (string)
  "Return STRING in UTF-8: a fresh simple base string with one character for
each byte.  NUL, which would end a text in C, becomes U+2400, and half of a
surrogate pair U+FFFD."
  (if (plain-p string)
      (replace (make-string (length string) :element-type 'base-char) string)
      (let ((octets '()))
        (loop for character across string
              for code = (let ((code (char-code character)))
                           (cond ((zerop code) #x2400)
                                 ((<= #xD800 code #xDFFF) #xFFFD)
                                 (t code)))
              for more = (cond ((< code #x80) 0)
                               ((< code #x800) 1)
                               ((< code #x10000) 2)
                               (t 3))
              do (push (logior (svref #(0 #xC0 #xE0 #xF0) more)
                               (ash code (* -6 more)))
                       octets)
                 (loop for i from (1- more) downto 0
                       do (push (logior #x80 (ldb (byte 6 (* 6 i)) code))
                                octets)))
        (map 'simple-base-string #'code-char (nreverse octets)))))

(defun next-character (octets start)
  "Return the code of the character in OCTETS, UTF-8 in a simple base string,
whose first byte is at START, and its number of bytes.  If no valid character
begins there, return #xFFFD and 1."
  (declare (type simple-base-string octets) (type fixnum start))
  (let* ((first (char-code (schar octets start)))
         (more (cond ((< first #x80) 0)
                     ((<= #xC2 first #xDF) 1)
                     ((<= #xE0 first #xEF) 2)
                     ((<= #xF0 first #xF4) 3)
                     (t -1)))
         (end (+ start more 1))
         (code (logand first (svref #(#x7F #x1F #x0F #x07 0) (mod more 5)))))
    (declare (type fixnum first more end code))
    (cond ((zerop more) (values first 1))
          ((and (plusp more)
                (<= end (length octets))
                (loop for i of-type fixnum from (1+ start) below end
                      for octet of-type fixnum = (char-code (schar octets i))
                      always (= #x80 (logand octet #xC0))
                      do (setf code (logior (ash code 6)
                                            (logand octet #x3F))))
                (<= (svref #(0 #x80 #x800 #x10000) more) code #x10FFFF)
                (not (<= #xD800 code #xDFFF)))
           (values code (1+ more)))
          (t (values #xFFFD 1)))))

(defun string-of (octets)
  "Decode OCTETS, a string with one character for each byte of UTF-8.  Return a
fresh string, since ECL turns C strings into Lisp strings without copying them.
A byte that is not UTF-8 becomes U+FFFD."
  (if (plain-p octets)
      (copy-seq octets)
      (let ((octets (coerce octets 'simple-base-string))
            (i 0))
        (with-output-to-string (string)
          (loop while (< i (length octets))
                do (multiple-value-bind (code count)
                       (next-character octets i)
                     (write-char (code-char code) string)
                     (incf i count)))))))

(defun utf-8-p (octets)
  "True if OCTETS, a string with one character for each byte, is valid UTF-8."
  (string= octets (octets-of (string-of octets))))

;;; The monitor: see monitor/monitor.h.  Snapshots are addresses.

(define-foreign-functions "libmprof-monitor.so"
  (monitor-start "mprof_monitor_start" :int (:unsigned-long :int))
  (monitor-stop "mprof_monitor_stop" :int ())
  (monitor-reset "mprof_monitor_reset" :int ())
  (monitor-map "mprof_monitor_map" :int (&list :cstring))
  (monitor-unmap "mprof_monitor_unmap" :int (:int))
  (monitor-message "mprof_monitor_message" :cstring ())
  (file-access "access" :int (:cstring :int)) ; of the C library, as the next
  (process-fork "fork" :int ())
  (process-exit "_exit" :void (:int))
  (process-kill "kill" :int (:int :int))
  (monitor-counter "mprof_monitor_counter" :unsigned-long-long (&list :int))
  (region-begin "mprof_monitor_region_begin" :int (&list :cstring))
  (region-end "mprof_monitor_region_end" :int ())
  (region "mprof_monitor_region" :int ())
  (region-resume "mprof_monitor_region_resume" :int (:int))
  (take-snapshot "mprof_monitor_snapshot" :unsigned-long (&list :int))
  (free-snapshot "mprof_snapshot_free" :void (&list :unsigned-long))
  (snapshot-octets "mprof_snapshot_octets" :unsigned-long (:unsigned-long))
  (snapshot-length "mprof_snapshot_length" :unsigned-long (:unsigned-long)))

(defun active-p ()
  "True while the monitor is counting.  Allocates nothing."
  (eql 1 (monitor-counter '(5))))

(defun allocations ()
  "Return the number of allocations counted.  Allocates nothing."
  (monitor-counter '(0)))

(defun bytes ()
  "Return the number of bytes counted.  Allocates nothing."
  (monitor-counter '(1)))

;;; The server: see reduce/serve/lisp.c, server.h and timeline.c.  Servers are
;;; addresses.

(define-foreign-functions "libmprof-serve.so"
  (serve-open "mprof_lisp_serve" :unsigned-long
              (:cstring :unsigned-int))
  (serve-message "mprof_lisp_message" :cstring ())
  (serve-port "mprof_server_port" :unsigned-int (:unsigned-long))
  (serve-run "mprof_server_run" :void (&list :unsigned-long) :waits)
  (serve-stop "mprof_server_stop" :void (&list :unsigned-long))
  (serve-close "mprof_server_close" :void (:unsigned-long))
  (timeline-open "mprof_lisp_timeline_open" :unsigned-long (:unsigned-long))
  (timeline-run "mprof_lisp_timeline_run" :void (&list :unsigned-long) :waits)
  (timeline-await "mprof_lisp_timeline_await" :void (&list :unsigned-long)
                  :waits)
  (timeline-stop "mprof_lisp_timeline_stop" :void (&list :unsigned-long))
  (timeline-slices "mprof_lisp_timeline_slices" :unsigned-long
                   (:unsigned-long))
  (timeline-close "mprof_lisp_timeline_close" :void (:unsigned-long)))

;;; The reducer: see reduce/mprof.h.  Profiles and results are addresses.

(define-foreign-functions "libmprof-reduce.so"
  (open-octets "mprof_profile_open_octets" :unsigned-long
               (:unsigned-long :unsigned-long :unsigned-long))
  (open-files "mprof_profile_open" :unsigned-long (:cstring))
  (close-profile "mprof_profile_close" :void (&list :unsigned-long))
  (option-selects "mprof_option_selects" :int (:cstring))
  (run "mprof_run_command" :unsigned-long (:cstring))
  (run-on "mprof_profile_command" :unsigned-long
          (:unsigned-long :unsigned-long :cstring :unsigned-long :uint64-t))
  (result-status "mprof_result_status" :int (:unsigned-long))
  (result-output "mprof_result_output" :cstring (:unsigned-long))
  (result-error "mprof_result_error" :cstring (:unsigned-long))
  (result-offset "mprof_result_offset" :int64-t (:unsigned-long))
  (result-path "mprof_result_path" :cstring (:unsigned-long))
  (result-is-of-output "mprof_result_is_of_output" :int (:unsigned-long))
  (result-free "mprof_result_free" :void (:unsigned-long))
  (terminal-width "mprof_terminal_width" :int (:int)))

(defun joined (octets &optional separator)
  "Return the elements of OCTETS, a list of base strings, as one, with the
character SEPARATOR between them unless that is NIL."
  (coerce (with-output-to-string (stream)
            (loop for (element . more) on octets
                  do (write-string element stream)
                     (when (and more separator)
                       (write-char separator stream))))
          'simple-base-string))

(defun lines (arguments)
  "Return ARGUMENTS, a list of base strings, as lines for the C side."
  (dolist (argument arguments)
    (when (find #\Newline argument)
      (fail "'~A' is more than one line" (string-of argument))))
  (joined arguments #\Newline))

(defun call-with-output (function profile samples arguments)
  "Run the command mprof with ARGUMENTS, base strings in UTF-8, on PROFILE, an
address or NIL.  Call FUNCTION with the output, and return its values.  The
output is UTF-8 in a base string that is freed when FUNCTION returns.  SAMPLES
(a vector of (UNSIGNED-BYTE 64), or NIL for all) has the numbers of the samples
to use, and one more element that is ignored.  If the command fails, FUNCTION is
not called, and the values are NIL, an error message (a string), a byte offset
or NIL, the name of the file that the error is about (octets) or NIL, and true
if this could not be written."
  (let ((numbers (and samples (si:make-foreign-data-from-array samples)))
        (lines (lines arguments))
        (result 0))
    (protected
     (setf result
           (if profile
               (run-on profile 0 lines
                       (if numbers (si:foreign-data-address numbers) 0)
                       (if numbers (1- (length samples)) 0))
               (run lines)))
     (if (eql (result-status result) 0)
         (funcall function (result-output result))
         (let ((offset (result-offset result))
               (path (copy-seq (result-path result))))
           (values nil (string-of (result-error result))
                   (if (minusp offset) nil offset)
                   (if (string= path "") nil path)
                   (eql (result-is-of-output result) 1))))
     (result-free result))))

(defun run-command (&rest arguments)
  "Run the command mprof with ARGUMENTS, base strings in UTF-8.  Return its
output; or NIL and the other values of CALL-WITH-OUTPUT."
  (call-with-output #'string-of nil nil arguments))
