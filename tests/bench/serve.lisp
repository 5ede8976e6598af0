;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; serve.lisp -- how long a program stops while a profile of 100,000 contexts is
;;;; served.  `make bench-serve' runs it.

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

(defun median (numbers)
  (nth (floor (length numbers) 2) (sort (copy-list numbers) #'<)))

(defun scrape (port)
  (ext:run-program "curl" (list "-s" "-f" "-o" "/dev/null"
                                (format nil "http://localhost:~D~A" port
                                        "/debug/pprof/allocs"))
                   :input nil))

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

(defun run ()
  (let ((port (mprof:serve :port 0 :start nil)))
    (mprof:start :unfolded t)
    (make-contexts)
    (format t "contexts ~D~%" (getf (mprof:status) :contexts))
    (flet ((pauses (function)
             (median (loop repeat 21 collect (pause-of function)))))
      (format t "pauses of a thread that allocates, median of 21: ~,2F ms ~
                 scraped, ~,2F ms not~%"
              (pauses (lambda () (scrape port)))
              (pauses (lambda () (sleep 0.1)))))
    (mprof:stop-serving)))
