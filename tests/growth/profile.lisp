;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Profile paths.lisp: as tests, which print `ok' lines, and for the growth
;;;; curve.  To be loaded after mprof and paths.lisp, and not to be compiled:
;;;; the number of frames above a walk must not depend on the compiler.

(in-package #:growth)

(defun resident-kilobytes ()
  "The most that this process has had in memory so far."
  (with-open-file (in "/proc/self/status")
    (loop for line = (read-line in)
          when (eql 0 (search "VmHWM:" line))
            return (parse-integer line :start 6 :junk-allowed t))))

(defun profile (walks &rest options)
  "Count WALKS walks; the values are the contexts and the bytes they take."
  (mprof:reset)
  (apply #'mprof:start options)
  (walk walks)
  (mprof:stop)
  (let ((status (mprof:status)))
    (values (getf status :contexts) (getf status :context-bytes))))

(defun check (what expected found)
  (format t "~:[not ok~;ok~] - ~A: ~:[~D, not ~;~*~]~D~%"
          (eql expected found) what (eql expected found) found expected))

(defun check-bytes (contexts bytes)
  "At most 80 bytes a context, but for the fixed part and one kind: see the test
of the context tree."
  (format t "~:[not ok~;ok~] - ~D contexts take ~D bytes, ~,2F each~%"
          (<= bytes (+ (* 80 contexts) 32768)) contexts bytes
          (/ bytes contexts)))

(defun check-room (walks budget file)
  "WALKS walks find room in BUDGET.  How many contexts lead to LEFT-0, one walk
shows."
  (let ((above (- (profile 1) (calls 1) 1)))
    (multiple-value-bind (contexts bytes) (profile walks :max-contexts budget)
      (check "contexts with room" (+ above (calls walks) walks) contexts)
      (check "overflows with room" 0 (getf (mprof:status) :overflows))
      (check "allocations with room" walks (mprof::allocations))
      (check-bytes contexts bytes)))
  (mprof:save file))

(defun check-over (walks file)
  "WALKS walks do not find room in the default budget of 2^23 contexts and as
many leaves; all are counted below their callers."
  (multiple-value-bind (contexts bytes) (profile walks)
    (check "contexts beyond the budget" nil (> contexts (ash 1 24)))
    (check "allocations counted beyond the budget" walks (mprof::allocations))
    (check-bytes contexts bytes))
  (let* ((profile (mprof:load-profile))
         (left (mprof.data:row :functions 'left-0 profile))
         (over (mprof.data:row :functions "[over the budget]" profile)))
    (check "something is over the budget" t
           (plusp (mprof.data:figure :self-allocations over)))
    (format t "# over the budget: ~D~%"
            (mprof.data:figure :self-allocations over))
    (check "calls" walks (mprof.data:figure :calls left))
    (check "objects below their callers" walks
           (mprof.data:figure :allocations left))
    (check "their bytes" (* 16 walks) (mprof.data:figure :bytes left)))
  (mprof:save file))

(defun measure (paths file)
  "Print the contexts, and for counting and writing each: processor seconds,
seconds by the clock, and the most kibibytes resident so far."
  (let ((walks (walks-for paths)))
    (flet ((timed (function)
             (let ((run (get-internal-run-time))
                   (real (get-internal-real-time)))
               (funcall function)
               (format nil "~,3F ~,3F ~D"
                       (/ (- (get-internal-run-time) run)
                          (float internal-time-units-per-second))
                       (/ (- (get-internal-real-time) real)
                          (float internal-time-units-per-second))
                       (resident-kilobytes)))))
      (profile 1)
      (let ((counting (timed (lambda () (profile walks))))
            (contexts (getf (mprof:status) :contexts))
            (bytes (getf (mprof:status) :context-bytes)))
        (format t "~&figures ~D ~D ~A ~A~%" contexts bytes counting
                (timed (lambda () (mprof:save file))))))))
