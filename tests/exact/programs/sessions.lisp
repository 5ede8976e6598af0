;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Starting, stopping and resetting: what is counted when.

(in-package #:exact)

(defun work (n)
  (dotimes (i n)
    (keep (cons i i))))

(defun counted () (list (mprof::allocations) (mprof::bytes)))

(defmacro part (title &body body)
  `(progn
     (setf *title* (format nil "~(~A~), ~A" *variant* ,title))
     ,@body))

(part "nothing happens between start and stop"
  (mprof:reset)
  (start)
  (mprof:stop)
  (check "counters" '(0 0) (counted)))

(part "two sessions in a row"
  (mprof:reset)
  (start) (work 100) (mprof:stop)
  (check "counters of the first" '(100 1600) (counted))
  (work 1000)
  (check "not counted while stopped" '(100 1600) (counted))
  (start) (work 50) (mprof:stop)
  (check "counters of both" '(150 2400) (counted))
  (take-profile)
  (self 'work 150 2400)
  (calls 'work 2)
  (residual 0))

(part "stop keeps the figures"
  (take-profile)
  (total 150 2400)
  (self 'work 150 2400))

(part "reset forgets them"
  (mprof:reset)
  (check "counters" '(0 0) (counted))
  (take-profile)
  (total 0 0)
  (absent 'work))

;; The harness's own objects are made before the reset.
(part "reset while counting"
  (start)
  (work 10)
  (mprof:reset)
  (work 7)
  (mprof:stop)
  (check "counters" '(7 112) (counted))
  (take-profile)
  (self 'work 7 112)
  (calls 'work 1)
  (residual 0))

(defun reset-within (n)
  (work n)
  (mprof:reset)
  (work 5)
  (keep (cons 1 1)))

(part "reset in a frame that is known"
  (mprof:reset)
  (start)
  (reset-within 20)
  (work 3)
  (mprof:stop)
  (take-profile)
  (total 9 144)
  (self 'reset-within 1 16)
  (self 'work 8 128)
  (arc 'reset-within 'work 1 5 80)
  (calls 'reset-within 1)
  (residual 0))

(defun stop-within (n)
  (work n)
  (mprof:stop)
  (work 5)
  (start)
  (keep (cons 1 1)))

(part "stop and start in a frame that is known"
  (mprof:reset)
  (start)
  (stop-within 20)
  (work 3)
  (mprof:stop)
  (take-profile)
  (total 24 384)
  (self 'stop-within 1 16)
  (arc 'stop-within 'work 1 20 320)
  (self 'work 23 368)
  (residual 0))

(defvar *snapshot* nil)

(part "a profile that is taken while counting"
  (mprof:reset)
  (start)
  (work 10)
  (setf *snapshot* (mprof::take-snapshot '(0)))
  (work 5)
  (mprof:stop)
  (let ((*profile* (mprof::profile-of-snapshot *snapshot* nil nil)))
    (self 'work 10 160)
    (calls 'work 1))
  (mprof::free-snapshot (list *snapshot*))
  (take-profile)
  (self 'work 15 240)
  (calls 'work 2))
