;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; serve.lisp -- profiles over HTTP, while the program runs.
;;;;
;;;; The server is C code in a Lisp thread, since it prints Lisp names.  The
;;;; thread allocates nothing, so profiles do not include it.

(in-package #:mprof)

;;; The server and the timeline are workers: lists (ARGUMENTS THREAD PID).
;;; ARGUMENTS has an address in the C library, and PID is the process of THREAD,
;;; since the child of a fork has no such thread.

(defun start-worker (variable name run close open &rest options)
  "Set VARIABLE, a symbol, to a worker, a thread called NAME.  It calls RUN with a
list of the address that OPEN, a function of the C library, returns for OPTIONS.
CLOSE closes this, also that of an earlier worker whose thread was killed."
  (find-late-functions)
  (let* ((arguments (list 0))
         (thread (mp:make-process :name name))
         (worker (list arguments thread (ext:getpid))))
    (mp:process-preset thread run arguments)
    (mp:without-interrupts
      (close-worker variable (symbol-value variable) close)
      (setf (first arguments) (apply open options))
      (unless (eql (first arguments) 0)
        (set variable worker)
        (mp:process-enable thread)))    ; last, since it lets interrupts in
    (when (eql (first arguments) 0)
      (fail "~A" (string-of (serve-message))))))

(defun of-this-process (worker)
  "Return the first element of WORKER, a list or NIL, if the last one is the
number of this process; else NIL."
  (and (eql (first (last worker)) (ext:getpid))
       (first worker)))

(defun running (worker)
  "Return the arguments of WORKER, which may be NIL, if it runs in this process;
else NIL."
  (and (of-this-process worker)
       (mp:process-active-p (second worker))
       (first worker)))

(defun close-worker (variable worker close)
  "Call CLOSE with the address of WORKER, and set VARIABLE to NIL, if that is its
value.  Return true if it was."
  (with-lock (*lock*)
    (mp:without-interrupts
      (let ((arguments (of-this-process worker)))
        (when (and arguments (eq worker (symbol-value variable)))
          (set variable nil)
          (funcall close (first arguments))
          t)))))

(defun end-worker (variable stop close)
  "End the worker that is the value of VARIABLE, by STOP, wait for its thread,
and CLOSE it.  Return true if there was one."
  (let ((worker (symbol-value variable)))
    (when (of-this-process worker)
      (with-lock (*lock*)
        (when (eq worker (symbol-value variable))
          (funcall stop (first worker))))
      (when (mp:process-active-p (second worker))
        (mp:process-join (second worker)))
      (close-worker variable worker close))))

(defvar *server* nil
  "The worker that serves, or NIL.")

(defun serve (&key (port 6060) address (start t))
  "Serve the profile over HTTP from a separate thread, and return the port.

PORT (integer, default 6060): the port to listen on; 0 stands for a free one.
ADDRESS (string, default NIL): the numeric address of the interface to listen
on.  NIL is the loopback interface; \"0.0.0.0\" stands for all interfaces.
START (boolean, default T): start counting, unless the profiler is already
counting.  For other options, call START first.

The paths are /flamegraph, /profile, /debug/pprof/allocs and, with :LIVE,
/debug/pprof/heap; mprof-run(1) describes them.

Signals MPROF-ERROR if the port is in use, or a server is already running.

Example:

   (mprof:serve :port 6060)      ; then, in a shell:
   ;; go tool pprof -top http://localhost:6060/debug/pprof/allocs"
  (check-argument port (integer 0 65535))
  (check-argument address (or null string))
  (with-lock (*lock*)
    (when (running *server*)
      (fail "a server is already running on port ~D; call (mprof:stop-serving)"
            (serve-port (first (running *server*)))))
    (start-worker '*server* "mprof server" #'serve-run #'serve-close
                  #'serve-open (octets-of (or address "")) port)
    (when start
      (start-unless-active (or *counted-with* (options 0))))
    (serve-port (first (of-this-process *server*)))))

(defun stop-serving ()
  "Stop the server.  Return T, or NIL if no server was running.  The profiler
continues counting.

Example: (mprof:stop-serving)  =>  T"
  (end-worker '*server* #'serve-stop #'serve-close))

(push #'stop-serving si:*exit-hooks*)
