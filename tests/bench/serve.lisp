;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; serve.lisp -- what it costs to serve: how long a client waits for a profile
;;;; of 100,000 contexts, how long the program's threads stand still for it, and
;;;; how much longer a program takes that is asked each second.  `make
;;;; bench-serve' runs it.

(require :cmp)
(require :mprof)

(defpackage #:serving
  (:use #:common-lisp))

(in-package #:serving)

;;; A call chain of five out of sixteen functions, by the digits of a number:
;;; each chain is a context, and so is each object at its end.

(defmacro define-links ()
  `(progn
     ,@(loop for i below 16
             collect `(defun ,(intern (format nil "LINK-~D" i)) (depth path)
                        (declare (fixnum depth path))
                        (if (zerop depth)
                            (list path)
                            (cons depth (follow (1- depth) path)))))))

(define-links)

(declaim (notinline follow))
(defvar *links* (coerce (loop for i below 16
                              collect (symbol-function
                                       (intern (format nil "LINK-~D" i))))
                        'simple-vector))

(defun follow (depth path)
  (declare (fixnum depth path))
  (funcall (the function (svref *links* (ldb (byte 4 (* 4 depth)) path)))
           depth path))

(defun make-contexts ()
  (dotimes (path 83300)
    (follow 4 path)))

(defun nanoseconds ()
  (ffi:c-inline () () :fixnum
    "({ struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t);
        t.tv_sec * 1000000000l + t.tv_nsec; })" :one-liner t))

(defun longest-pause (stop)
  "Allocate until STOP has something; the longest time between two objects."
  (let ((longest 0) (last (nanoseconds)))
    (declare (fixnum longest last))
    (loop until (car stop)
          do (list 1)
             (let ((now (nanoseconds)))
               (setf longest (max longest (- now last))
                     last now)))
    longest))

(defun work ()
  "As much as takes some seconds."
  (dotimes (i 6)
    (make-contexts)
    (dotimes (j 10000000)
      (list j))))

(defun time-of (function)
  (let ((start (nanoseconds)))
    (funcall function)
    (/ (- (nanoseconds) start) 1d6)))

(defun median (numbers)
  (nth (floor (length numbers) 2) (sort (copy-list numbers) #'<)))

(defun scrape (port)
  "How many milliseconds a client waits for the profile."
  (ext:run-program "curl" (list "-s" "-f" "-o" "/dev/null" "-w" "%{time_total}"
                                (format nil "http://localhost:~D~A" port
                                        "/debug/pprof/allocs"))
                   :input nil :output "bench/scrape.txt"
                   :if-output-exists :supersede)
  (with-open-file (in "bench/scrape.txt")
    (let ((*read-default-float-format* 'double-float))
      (* 1000 (read in)))))

(defun pause-of (function)
  "The longest pause of a thread that allocates while FUNCTION is called."
  (let* ((stop (list nil))
         (longest 0)
         (thread (mp:process-run-function
                  "allocates" (lambda () (setf longest (longest-pause stop))))))
    (sleep 0.2)
    (funcall function)
    (setf (car stop) t)
    (mp:process-join thread)
    (/ longest 1d6)))

(defun asked-each-second (port function)
  (let* ((stop (list nil))
         (thread (mp:process-run-function
                  "asks" (lambda ()
                           (loop until (car stop)
                                 do (scrape port)
                                    (sleep 1))))))
    (unwind-protect (time-of function)
      (setf (car stop) t)
      (mp:process-join thread))))

(defun run ()
  (let ((port (mprof:serve :port 0 :start nil)))
    (mprof:start :unfolded t)
    (make-contexts)
    (format t "contexts ~D~%" (getf (mprof:status) :contexts))
    (format t "a scrape, median of 21: ~,1F ms~%"
            (median (loop repeat 21 collect (scrape port))))
    (format t "threads held up for it: ~,2F ms~%"
            (/ (mprof::monitor-counter '(11)) 1d6))
    (format t "pauses of a thread that allocates, median of 21: ~,2F ms ~
               scraped, ~,2F ms not~%"
            (median (loop repeat 21
                          collect (pause-of (lambda ()
                                              (scrape port)))))
            (median (loop repeat 21
                          collect (pause-of (lambda () (sleep 0.1))))))
    (let ((ratios (loop repeat 5
                        for idle = (time-of #'work)
                        collect (/ (asked-each-second port #'work) idle))))
      (format t "a busy program that is asked each second: ~,3F times~%"
              (median ratios)))
    (mprof:stop-serving)))
