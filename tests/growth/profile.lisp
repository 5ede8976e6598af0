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
  "At most 64 bytes a context, but for the fixed part and one kind: see the test
of the context tree."
  (format t "~:[not ok~;ok~] - ~D contexts take ~D bytes, ~,2F each~%"
          (<= bytes (+ (* 64 contexts) 16384)) contexts bytes
          (/ bytes contexts)))

(defun check-room (walks budget file)
  "WALKS walks find room in BUDGET.  How many contexts lead to LEFT-0, one walk
shows."
  (let ((above (- (profile 1) (calls 1) 1)))
    (multiple-value-bind (contexts bytes) (profile walks :max-contexts budget)
      (check "contexts with room" (+ above (calls walks) walks) contexts)
      (check "overflows with room" 0 (getf (mprof:status) :overflows))
      (check "allocations with room" walks (mprof:allocations))
      (check-bytes contexts bytes)))
  (mprof:save file))

(defun check-overflow (walks file)
  "WALKS walks do not find room in the default budget of 2^23 contexts, two of
which are special.  Those that did are counted path by path, the first that did
not as far as there was room, and the objects of all others in one leaf."
  (let* ((room (- (ash 1 23) 2))
         (above (- (profile 1) (calls 1) 1))
         (fit (walks-within (- room above))))
    (multiple-value-bind (contexts bytes) (profile walks)
      (check "contexts over the budget" (+ room fit 1) contexts)
      (check "allocations over the budget" walks (mprof:allocations))
      (check-bytes contexts bytes))
    (handler-bind ((warning #'muffle-warning))
      (mprof:save file))
    (format t "over-budget ~D~%" (- walks fit))))

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
