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

(defvar *libraries*
  (let ((folder (ext:getenv "MPROF_LIB"))
        (at-secure 23))
    (if (or (member folder '(nil "") :test #'equal)
            (plusp (si:call-cfun (si:find-foreign-symbol
                                  "getauxval" :default :pointer-void 0)
                                 :unsigned-long '(:unsigned-long)
                                 (list at-secure))))
        "SYS:mprof"
        folder))
  "The folder of the libraries: what the environment variable MPROF_LIB names, if
it is set.  If the program has rights that its caller lacks (AT_SECURE), the
caller must not choose what it loads.")

(defun foreign-function (library c-name)
  "Return the address of the C function C-NAME of LIBRARY, both strings; or NIL."
  (handler-case
      (si:find-foreign-symbol
       c-name (namestring (translate-logical-pathname
                           (format nil "~A/~A" *libraries* library)))
       :pointer-void 0)
    (error (condition)
      (unless *failure*
        (setf *failure* (string-right-trim
                         "." (substitute #\Space #\Newline
                                         (princ-to-string condition)))))
      nil)))

(defun find-late-functions ()
  "Load libmprof-serve.so and its dependencies once, or signal an MPROF-ERROR."
  (let ((*failure* nil))
    (mapc #'funcall *late-functions*)
    (when *failure*
      (fail "cannot load libmprof-serve.so: ~A" *failure*))
    (setf *late-functions* '())))

(defmacro define-foreign-functions (library &body functions)
  "Define FUNCTIONS, each (NAME C-NAME TYPE ARGUMENTS [:WAITS]), as C functions of
LIBRARY that return TYPE.  ARGUMENTS is a list of types, as for SI:CALL-CFUN; or
(&LIST TYPE...): then NAME takes its arguments in a list, and allocates nothing.

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

;;; What a throw out of an interrupt must not separate.  MP:INTERRUPT-PROCESS,
;;; MP:PROCESS-KILL and Ctrl-C run a function at any instruction of a thread, and
;;; this function may throw, as that of a timeout does.  UNWIND-PROTECT alone is
;;; too late: a throw after the step that is to be undone, and before
;;; UNWIND-PROTECT, or at the beginning of its cleanup, leaves things as they are.
;;; So both are done without interrupts.  Errors are signalled with interrupts,
;;; since a handler may run a debugger.

(defmacro protected (enter body leave)
  "Evaluate ENTER, BODY and LEAVE, and return the values of BODY.  However BODY
ends, LEAVE is evaluated if ENTER has been.  Interrupts wait during ENTER and
LEAVE, which must be short and signal no error; BODY is interrupted if the form
itself may be.

This allocates nothing, also in byte-compiled code, where a lexical variable
would be a cons: so *ALLOW-WITH-INTERRUPTS* keeps what BODY gets."
  `(multiple-value-prog1
       (let* ((si:*allow-with-interrupts* si:*interrupts-enabled*)
              (si:*interrupts-enabled* nil))
         ,enter
         (unwind-protect
              (let ((si:*interrupts-enabled* si:*allow-with-interrupts*))
                (when si:*interrupts-enabled*
                  (si::check-pending-interrupts))
                ,body)
           ,leave))
     (when si:*interrupts-enabled*
       (si::check-pending-interrupts))))

(defun take-lock (lock)
  "Take LOCK, for PROTECTED.  An interrupt may throw out of the wait for it."
  (loop until (mp:get-lock lock nil) do (mp:with-interrupts (sleep 1/1000))))

(defmacro with-lock ((lock) &body body)
  "Evaluate BODY while this thread holds LOCK, a variable, and return the values.
MP:WITH-LOCK of ECL 24.5.10 keeps a lock if an interrupt throws as soon as it is
taken."
  `(protected (take-lock ,lock) (progn ,@body) (mp:giveup-lock ,lock)))

;;; Strings

(defun plain-p (string)
  "True if all characters of STRING are ASCII and none is NUL."
  (flet ((plain-p (character) (< 0 (char-code character) 128)))
    (if (typep string 'simple-base-string) ; from the C side, maybe megabytes
        (loop for character across (the simple-base-string string)
              always (plain-p character))
        (loop for c across (the string string) always (plain-p c)))))

(defun utf-8 (code)
  "Return CODE, of a character, in UTF-8: a list of bytes."
  (let ((more (count-if (lambda (least) (<= least code))
                        '(#x80 #x800 #x10000))))
    (cons (logior (svref #(0 #xC0 #xE0 #xF0) more) (ash code (* -6 more)))
          (loop for i from (1- more) downto 0
                collect (logior #x80 (ldb (byte 6 (* 6 i)) code))))))

(defun octets-of (string)
  "Return STRING in UTF-8: a fresh simple base string with one character for
each byte.  NUL, which would end a text in C, becomes U+2400, and half of a
surrogate pair U+FFFD."
  (if (plain-p string)
      (replace (make-string (length string) :element-type 'base-char) string)
      (map 'simple-base-string #'code-char
           (loop for character across string
                 for code = (char-code character)
                 nconc (utf-8 (cond ((zerop code) #x2400)
                                    ((<= #xD800 code #xDFFF) #xFFFD)
                                    (t code)))))))

(defun string-of (octets)
  "Decode OCTETS, a string with one character for each byte of UTF-8.  Return a
fresh string, since ECL turns C strings into Lisp strings without copying them.
A byte that is not UTF-8 becomes U+FFFD."
  (if (plain-p octets)
      (copy-seq octets)
      (let ((octets (coerce octets 'simple-base-string)))
        (declare (type simple-base-string octets))
        (flet ((octet (i)
                 (declare (type fixnum i))
                 (if (< i (length octets)) (char-code (schar octets i)) 0)))
          (with-output-to-string (string)
            (loop with i fixnum = 0
                  while (< i (length octets))
                  do (let* ((code (octet i))
                            (more (if (< code #xC0)
                                      0
                                      (count-if (lambda (least) (<= least code))
                                                '(#xC0 #xE0 #xF0)))))
                       (unless (< code #x80)
                         (setf code (logand code
                                            (svref #(#xFF #x1F #x0F #x07) more)))
                         (loop for j from (1+ i) to (+ i more)
                               do (setf code (logior (ash code 6)
                                                     (logand #x3F (octet j)))))
                         (unless (and (< code char-code-limit)
                                      (not (<= #xD800 code #xDFFF))
                                      (loop for octet in (utf-8 code)
                                            for j from i
                                            always (eql octet (octet j))))
                           (setf code #xFFFD
                                 more 0)))
                       (write-char (code-char code) string)
                       (incf i (1+ more)))))))))

(defun utf-8-p (octets)
  "True if OCTETS, a string with one character for each byte, is valid UTF-8."
  (string= octets (octets-of (string-of octets))))

;;; The monitor: see monitor/monitor.h.  Snapshots are addresses.  What counted
;;; threads call are Lisp functions: a thread's first foreign call allocates.

(define-foreign-functions "libmprof-monitor.so"
  (monitor-start "mprof_monitor_start" :int (:unsigned-long :int))
  (monitor-reset "mprof_monitor_reset" :int ())
  (monitor-map "mprof_monitor_map" :int (&list :cstring))
  (monitor-unmap "mprof_monitor_unmap" :int (:int))
  (monitor-message "mprof_monitor_message" :cstring ())
  (file-access "access" :int (:cstring :int)) ; of the C library, as the next
  (process-fork "fork" :int ())
  (process-exit "_exit" :void (:int))
  (process-kill "kill" :int (:int :int))
  (snapshot-octets "mprof_snapshot_octets" :unsigned-long (:unsigned-long))
  (snapshot-length "mprof_snapshot_length" :unsigned-long (:unsigned-long)))

(loop with maker = (foreign-function "libmprof-monitor.so"
                                     "mprof_monitor_functions")
      for name in '(monitor-stop monitor-counter take-snapshot free-snapshot
                    region-begin region-end region-resume region)
      for function in (and maker (si:call-cfun maker :object '() '()))
      do (setf (fdefinition name)       ; of a list of one argument, or nothing
               (let ((function function))
                 (lambda (&optional arguments)
                   (mp:without-interrupts (funcall function arguments))))))

(defun active-p ()
  "True while the monitor is counting.  Allocates nothing."
  (eql 1 (monitor-counter '(5))))

(defun allocations ()
  "Return the number of allocations counted.  Allocates nothing."
  (monitor-counter '(0)))

(defun bytes ()
  "Return the number of bytes counted.  Allocates nothing."
  (monitor-counter '(1)))

;;; The server: see reduce/serve/lisp.c, server.h and timeline.c.

(define-foreign-functions "libmprof-serve.so"
  (serve-open "mprof_lisp_serve" :unsigned-long (:cstring :unsigned-int))
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
  (timeline-slices "mprof_lisp_timeline_slices" :unsigned-long (:unsigned-long))
  (timeline-close "mprof_lisp_timeline_close" :void (:unsigned-long)))

;;; The reducer: see reduce/mprof.h.  Profiles and results are addresses.

(define-foreign-functions "libmprof-reduce.so"
  (open-octets "mprof_profile_open_octets" :unsigned-long
               (:unsigned-long :unsigned-long :unsigned-long))
  (open-files "mprof_profile_open" :unsigned-long (:cstring))
  (close-profile "mprof_profile_close" :void (&list :unsigned-long))
  (option-kind "mprof_option_kind" :int (:cstring))
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

(defun joined (octets separator)
  "Return the elements of OCTETS, a list of simple base strings, as one, with the
string SEPARATOR between them."
  (reduce (lambda (text more)
            (concatenate 'simple-base-string text separator more))
          octets))

(defun lines (arguments)
  "Return ARGUMENTS, a list of base strings, as lines for the C side."
  (dolist (argument arguments)
    (when (find #\Newline argument)
      (fail "'~A' is more than one line" (string-of argument))))
  (joined arguments (string #\Newline)))

(defun run-command-on (profile samples arguments)
  "Run the command mprof with ARGUMENTS, base strings in UTF-8, on PROFILE, an
address or NIL.  Return its output.  SAMPLES (a vector of (UNSIGNED-BYTE 64), or
NIL for all) has the numbers of the samples to use, and one more element that is
ignored.  If the command fails, the values are NIL, an error message, a byte
offset or NIL, the name of the file that the error is about (octets) or NIL, and
true if this could not be written."
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
         (string-of (result-output result))
         (let ((offset (result-offset result))
               (path (copy-seq (result-path result))))
           (values nil (string-of (result-error result))
                   (if (minusp offset) nil offset)
                   (if (string= path "") nil path)
                   (eql (result-is-of-output result) 1))))
     (result-free result))))

(defun run-command (&rest arguments)
  "Run the command mprof with ARGUMENTS, base strings in UTF-8.  Return its
output; or NIL and the other values of RUN-COMMAND-ON."
  (run-command-on nil nil arguments))
