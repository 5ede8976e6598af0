;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; long-life.lisp -- a program that is counted without a break, in many more
;;;; chains than its budget has room for, among the others of soak.lisp and
;;;; threads that end, each with a name of its own.  What was made below a
;;;; function that has a context is known to the byte; memory is bounded.  In an
;;;; hour these are some 10^10 allocations.

(in-package #:soak)

(defconstant +budget+ 20000 "Contexts of each thread.")
(defconstant +depth+ 16 "Calls in a row, of two functions each time.")
(defconstant +conses+ 20000000 "Of HOT each time.")
(defconstant +turn-bytes+ (+ 16 48 40) "Of a cons and an array of 5.")

(defvar *made* nil)

(defun turn (bits n)
  (declare (fixnum bits n))
  (cond ((zerop n) (setf *made* (cons nil (make-array 5))))
        ((logbitp n bits) (turn-left bits (1- n)))
        (t (turn-right bits (1- n)))))

(defun turn-left (bits n) (turn bits n))
(defun turn-right (bits n) (turn bits n))

(defun steady (turns seed)
  "TURNS times one of 65,536 ways, seldom twice the same."
  (declare (fixnum turns seed))
  (dotimes (i turns)
    (turn (logand (* (+ i seed) 10368889) (1- (ash 2 +depth+))) +depth+)))

(defun hot (n)
  (declare (fixnum n))
  (dotimes (i n)
    (setf *made* (cons nil nil))))

(defun steady-in-threads (threads turns seed)
  (mapc #'mp:process-join
        (loop repeat threads
              collect (mp:process-run-function
                       (format nil "~D" (random 1000000000))
                       #'steady turns seed))))

(defun check-life (turns conses)
  "TURNS, and CONSES by HOT, were made in all."
  (let* ((profile (mprof:load-profile))
         (steady (mprof.data:row :functions 'steady profile))
         (hot (mprof.data:row :functions 'hot profile)))
    (same "what is made below a function that has a context"
          (list (* 2 turns) (* +turn-bytes+ turns))
          (list (mprof.data:figure :allocations steady)
                (mprof.data:figure :bytes steady)))
    (same "what one makes all the time" (list conses (* 16 conses))
          (list (mprof.data:figure :self-allocations hot)
                (mprof.data:figure :self-bytes hot)))
    (same "chains that are cut short" "0"
          (mprof.data:comment "mprof.cut_allocations" profile))
    (same "something is over the budget" t
          (stringp (mprof.data:comment "mprof.unattributed_note"
                                       profile)))))

(defconstant +little+ 80
  "KiB of a thread that does little, at most; mprof-limits(7).")
(defconstant +states+ (+ 256 256 1 15)
  "Threads that ended, or share what they left, and some that live.")
(defconstant +whole+ (ceiling (* 2 +budget+ (+ 64 72 32)) 1024)
  "KiB of a tree with all contexts and ends of chains, twice as many with those
over the budget, and kinds.")
(defconstant +most+ (+ (* +little+ +states+) (* 3 +whole+))
  "KiB of all: this thread, and those that share, fill their trees.")

(defun check-bound ()
  (let ((size (monitor-kilobytes)))
    (same (format nil "at most ~D KiB, ~D" +most+ size) t (<= size +most+))
    size))

(defun live-long (seconds live)
  (mprof:reset)
  (mprof:start :max-contexts +budget+ :unfolded t :live live)
  (let ((end (+ (get-universal-time) seconds))
        (turns 0)
        (conses 0))
    (call-among-others
     (lambda ()
       (loop
         (steady 5000 turns)
         (steady-in-threads 5 20 turns)
         (hot +conses+)
         (incf turns (+ 5000 (* 5 20)))
         (incf conses +conses+)
         (check-life turns conses)
         (ext:gc t)
         (format t "# ~D allocations, ~D threads, turns ~A, ~D KiB~%"
                 (mprof::allocations) (getf (mprof:status) :threads) *turns*
                 (check-bound))
         (finish-output)
         (when (> (get-universal-time) end)
           (return)))))
    (mprof:stop)
    (check-life turns conses))
  (mprof:reset))

(defun main (seconds)
  (setf *print-pretty* nil)
  (run-programs (floor seconds 3))
  (live-long (floor seconds 3) nil)
  (live-long (floor seconds 3) t)
  (when (zerop *failures*)
    (format t "ok - random programs among others, and long lives~%"))
  (ext:quit (if (zerop *failures*) 0 1)))
