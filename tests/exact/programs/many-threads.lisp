;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Many threads, at once and one after the other: all is counted, and what
;;;; the monitor takes for them is bounded.  Its memory is what the kernel says
;;;; of mappings without reserve, which nobody else here has but malloc.

(in-package #:exact)

(setf *dump-only* "LITTLE-WORK")

(defun little-work ()
  (let ((last '()))
    (dotimes (i 100)
      (setf last (list i i)))
    (keep (list last (make-array 10) (make-string 10)
                (* 1.5d0 (length last))))))

(defun field (line name)
  "The number in LINE, if it is the one called NAME."
  (when (eql (mismatch name line) (length name))
    (parse-integer line :start (length name) :junk-allowed t)))

(defun monitor-kilobytes ()
  "The resident memory of the monitor."
  (with-open-file (maps "/proc/self/smaps")
    (loop with resident = 0
          for line = (read-line maps nil)
          while line
          do (setf resident (or (field line "Rss:") resident))
          when (and (eql (mismatch "VmFlags:" line) 8) (search " nr" line))
            sum resident)))

;;; At once.  They wait without work of the runtime's: its semaphores poll.

;; A thread of 24.5.10 begins with a restart, which is made in seven places: with
;; them it has more than sixteen paths, and the table of these is larger.
(defconstant +most-kilobytes+ (by-release 72 80))
(defconstant +at-once+ 100)
(defvar *each* 0)
(defvar *go-on* nil)

(defun work-and-wait (done)
  (little-work)
  (mp:signal-semaphore done)
  (loop until *go-on* do (sleep 0.1)))

(defun live-together ()
  (let* ((done (mp:make-semaphore))
         (before (monitor-kilobytes))
         (threads (loop repeat +at-once+
                        collect (mp:process-run-function
                                 "together" #'work-and-wait done))))
    (dotimes (i +at-once+)
      (mp:wait-on-semaphore done))
    (setf *each* (/ (- (monitor-kilobytes) before) +at-once+)
          *go-on* t)
    (mapc #'mp:process-join threads)))

(measuring ("100 threads at once")
    (live-together)
  (calls 'little-work +at-once+)
  (format t "~&# each takes ~,1F KiB~%" *each*)
  (check (format nil "each takes at most ~D KiB" +most-kilobytes+) t
         (<= *each* +most-kilobytes+)))

;;; One after the other: those that have ended leave nothing, from a number of
;;; them on.

(defconstant +in-a-row+ 1000)
(defvar *row* 0)

(defun run-in-a-row (n)
  (dotimes (i n)
    (mp:process-join (mp:process-run-function "in a row" #'little-work))))

(defun run-two-rows ()
  (run-in-a-row +in-a-row+)
  (let ((before (monitor-kilobytes)))
    (run-in-a-row +in-a-row+)
    (setf *row* (- (monitor-kilobytes) before))))

(measuring ("2,000 threads one after the other")
    (run-two-rows)
  (calls 'little-work (* 2 +in-a-row+))
  (check "the second thousand takes less than 256 KiB" t (< *row* 256)))

;;; The same where each has a name of its own.

(defvar *number* 0)

(defun run-with-names (n)
  (dotimes (i n)
    (mp:process-join (mp:process-run-function
                      (format nil "number ~D" (incf *number*))
                      #'little-work))))

(defun run-two-rows-with-names ()
  (run-with-names +in-a-row+)
  (let ((before (monitor-kilobytes)))
    (run-with-names +in-a-row+)
    (setf *row* (- (monitor-kilobytes) before))))

(measuring ("2,000 threads with names of their own")
    (run-two-rows-with-names)
  (calls 'little-work (* 2 +in-a-row+))
  (check "the others share a label" 1
         (count "[other threads]" (mprof.data:figure :threads *profile*)
                :key (mprof.data:reader :name) :test #'string=))
  (check "the second thousand takes less than 256 KiB" t (< *row* 256)))
