;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; serve.lisp -- profiles over HTTP, while the program runs.
;;;;
;;;; The server is C code in a Lisp thread, since names of Lisp are printed.
;;;; The thread allocates nothing while it waits and serves, and so is in no
;;;; profile; it comes back to Lisp for what starts, stops and resets.

(in-package #:mprof)

(defvar *server* nil
  "A list (ADDRESS THREAD PID): the C side's server, the thread that runs it, and
in which process, for the child of a fork has no such thread; or NIL.")

(defun do-as-asked (event)
  "Do what a client of the server has asked for, a number of enum serve_event.
\"\", or why it was not done."
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
  "Serve until STOP-SERVING.  The one of ARGUMENTS is the server."
  (loop for event = (c:serve-run arguments)
        until (eql event 0)
        do (c:serve-answer (first arguments)
                           (first (c:arguments (do-as-asked event))))))

(defun open-server (port address token)
  "The address of a server; signals an MPROF-ERROR when there is none."
  (let ((missing (c:find-late-functions)))
    (when missing
      (fail "the library that serves cannot be loaded: ~A" missing)))
  (let ((server (c:serve-open (first (c:arguments (or address "")))
                              port
                              (first (c:arguments (or token ""))))))
    (when (eql server 0)
      (fail "~A" (c:string-of (c:serve-message))))
    server))

(defun serve (&key (port 6060) address token (start t))
  "Serve what is counted over HTTP, from a thread of its own, and give back the
port.  The program runs on, and counts on while somebody reads.

PORT (integer, default 6060; 0 for one that is free): where to listen.
ADDRESS (string, default NIL): of the interface to listen to, in numbers; NIL is
the loopback, so that only this machine can ask.  \"0.0.0.0\" is everybody.
TOKEN (string, default NIL): who knows it may start, stop and reset the profiler
by a POST with the header \"Authorization: Bearer TOKEN\", or on the page.
START (boolean, default T): begin to count, unless the profiler counts already.
For other options call START before.

   /                     the state, for people
   /flamegraph           the page of FLAMEGRAPH; ?refresh=5 again and again
   /debug/pprof/allocs   for pprof: what was allocated; ?seconds=10: meanwhile
   /debug/pprof/heap     what is in use, counted with :LIVE; ?gc=1
   /debug/pprof/delta_heap   what was allocated since it was asked last
   /profile              a file for the command mprof

Signals MPROF-ERROR when the port is in use, or a server runs already.

Example:

   (mprof:serve :port 6060)      ; then, in a shell:
   ;; go tool pprof -top http://localhost:6060/debug/pprof/allocs"
  (check-type port (integer 0 65535))
  (check-type address (or null string))
  (check-type token (or null string))
  (mp:with-lock (*lock*)
    (when (and *server* (eql (third *server*) (ext:getpid)))
      (fail "a server runs already, at port ~D; call (mprof:stop-serving)"
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
  "End the server, and give back T, or NIL when there is none.  The profiler
counts on.

Example: (mprof:stop-serving)  =>  T"
  (destructuring-bind (&optional server thread pid)
      (mp:with-lock (*lock*) (shiftf *server* nil))
    (when (eql pid (ext:getpid))
      (c:serve-stop server)
      (mp:process-join thread)
      (c:serve-close server)
      t)))

(push #'stop-serving si:*exit-hooks*)
