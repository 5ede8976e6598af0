;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; server.lisp -- a program that serves its profile, and does what lines of
;;;; standard input say.  It counts only while it works, so that what it says
;;;; of its counters afterwards is what a client must find.

(require :mprof)
(defpackage #:app (:use #:cl))
(in-package #:app)

(defvar *kept* '())

(defun make-pairs (n)
  (declare (fixnum n))
  (dotimes (i n)
    (push (cons i i) *kept*)))

(defun make-strings (n)
  (declare (fixnum n))
  (dotimes (i n)
    (make-string 100 :element-type 'base-char)))

(defun descend (depth n)
  (declare (fixnum depth n))
  (if (zerop depth)
      (make-pairs n)
      (let ((more (descend (1- depth) n)))
        (make-pairs 1)
        more)))

(defun say (&rest values)
  (format t "~{~A~^ ~}~%" values)
  (finish-output))

(defun tell ()
  (say (mprof::allocations) (mprof::bytes)))

(defmacro counting (&body body)
  `(progn (mprof:start :live t :unfolded t) ,@body (mprof:stop) (tell)))

(defun obey (word n)
  (declare (fixnum n))
  (cond ((equal word "pairs") (counting (make-pairs n)))
        ((equal word "strings") (counting (make-strings n)))
        ((equal word "deep") (counting (descend n 10)))
        ((equal word "forget") (setf *kept* '()) (tell))
        ((equal word "reset") (mprof:reset) (tell))
        ((equal word "start") (mprof:start :live t :unfolded t) (say "on"))
        ((equal word "stop") (mprof:stop) (tell))
        ((equal word "again")
         (say (handler-case (mprof:serve)
                (mprof:mprof-error (c) (substitute #\Space #\Newline
                                                   (princ-to-string c))))))
        ((equal word "port")
         (say (progn (mprof:stop-serving)
                     (handler-case (mprof:serve :port n :start nil)
                       (mprof:mprof-error (c)
                         (substitute #\Space #\Newline
                                     (princ-to-string c)))))))
        ((equal word "fds")
         (say (length (directory "/proc/self/fd/*" :resolve-symlinks nil))))
        ((equal word "end") (mprof:stop-serving) (ext:quit 0))))

(say (mprof:serve :port 0 :start nil))
(loop for line = (read-line *standard-input* nil)
      while line
      do (let ((blank (position #\Space line)))
           (obey (subseq line 0 blank)
                 (if blank (parse-integer line :start blank) 0))))
