;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; maxima.lisp -- what maxima.sh measures within a Maxima: BEGIN and END,
;;;; called by lines `:lisp' among those of Maxima, on both sides of the work.
;;;;
;;;; END appends to the file MAXIMA_FIGURES one line, fields separated by
;;;; blanks: the configuration, seconds of processor time and by the clock,
;;;; kibibytes resident at most until then, and where mprof counted
;;;; allocations, contexts, seconds that saving took, bytes of the file, and
;;;; kibibytes resident at most with saving.  Under callgrind, the
;;;; instructions between the two go to a file of their own; BENCH_LIBRARIES is
;;;; the folder with region.so.

(defpackage #:bench-maxima
  (:use #:common-lisp)
  (:export #:begin #:end))

(in-package #:bench-maxima)

(defvar *profiling* (equal (ext:getenv "MAXIMA_CONFIGURATION") "on"))
(defvar *begun* nil
  "Processor time and time by the clock at BEGIN.")

(defun times ()
  (list (get-internal-run-time) (get-internal-real-time)))

(defun seconds-since (times)
  (mapcar (lambda (then now)
            (/ (- now then) internal-time-units-per-second 1d0))
          times (times)))

(defun call-mprof (name &rest arguments)
  (apply (find-symbol name '#:mprof) arguments))

(defun resident-kibibytes ()
  "At most, since the process began."
  (with-open-file (stream "/proc/self/status")
    (loop for line = (read-line stream)
          when (eql (mismatch "VmHWM:" line) 6)
            do (return (parse-integer line :start 6 :junk-allowed t)))))

(defun saving-figures ()
  (let ((file (ext:getenv "MAXIMA_PROFILE"))
        (status (call-mprof "STATUS"))
        (times (times)))
    (call-mprof "SAVE" file)
    (let ((seconds (second (seconds-since times))))
      (list (getf status :allocations) (getf status :contexts) seconds
            (with-open-file (stream file) (file-length stream))
            (resident-kibibytes)))))

(defun begin ()
  (si:gc t)
  (setf *begun* (times))
  (when *profiling*
    (call-mprof "START")))

(defun end ()
  (when *profiling*
    (call-mprof "STOP"))
  (let ((seconds (seconds-since *begun*))
        (resident (resident-kibibytes)))
    (with-open-file (stream (ext:getenv "MAXIMA_FIGURES")
                            :direction :output :if-exists :append
                            :if-does-not-exist :create)
      (with-standard-io-syntax
        (let ((*read-default-float-format* 'double-float))
          (format stream "~A~{ ~A~}~%" (ext:getenv "MAXIMA_CONFIGURATION")
                  (append seconds (list resident)
                          (and *profiling* (saving-figures)))))))))
