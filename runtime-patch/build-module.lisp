;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Loaded by build-module.sh: compile the system "mprof" file by file, then
;;;; join the compiled files into the one file that MPROF_FAS names.  Any error,
;;;; and any WARNING in our code, ends ECL with a status of 1.

(require :asdf)

(handler-bind ((error (lambda (condition)
                        (format *error-output* "~&error: ~A~%" condition)
                        (ext:quit 1))))
  (setf uiop:*compile-file-failure-behaviour* :error)
  (asdf:load-system "mprof")
  (let ((bundle 'asdf:compile-bundle-op)
        (target (ext:getenv "MPROF_FAS")))
    (asdf:operate bundle "mprof")
    (uiop:rename-file-overwriting-target
     (first (asdf:output-files bundle "mprof")) target)))

(ext:quit 0)
