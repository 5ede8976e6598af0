;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; serve.lisp -- profiles over HTTP, while the program runs.
;;;;
;;;; The server is C code in a Lisp thread, since it prints Lisp names.  The
;;;; thread allocates nothing while it waits and serves, so profiles do not
;;;; include it.  It returns to Lisp to start, stop and reset the profiler.

(in-package #:mprof)

;;; The server and the shipper are workers: lists (ARGUMENTS THREAD PID).
;;; ARGUMENTS has an address in the C library, and PID is the process of THREAD,
;;; since the child of a fork has no such thread.

(defun start-worker (name run open &rest options)
  "Start a worker, a thread called NAME.  It calls RUN with a list of the
address that OPEN, a function of the C library, returns for OPTIONS."
  (find-late-functions)
  (let ((arguments (list (apply open options))))
    (when (eql (first arguments) 0)
      (fail "~A" (string-of (serve-message))))
    (list arguments
          (mp:process-run-function name (lambda () (funcall run arguments)))
          (ext:getpid))))

(defun running (worker)
  "Return the arguments of WORKER, which may be NIL, if it runs in this process;
else NIL."
  (and (eql (third worker) (ext:getpid))
       (first worker)))

(defun end-worker (worker stop)
  "Call STOP with the arguments of WORKER, wait for its thread, and return the
address of WORKER; or NIL if it does not run."
  (let ((arguments (running worker)))
    (when arguments
      (funcall stop arguments)
      (mp:process-join (second worker))
      (first arguments))))

(defun start-counting ()
  "Start counting with the options of the figures in memory, unless the profiler
is already counting."
  (start-unless-active (or *options* (options 0))))

(defvar *server* nil
  "The worker that serves, or NIL.")

(defun run-server (arguments)
  "Serve until STOP-SERVING.  ARGUMENTS has the address of the server.  Answer
requests of clients, numbers of enum serve_event, by \"\" or an error message."
  (loop for event = (serve-run arguments)
        until (eql event 0)
        do (serve-answer (first arguments)
                         (octets-of (handler-case
                                        (ecase event
                                          (1 (start-counting) "")
                                          (2 (stop) "")
                                          (3 (reset) ""))
                                      (error (condition)
                                        (princ-to-string condition)))))))

(defun serve (&key (port 6060) address token (start t))
  "Serve the profile over HTTP from a separate thread, and return the port.

PORT (integer, default 6060): the port to listen on; 0 stands for a free one.
ADDRESS (string, default NIL): the numeric address of the interface to listen
on.  NIL is the loopback interface; \"0.0.0.0\" stands for all interfaces.
TOKEN (string, default NIL): clients that know it may start, stop and reset the
profiler, on the page or by a POST with the header \"Authorization: Bearer
TOKEN\".
START (boolean, default T): start counting, unless the profiler is already
counting.  For other options, call START first.

   /                     the state, as a page
   /flamegraph           a page with a flame graph; ?refresh=5 reloads it
   /debug/pprof/allocs   for pprof: all allocations; ?seconds=10: during these
   /debug/pprof/heap     for pprof: memory in use, with :LIVE; ?gc=1
   /debug/pprof/delta_heap   for pprof: allocations since the last request
   /profile              a file for the command mprof

Signals MPROF-ERROR if the port is in use, or a server is already running.

Example:

   (mprof:serve :port 6060)      ; then, in a shell:
   ;; go tool pprof -top http://localhost:6060/debug/pprof/allocs"
  (check-type port (integer 0 65535))
  (check-type address (or null string))
  (check-type token (or null string))
  (mp:with-lock (*lock*)
    (when (running *server*)
      (fail "a server is already running on port ~D; call (mprof:stop-serving)"
            (serve-port (first (running *server*)))))
    (setf *server* (start-worker "mprof server" #'run-server #'serve-open
                                 (octets-of (or address "")) port
                                 (octets-of (or token ""))))
    (when start
      (start-counting))
    (serve-port (first (running *server*)))))

(defun stop-serving ()
  "Stop the server.  Return T, or NIL if no server was running.  The profiler
continues counting.

Example: (mprof:stop-serving)  =>  T"
  (let ((server (end-worker (mp:with-lock (*lock*) (shiftf *server* nil))
                            #'serve-stop)))
    (when server
      (serve-close server)
      t)))

(push #'stop-serving si:*exit-hooks*)
