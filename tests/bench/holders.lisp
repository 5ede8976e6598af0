;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; holders.lisp -- how long it takes, and how much memory, to find out what
;;;; holds a million objects: a list, entries of a table, structures that refer
;;;; to each other.  `make bench-holders' runs it.

(require :cmp)
(require :mprof)

(defpackage #:holders
  (:use #:common-lisp))

(in-package #:holders)

(defconstant +objects+ 1000000)
(defvar *kept* nil)

(defstruct node value next other)

(defun make-list-of-all ()
  (setf *kept* (make-list +objects+)))

(defun make-table ()
  (let ((table (make-hash-table :size (/ +objects+ 2))))
    (setf *kept* table)
    (dotimes (i (/ +objects+ 2))
      (setf (gethash i table) (list (* i 1.5d0))))))

(defun make-web ()
  (let ((nodes (make-array +objects+)))
    (setf *kept* nodes)
    (dotimes (i +objects+)
      (setf (aref nodes i)
            (make-node :value i :next (and (plusp i) (aref nodes (1- i))))))
    (loop for node across nodes
          for i = (random +objects+)
          do (setf (node-other node) (aref nodes i)))))

(mapc #'compile '(make-list-of-all make-table make-web))

(defun peak-bytes ()
  (with-open-file (in "/proc/self/status")
    (loop for line = (read-line in)
          when (eql (mismatch "VmHWM:" line) 6)
            return (* 1024 (parse-integer line :start 6 :junk-allowed t)))))

(defun forget-peak ()
  (with-open-file (out "/proc/self/clear_refs" :direction :output
                                               :if-exists :append)
    (write-string "5" out)))

(defun measure (name make)
  (mprof:start :live t)
  (funcall make)
  (mprof:stop)
  (flet ((seconds (&rest options)
           (let ((start (get-internal-real-time)))
             (apply #'mprof:save "holders.data" options)
             (/ (- (get-internal-real-time) start)
                internal-time-units-per-second 1.0))))
    (let ((without (progn (seconds :collect t) (seconds :collect t)))
          (before (progn (forget-peak) (peak-bytes)))
          (with (seconds :holders t)))
      (format t "~20A ~9D objects  ~5,2F s; without holders ~5,2F; ~3D bytes ~
                 an object~%"
              name (mprof.data:figure :live-allocations (mprof:profile))
              with without
              (round (- (peak-bytes) before)
                     (mprof.data:figure :live-allocations (mprof:profile))))))
  (setf *kept* nil)
  (mprof:reset))

(measure "a list" #'make-list-of-all)
(measure "entries of a table" #'make-table)
(measure "a web of structures" #'make-web)
(delete-file "holders.data")
(ext:quit 0)
