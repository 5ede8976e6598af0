;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; session-tests.lisp -- start, stop, reset, status, save.

(in-package #:mprof.tests)

(in-suite mprof)

(defun start-make-stop (n)
  "The values of START, of making N conses, and of STOP."
  (let* ((started (mprof:start))
         (made (make-conses n))
         (stopped (mprof:stop)))
    (list started made stopped)))

(test start-and-stop
  "Only what happens between START and STOP is counted, to the byte."
  (with-idle-profiler
    (make-conses 10)
    (is (equal '(t nil t) (start-make-stop 7)))
    (make-conses 10)
    (is (equal '(7 112) (figures)))))

(test start-twice
  (with-idle-profiler
    (mprof:start)
    (signals mprof:already-active (mprof:start))
    (is-true (active-p))
    (is (eq t (handler-bind ((mprof:already-active #'continue))
                (mprof:start))))
    (is-true (active-p))))

(test start-with-other-options
  "Figures that were counted with other options cannot be added to."
  (with-idle-profiler
    (mprof:start)
    (mprof:stop)
    (is (string= (format nil "mprof: the figures in memory were counted with ~
                              other options.~%Call (mprof:reset) first.")
                 (handler-case (mprof:start :unfolded t)
                   (mprof:already-active (condition) (report-of condition)))))
    (is-false (active-p))
    (handler-bind ((mprof:already-active #'continue))
      (mprof:start :unfolded t))
    (is-true (active-p))
    (mprof:stop)
    (mprof:reset)
    (finishes (mprof:start :unfolded t))))

(test stop-twice
  "To stop what does not count is harmless, and says so."
  (with-idle-profiler
    (is (null (mprof:stop)))
    (mprof:start)
    (is (eq t (mprof:stop)))
    (is (null (mprof:stop)))))

(test start-takes-few-options
  (with-idle-profiler
    (loop for (said function . arguments)
            in '(("START has no option :CAKE; it has" mprof:start :cake 1)
                 ("unknown option ':cake 1'" mprof:save "a.data" :cake 1))
          do (is (search said (handler-case (apply function arguments)
                                (mprof:mprof-error (condition)
                                  (report-of condition))))))
    (dolist (file '("a.html" "a.csv"))
      (signals mprof:mprof-error (mprof:start :file file)))
    (is-false (active-p))))

(test file-leaves-no-trace
  "Figures in a file are the same, and there all the time.  The thread that
prints names is in no figure, and is gone afterwards."
  (with-idle-profiler
    (with-temporary-file (file)
      (let ((threads (length (mp:all-processes))))
        (loop for conses in '(10 20)
              do (mprof:start :file file)
                 (make-conses 10)
                 (flet ((made ()
                          (let ((row (data:row :functions 'make-conses
                                               (mprof:load-profile file))))
                            (and row (data:figure :self-allocations row)))))
                   ;; names are printed by and by
                   (loop repeat 6000
                         until (eql conses (made))
                         do (sleep 1/100))
                   (is (= conses (made)))
                   (mprof:stop)
                   (is (= conses (made))))
                 (is (= threads (length (mp:all-processes))))
                 (let ((saved (mprof:load-profile file)))
                   (is (= 1 (length (data:figure :threads saved))))
                   (is (equal "0" (data:comment "mprof.residual_bytes"
                                                saved))))))
      (mprof:reset))))

(test start-with-a-file-that-cannot-be-written
  "Nothing is begun, and one line says why."
  (with-idle-profiler
    (flet ((report (file)
             (handler-case (mprof:start :file file)
               (mprof:profile-file-error (condition)
                 (is (equal (pathname file) (file-error-pathname condition)))
                 (report-of condition)))))
      (loop for (file . reason)
              in '(("/nowhere/a.data" . "No such file or directory")
                   ("/proc/a.data" . "No such file or directory")
                   ("/usr/bin/" . "it is not a regular file"))
            do (is (string= (format nil "mprof: cannot write '~A': ~A" file
                                    reason)
                            (report file)))))
    (is-false (active-p))
    (is (null mprof::*counted-in*))
    (finishes (mprof:start :unfolded t))))

(defun long-names ()
  "Symbols that take 250 kB of notes."
  (loop for i below 50
        collect (intern (format nil "~5000,'XD" i) '#:mprof.tests)))

(test file-that-is-gone
  "What is counted then is in memory, regions and many names too; the next file
is as good as the first."
  (with-idle-profiler
    (with-temporary-file (file)
      (mprof:start :file file)
      (delete-file file)
      (dolist (name (long-names))
        (eval `(defun ,name () (make-conses 1)))
        (funcall name))
      (let ((profile (mprof:load-profile)))
        (is (loop for name in (long-names)
                  always (data:row :functions name profile))))
      (mprof:with-region ("after") (make-conses 10))
      (is (= 10 (data:figure :allocations
                 (data:row :regions "after" (mprof:load-profile)))))
      (ensure-directories-exist (concatenate 'string file "/a"))
      (signals mprof:profile-file-error (mprof:stop))
      (si:rmdir (concatenate 'string file "/"))
      (mprof:reset)
      (mprof:start :file file)
      (make-conses 20)
      (is (= 20 (data:figure :self-allocations
                 (data:row :functions 'make-conses (mprof:load-profile file)))))
      (mprof:stop))))

(test file-while-counting
  "Another START does not count in another file."
  (with-idle-profiler
    (with-temporary-file (file)
      (mprof:start)
      (signals mprof:already-active (mprof:start :file file))
      (signals mprof:already-active
        (mprof:with-profiling (:report nil :file file)))
      (is (null mprof::*counted-in*))
      (mprof:stop))))

(test reset
  (with-idle-profiler
    (mprof:start)
    (make-conses 5)
    (mprof:stop)
    (is (eq t (mprof:reset)))
    (is (equal '(0 0) (figures)))
    (is (null (data:figure :functions (mprof:load-profile))))))

(test status
  (with-idle-profiler
    (mprof:start)
    (is (eq t (getf (mprof:status) :active)))
    (mprof:stop)
    (mprof:reset)
    (mprof:start)
    (make-conses 3)
    (mprof:stop)
    (let ((status (mprof:status)))
      (is (eq nil (getf status :active)))
      (is (eql 3 (getf status :allocations)))
      (is (eql 48 (getf status :bytes)))
      (is (plusp (getf status :contexts)))
      (is (plusp (getf status :context-bytes)))
      (is (plusp (getf status :threads)))
      (is (eql 0 (getf status :overflows))))))

(test save-and-read
  "What is saved is what is in memory."
  (with-idle-profiler
    (with-temporary-file (file)
      (let ((profile (profiled (make-conses 20))))
        (is (equal (pathname file) (mprof:save file)))
        (mprof:reset)
        (let ((saved (mprof:load-profile file)))
          (is (= 20 (data:figure :allocations saved)))
          (is (= 320 (data:figure :bytes saved)))
          (is (equalp (mprof::figures profile)
                      (mprof::figures saved))))))))

(test large-budget
  "A budget that is too large is refused, by START and by the monitor."
  (with-idle-profiler
    (is (search "134217729 contexts is too large"
                (handler-case
                    (progn (mprof::check-status
                            (mprof::monitor-start 134217729 0)
                            'mprof:profiler-unavailable)
                           "started")
                  (error (condition) (report-of condition)))))
    (is (not (mprof::active-p)))
    (is (mprof:start :max-contexts 134217728))
    (mprof:stop)))

(test bad-arguments
  "Arguments of a wrong type, or out of range, are errors of mprof that say so."
  (with-idle-profiler
    (loop for (function . types)
            in '((mprof:start :max-contexts (integer 0 134217728) nil -1 1.5 "x"
                  134217729)
                 (mprof:start :timeline (or null (real 0.01 1000000)) -1 0
                  0.001 "x" 100000000000000000000)
                 (mprof:start :file (or pathname string file-stream) -1 t)
                 (mprof:serve :port (integer 0 65535) nil -1 65536 "x")
                 (mprof:serve :address (or null string) 127 t)
                 (mprof:report :stream (or stream boolean) 1 "x"))
          do (destructuring-bind (keyword type &rest values) types
               (dolist (value values)
                 (is (equal (let ((*print-pretty* nil))
                              (format nil "mprof: ~S is ~S, which is not of ~
                                           type ~S" keyword value type))
                            (handler-case (funcall function keyword value)
                              (mprof:mprof-error (c) (princ-to-string c))))))))
    (loop for keyword in '(:bytes :allocations :live)
          do (dolist (value '(-1 1.5 "x"))
               (dolist (running '(nil t))
                 (signals mprof:mprof-error
                   (if running
                       (eval `(mprof:with-profiling (:report nil)
                                (mprof:with-allocation-budget
                                    (,keyword ',value))))
                       (eval `(mprof:with-allocation-budget
                                  (,keyword ',value))))))))
    (let ((ran nil))
      (signals mprof:mprof-error
        (mprof:with-profiling (:stream "x") (setf ran t)))
      (is (null ran)))
    (dolist (value '(-1 :x (1) #\a))
      (signals mprof:mprof-error (mprof:load-profile value))
      (signals mprof:mprof-error (mprof:report :stream nil :profile value))
      (signals mprof:mprof-error (mprof:compare-profiles value value))
      (signals mprof:mprof-error (mprof:save value))
      (signals mprof:mprof-error (mprof:with-profiling (:file value)))
      (signals mprof:mprof-error (mprof:report :stream nil :tables value))
      (signals mprof:mprof-error (data:figure :bytes value))
      (signals mprof:mprof-error (data:row :functions 'car value)))
    (is (search "NIL is not a row or profile"
                (handler-case (data:figure :bytes (data:row :functions "none"))
                  (mprof:mprof-error (c) (princ-to-string c)))))
    (is (not (mprof::active-p)))))

(test small-budget
  "With too small a budget the totals are exact, and a warning says the rest."
  (with-idle-profiler
    (mprof:start :max-contexts 16)
    (make-conses 100)
    (mprof:stop)
    (is (equal '(100 1600) (figures)))
    (let* ((warning nil)
           (profile (handler-bind ((mprof:profile-incomplete
                                     (lambda (condition)
                                       (setf warning condition)
                                       (muffle-warning condition))))
                      (mprof:load-profile))))
      (is (typep warning 'mprof:profile-incomplete))
      (is (search ":max-contexts" (report-of warning)))
      (is (= 100 (data:figure :allocations profile)))
      (is (= 1600 (reduce #'+ (data:figure :functions profile)
                          :key (data:reader :self-bytes)))))))

(test two-threads-start
  "Of threads that start at once, exactly one does."
  (with-idle-profiler
    (let* ((started 0)
           (lock (mp:make-lock))
           (threads (loop repeat 8
                          collect (mp:process-run-function
                                   "starter"
                                   (lambda ()
                                     (handler-case
                                         (progn (mprof:start)
                                                (mp:with-lock (lock)
                                                  (incf started)))
                                       (mprof:already-active ())))))))
      (mapc #'mp:process-join threads)
      (is (= 1 started))
      (is-true (active-p)))))

(defun figures-between (&rest window)
  "Allocations and bytes in a part of time."
  (let ((profile (apply #'mprof:load-profile nil window)))
    (list (data:figure :allocations profile) (data:figure :bytes profile))))

(test timeline
  "Any two parts of time add up to the whole, which is that without; what was
forgotten is in none."
  (with-idle-profiler
    (loop repeat 2 do (mprof:stop) (mprof:start :timeline 0.01))
    (make-conses 5)
    (sleep 1/20)
    (mprof:reset)
    (let ((end (+ (get-internal-real-time)
                  (* 1/5 internal-time-units-per-second))))
      (loop repeat 20 do (make-conses 100) (sleep 1/200))
      (loop while (< (get-internal-real-time) end) do (sleep 1/50))
      (mprof:stop)
      (let ((all (figures)))
        (is (<= 2000 (first all)))
        (is (equal all (figures-between)))
        (dolist (time '(1/50 1/10 3/20 10))
          (is (equal all (mapcar #'+ (figures-between :to time)
                                 (figures-between :from time)))))
        (is (equal '(0 0) (figures-between :from 1000)))))))
