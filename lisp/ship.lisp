;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; ship.lisp -- send differences of profiles to a profile server.
;;;;
;;;; The shipper is C code in a Lisp thread, since it prints Lisp names.  The
;;;; thread allocates nothing while it waits and ships, so profiles do not
;;;; include it.

(in-package #:mprof)

(defvar *shipper* nil
  "The worker that ships, or NIL.")

(defun label-lines (labels)
  "Return LABELS, a property list, as the C side reads it, with the name of the
program's file as the service unless they name it."
  (format nil "~{~A=~A~%~}"
          (loop for (name value)
                  on (if (getf labels :service-name)
                         labels
                         (list* :service-name (pathname-name (ext:argv 0))
                                labels))
                by #'cddr
                collect (substitute #\_ #\- (string-downcase name))
                collect value)))

(defun ship (url &key (every 15) labels (start t))
  "Send what was allocated to a profile server at regular intervals, from a
separate thread, and return T.  STOP-SHIPPING and the end of the program send
the rest and end the thread.

URL (string): the address of the server.  Its path determines the protocol:
.../ingest for Pyroscope, .../profiles/writeraw for Parca, .../v1/pprof for an
OpenTelemetry collector.  `parca+http://...' and the like name it otherwise.
EVERY (real > 0, default 15): the interval in seconds.
LABELS (property list, default NIL): names and values that identify the program,
such as (:version \"1.2\"); the :HOST is added, and as the :SERVICE-NAME that of
the program's file.
START (boolean, default T): as for SERVE.  After START with :LIVE, memory in use
is sent, too.

Data that does not arrive is sent again with the next data, even after RESET.
The environment variable MPROF_SHIP_TOKEN has a token; see mprof-run(1).

Signals MPROF-ERROR for an invalid URL or label, or if a shipper is running.

Example:

   (mprof:ship \"http://pyroscope:4040/ingest\"
               :labels '(:service-name \"shop\"))"
  (check-type url string)
  (check-type every (real (0) 1000000))
  (check-type labels list)
  (mp:with-lock (*lock*)
    (when (running *shipper*)
      (fail "a shipper is already running; call (mprof:stop-shipping)"))
    (start-worker '*shipper* "mprof shipper" #'ship-run #'ship-close
                  #'ship-open (octets-of url) (octets-of (label-lines labels))
                  (ceiling (* every 1000)))
    (when start
      (start-counting))
    t))

(defun note-for-shipper ()
  "Let the shipper note the figures before they are cleared."
  (let ((arguments (running *shipper*)))
    (when arguments
      (ship-note arguments))))

(defun stop-shipping ()
  "Send the rest, for some seconds at most, and end the thread of SHIP.  Return
NIL if no shipper was running.  Otherwise return a property list, and as the
second value T unless data was dropped:

:ALLOCATIONS and :BYTES (integers): the data that arrived.
:REQUESTS, :OCTETS: the number of requests, and their compressed size in bytes.
:FAILURES: failed requests, which were sent again.
:MISSED: failed requests without an answer, which may have arrived.
:DROPPED-ALLOCATIONS, :DROPPED-BYTES, :DROPPED-PARTS: data that did not arrive.

The profiler continues counting.

Example: (getf (mprof:stop-shipping) :dropped-bytes)  =>  0"
  (let ((counts '())
        (summary ""))
    (when (end-worker
           '*shipper* #'ship-stop
           (lambda (shipper)
             (ship-run (list shipper))  ; QUIT has killed its thread
             (setf counts (loop for name in '(:allocations :bytes :requests
                                              :octets :failures :missed
                                              :dropped-allocations
                                              :dropped-bytes :dropped-parts)
                                for i from 0 ; of the C side
                                collect name
                                collect (ship-count shipper i))
                   summary (string-of (ship-summary shipper)))
             (ship-close shipper)))
      (unless (eql 0 (getf counts :dropped-parts))
        (format *error-output* "~&mprof: ~A~%" summary))
      (values counts (eql 0 (getf counts :dropped-parts))))))

(push #'stop-shipping si:*exit-hooks*)
