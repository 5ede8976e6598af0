;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; serve.lisp -- profiles over HTTP, while the program runs.
;;;;
;;;; The server is C code in a Lisp thread, since it prints Lisp names.  The
;;;; thread allocates nothing while it waits and serves, so profiles do not
;;;; include it.  It returns to Lisp to start, stop and reset the profiler.

(in-package #:mprof)

(defvar *server* nil
  "A list (ADDRESS THREAD PID): the server of the C side, the thread that runs
it, and its process, since the child of a fork has no such thread; or NIL.")

(defun do-as-asked (event)
  "Handle EVENT, a request of a client, a number of enum serve_event.  Return
\"\" or an error message."
  (handler-case
      (progn
        (ecase event
          (1 (start-unless-active (or *options* (options 0))))
          (2 (stop))
          (3 (reset)))
        "")
    (error (condition)
      (princ-to-string condition))))

(defun run-server (arguments)
  "Serve until STOP-SERVING.  ARGUMENTS has the address of the server."
  (loop for event = (c:serve-run arguments)
        until (eql event 0)
        do (c:serve-answer (first arguments)
                           (first (c:arguments (do-as-asked event))))))

(defun open-server (port address token)
  "Return the address of a new server, or signal an MPROF-ERROR."
  (let ((missing (c:find-late-functions)))
    (when missing
      (fail "the server library cannot be loaded: ~A" missing)))
  (let ((server (c:serve-open (first (c:arguments (or address "")))
                              port
                              (first (c:arguments (or token ""))))))
    (when (eql server 0)
      (fail "~A" (c:string-of (c:serve-message))))
    server))

(defun serve (&key (port 6060) address token (start t))
  "Serve the profile over HTTP from a separate thread, and return the port.  The
program continues, and is counted, while clients read.

PORT (integer, default 6060): the port to listen on; 0 stands for a free one.
ADDRESS (string, default NIL): the numeric address of the interface to listen
on.  NIL is the loopback interface, which only this machine can reach;
\"0.0.0.0\" stands for all interfaces.
TOKEN (string, default NIL): clients that know it may start, stop and reset the
profiler by a POST with the header \"Authorization: Bearer TOKEN\", or on the
page.
START (boolean, default T): start counting, unless the profiler is already
counting.  For other options, call START first.

   /                     the state, as a page
   /flamegraph           the page of FLAMEGRAPH; ?refresh=5 reloads it
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
    (when (and *server* (eql (third *server*) (ext:getpid)))
      (fail "a server is already running on port ~D; call (mprof:stop-serving)"
            (c:serve-port (first *server*))))
    (let* ((server (open-server port address token))
           (arguments (list server)))
      (setf *server* (list server
                           (mp:process-run-function
                            "mprof server" (lambda () (run-server arguments)))
                           (ext:getpid)))
      (when start
        (start-unless-active (or *options* (options 0))))
      (c:serve-port server))))

(defun stop-serving ()
  "Stop the server.  Return T, or NIL if no server was running.  The profiler
continues counting.

Example: (mprof:stop-serving)  =>  T"
  (destructuring-bind (&optional server thread pid)
      (mp:with-lock (*lock*) (shiftf *server* nil))
    (when (eql pid (ext:getpid))
      (c:serve-stop server)
      (mp:process-join thread)
      (c:serve-close server)
      t)))

(push #'stop-serving si:*exit-hooks*)
