;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; peak.lisp -- programs of which it is known what was alive when most was.
;;;; It is compiled behind live.lisp, in one file with it.

(in-package #:live)

(defun at-the-peak (&rest functions)
  "(TYPE OBJECTS BYTES) of each of FUNCTIONS, as of now."
  (mprof:save "peak.data")
  (loop for function in functions
        append (sums "peak.data" function :peak)))

(defun heavy (function n)
  "What FUNCTION makes, and more than all that threads need for themselves."
  (in-thread (lambda ()
               (funcall function n)
               (octets (ash 1 25)))))

;;; A stale word may keep the octets; then what dies is to be more than what the
;;; next thread needs for itself.

(following-alone "what was alive at the peak"
  (heavy #'conses 1000)
  (same "no collection has looked" '() (at-the-peak 'conses))
  (collect)
  (same "the first one" '(("CONS" 1000 16000)) (at-the-peak 'conses))
  (heavy #'points 30000)
  (same "not what is new" '(("CONS" 1000 16000))
        (at-the-peak 'conses 'points))
  (collect)
  (setf *kept* '())
  (in-thread #'conses 300)
  (collect)
  (same "not what came when less was alive"
        '(("CONS" 1000 16000) ("CONS" 30000 480000)
          ("LIVE::POINT" 30000 2400000))
        (at-the-peak 'conses 'points))
  (heavy #'points 5000)
  (heavy #'points 1)
  (heavy #'points 1)
  (collect)
  (in-thread #'conses 1)
  (same "another peak"
        '(("CONS" 300 4800) ("CONS" 5002 80032) ("LIVE::POINT" 5002 400160))
        (at-the-peak 'conses 'points))
  (let* ((profile (mprof:load-profile))
         (points (mprof.data:row :functions 'points profile)))
    (same "of a function" '(10004 480192)
          (list (mprof.data:figure :peak-allocations points)
                (mprof.data:figure :peak-bytes points))))
  (mprof:reset)
  (same "after a reset" '() (at-the-peak 'conses 'points))
  (heavy #'conses 7)
  (collect)
  (same "a new one" '(("CONS" 7 112)) (at-the-peak 'conses 'points)))

(following-alone "what is freed explicitly"
  (heavy #'conses 100000)
  (collect)
  (free-conses)
  (in-thread #'conses 20)
  (collect)
  (same "before the peak or after it" '(("CONS" 100000 1600000))
        (at-the-peak 'conses)))

;;; Objects of several pieces, between which the collector runs: what lives of
;;; them is at another place when the next piece is there.

(defvar *dimensions* (loop for i below 200 collect (list 2 (+ 1000 i)))
  "Lists made before, which no stale word can keep for TABLES.")

(defun tables (n)
  (loop repeat n
        for dimensions in *dimensions*
        do (push (make-array dimensions :adjustable t
                                        :initial-element (second dimensions))
                 *kept*)))

(following "while objects are made"
  (loop repeat 10
        do (in-thread #'tables 200)
           (ext:gc t)
           (mprof:load-profile))             ; which is refused if it is wrong
  (let ((whole (mprof:load-profile)))
    (same "the last is the peak" '((4000 4000) t)
          (let ((tables (mprof.data:row :functions 'tables whole)))
            (list (list (mprof.data:figure :live-allocations tables)
                        (mprof.data:figure :peak-allocations tables))
                  (= (mprof.data:figure :live-bytes tables)
                     (mprof.data:figure :peak-bytes tables)))))
    (setf *kept* '())
    (in-thread #'tables 10)
    (ext:gc t)
    (same "which is still known" (mprof.data:figure :live-bytes whole)
          (mprof.data:figure :peak-bytes (mprof:load-profile)))))
