;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; ship.lisp -- differences of profiles to an engine for many programs.
;;;;
;;;; The shipper is C code in a Lisp thread, since names of Lisp are printed.
;;;; The thread allocates nothing while it waits and ships, and so is in no
;;;; profile.

(in-package #:mprof)

(defvar *shipper* nil
  "A list ((ADDRESS) THREAD PID): the C side's shipper, the thread that runs it,
and in which process, for the child of a fork has no such thread; or NIL.")

(defparameter *ship-counts*
  '(:allocations :bytes :requests :octets :failures :missed
    :dropped-allocations :dropped-bytes :dropped-parts)
  "What the C side counts, in its order.")

(defun running-shipper ()
  "A list with the address of this process's shipper, or NIL."
  (destructuring-bind (&optional shipper thread pid) *shipper*
    (declare (ignore thread))
    (when (eql pid (ext:getpid))
      shipper)))

(defun label-lines (labels)
  "LABELS, a property list, as a line NAME=VALUE for each."
  (format nil "~{~A=~A~%~}"
          (loop for (name value) on labels by #'cddr
                collect (substitute #\_ #\- (string-downcase name))
                collect value)))

(defun program-name ()
  "The name of the program that runs, as the name of a service may be."
  (substitute-if #\_ (lambda (character)
                       (not (or (find character "_.-")
                                (and (< (char-code character) 128)
                                     (alphanumericp character)))))
                 (or (pathname-name (ext:argv 0)) "ecl")))

(defun open-shipper (url protocol service labels every)
  "The address of a shipper; signals an MPROF-ERROR when there is none."
  (let ((missing (c:find-late-functions)))
    (when missing
      (fail "the library that ships cannot be loaded: ~A" missing)))
  (flet ((octets (string) (first (c:arguments (or string "")))))
    (let ((shipper (c:ship-open (octets url)
                                (octets (and protocol
                                             (string-downcase protocol)))
                                (octets (or service (program-name)))
                                (octets (label-lines labels))
                                (ceiling (* every 1000)))))
      (when (eql shipper 0)
        (fail "~A" (c:string-of (c:ship-message 0))))
      shipper)))

(defun ship (url &key (every 15) service labels protocol (start t))
  "Ship what is allocated to an engine for profiles of many programs, again and
again, from a thread of its own, and give back T.  STOP-SHIPPING ends it, as
does the end of the program; both ship what there is.

URL (string): where to.  Its path says the protocol: .../ingest for Pyroscope,
.../profiles/writeraw for Parca, .../v1/pprof for an OpenTelemetry collector.
EVERY (real > 0, default 15): seconds between two differences.
SERVICE (string, default NIL): the name of the program; NIL for that of its file.
LABELS (property list, default NIL): names and values that tell the program from
others of its kind, such as (:version \"1.2\" :host \"web1\"); the host is added.
PROTOCOL (:PYROSCOPE, :PARCA or :OTEL, default NIL): where URL does not say it.
START (boolean, default T): begin to count, unless the profiler counts already.
For other options call START before; with :LIVE also what is in use is shipped.

What does not arrive is sent again with what comes after; RESET has it shipped
first.  A token is in the environment variable MPROF_SHIP_TOKEN; see mprof-run(1).

Signals MPROF-ERROR for a URL or labels that cannot be, or when a shipper runs.

Example:

   (mprof:ship \"http://pyroscope:4040/ingest\" :service \"shop\")"
  (check-type url string)
  (check-type every (real (0) 1000000))
  (check-type service (or null string))
  (check-type protocol (member nil :pyroscope :parca :otel))
  (check-type labels list)
  (mp:with-lock (*lock*)
    (when (running-shipper)
      (fail "it is being shipped already; call (mprof:stop-shipping)"))
    (let ((arguments (list (open-shipper url protocol service labels every))))
      (setf *shipper* (list arguments
                            (mp:process-run-function
                             "mprof shipper" (lambda () (c:ship-run arguments)))
                            (ext:getpid)))
      (when start
        (start-unless-active (or *options* (options 0))))
      t)))

(defun ship-before-reset ()
  "Have what is there noted by the shipper, before it is forgotten."
  (let ((shipper (running-shipper)))
    (when shipper
      (c:ship-note shipper))))

(setf *before-reset* #'ship-before-reset)

(defun stop-shipping ()
  "Ship what there is, for some seconds at most, and end the thread that does it.
Gives back NIL when there is none, else a property list, and T unless something
had to be dropped:

:ALLOCATIONS and :BYTES (integers): that arrived.
:REQUESTS, :OCTETS: in how many requests, and bytes, compressed.
:FAILURES: requests that did not arrive, and were sent again.
:MISSED: of these, how many had no answer, and may have arrived.
:DROPPED-ALLOCATIONS, :DROPPED-BYTES, :DROPPED-PARTS: what did not arrive.

The profiler counts on.

Example: (getf (mprof:stop-shipping) :dropped-bytes)  =>  0"
  (destructuring-bind (&optional arguments thread pid)
      (mp:with-lock (*lock*) (shiftf *shipper* nil))
    (when (eql pid (ext:getpid))
      (c:ship-stop arguments)
      (mp:process-join thread)
      (c:ship-run arguments)            ; QUIT has killed that thread
      (let* ((shipper (first arguments))
             (counts (loop for name in *ship-counts*
                           for i from 0
                           collect name
                           collect (c:ship-count shipper i)))
             (summary (c:string-of (c:ship-message shipper))))
        (c:ship-close shipper)
        (unless (eql 0 (getf counts :dropped-parts))
          (format *error-output* "~&mprof: ~A~%" summary))
        (values counts (eql 0 (getf counts :dropped-parts)))))))

(push #'stop-shipping si:*exit-hooks*)
