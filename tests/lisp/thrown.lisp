;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; thrown.lisp -- throw out of forms of mprof, or kill their threads, at random
;;;; moments, as timeouts do.  After each throw everything must be as before.
;;;;
;;;;     THROWS  how often for each form [100], or a tenth for those that take long

(require :mprof)

(defvar *inside* nil "True while the thread that works may be thrown out.")
(defvar *answered* nil "True once the last interrupt has been run.")
(defvar *done* nil "True while the thread that works waits for its end.")
(defvar *kept* nil)

(defun leave ()
  (setf *answered* t)
  (when *inside*
    (setf *inside* nil)
    (throw 'out t)))

(defun thrown-out (form)
  "Call FORM again and again until it is thrown out."
  (catch 'out
    (setf *inside* t)
    (loop (funcall form))))

(defun run (form check throws &optional killed)
  "Have FORM thrown out THROWS times, in a thread, or killed with its thread.
Return how often CHECK was false afterwards."
  ;; ECL runs an interrupt inside of the one before, so a thread that is sent
  ;; more of them than it can run overflows its stack: one at a time.
  (let* ((wrong 0)
         (work (lambda ()
                 (unwind-protect (thrown-out form)
                   (when killed (setf *inside* nil)))))
         (thread nil))
    (flet ((check ()
             (unless (funcall check) (incf wrong)))
           (start (function)
             (setf thread (mp:process-run-function "works" function)))
           (interrupt ()
             (loop repeat (random 3000) do (setf *kept* *inside*))
             (setf *answered* nil)
             (ignore-errors
              (if killed
                  (mp:process-kill thread)
                  (mp:interrupt-process thread #'leave)))))
      (if killed
          (loop repeat throws
                do (start work)
                   (loop until *inside* do (mp:process-yield))
                   (interrupt)
                   (mp:process-join thread)
                   (check))
          (progn
            (start (lambda ()
                     (loop repeat throws
                           do (funcall work)
                              (check))
                     (setf *done* t)
                     ;; A throw may leave an interrupt that nothing looks for.
                     (loop while *done*
                           do (mp:process-yield)
                              (si::check-pending-interrupts))))
            ;; ECL may lose an interrupt of a thread that begins, and loses a
            ;; thread that is interrupted while it ends.
            (loop until *inside* do (mp:process-yield))
            (loop until *done*
                  do (interrupt)
                     (loop until (or (and *answered* *inside*) *done*)
                           do (mp:process-yield)))
            (loop until *answered* do (mp:process-yield))
            (setf *done* nil)
            (mp:process-join thread))))
    wrong))

(defun report (name wrong)
  (format t "~:[not ok~;ok~] - ~A~@[: ~D were wrong~]~%" (eql wrong 0) name
          (and (plusp wrong) wrong))
  (finish-output))

(defun idle-p () (not (getf (mprof:status) :active)))
(defun no-region-p () (eql 0 (mprof::region)))

(defvar *snapshots* 0 "Those that were taken and not freed.")

(let ((take #'mprof::take-snapshot)
      (free #'mprof::free-snapshot))
  (setf (fdefinition 'mprof::take-snapshot)
        (lambda (arguments)
          (incf *snapshots*)
          (funcall take arguments))
        (fdefinition 'mprof::free-snapshot)
        (lambda (arguments)
          (decf *snapshots*)
          (funcall free arguments))))

(defun no-snapshot-p () (eql 0 *snapshots*))

(defparameter *file* (namestring (merge-pathnames "thrown.data")))

(defparameter *much* (expt 2 40)
  "A budget that is kept: the thread that interrupts allocates too.")

(defun work () (setf *kept* (list 1 2)))

(defun file-works-p ()
  "True if the next file can be counted in, and has what was counted."
  (and (idle-p)
       (progn (mprof:with-profiling (:report nil :file *file*)
                (dotimes (i 10) (work)))
              (null mprof::*counted-in*))
       (eql 20 (mprof.data:figure :allocations (mprof:load-profile *file*)))))

(defvar *port* nil)

(defun server-works-p ()
  (mprof:stop-serving)
  (eql *port* (prog1 (mprof:serve :port *port* :start nil)
                (mprof:stop-serving))))

(defun timeline-works-p ()
  (mprof:stop)
  (mprof:reset)
  (null mprof::*timeline*))

(defun unlocked-p ()
  (null (mp:lock-owner mprof::*lock*)))

(defvar *bound* nil)

(defun bind ()
  (let* ((*bound* 1) (*bound* 2) (*bound* 3) (*bound* 4) (*bound* 5))
    (setf *kept* *bound*)))

(defun throw-out (throws)
  (report "a lock" (run (lambda () (mprof::with-lock (mprof::*lock*)))
                        #'unlocked-p throws))
  ;; ECL 24.5.10 without patch 0004 ends its thread so in 6 of 10 runs of 1,000.
  (report "a special variable"
          (run #'bind (lambda () (null *bound*)) (* 10 throws)))
  (mprof:start)
  (report "with-region" (run (lambda () (mprof:with-region ("r") (work)))
                             #'no-region-p throws))
  (report "with-labels"
          (run (lambda () (mprof:with-labels (:a *file* :b 1) (work)))
               #'no-region-p throws))
  (report "with-same-labels"
          (run (mprof:with-region (:same) (mprof:with-same-labels #'work))
               #'no-region-p throws))
  (report "with-region, interpreted"
          (run (si:eval-with-env '(lambda ()
                                   (mprof:with-region ("i") (work))))
               #'no-region-p throws))
  (report "a budget in a profile"
          (run (lambda ()
                 (mprof:with-allocation-budget (:bytes *much*) (work)))
               #'no-snapshot-p throws))
  (mprof:stop)
  (report "a budget" (run (lambda ()
                            (mprof:with-allocation-budget (:bytes *much*)
                              (work)))
                          #'idle-p throws))
  (report "allocated-by" (run (lambda () (mprof:allocated-by (work)))
                              #'idle-p throws))
  (report "with-profiling"
          (run (lambda () (mprof:with-profiling (:report nil) (work)))
               #'idle-p throws))
  (report "with-profiling in a file"
          (run (lambda ()
                 (mprof:with-profiling (:report nil :file *file*) (work)))
               #'file-works-p (floor throws 10)))
  (report "start and stop in a file"
          (run (lambda () (mprof:start :file *file*) (work) (mprof:stop))
               (lambda () (mprof:stop) (file-works-p))
               (floor throws 10)))
  (report "profile" (run #'mprof:load-profile #'idle-p (floor throws 10)))
  (setf *port* (mprof:serve :port 0 :start nil))
  (mprof:stop-serving)
  (report "serve and stop-serving"
          (run (lambda ()
                 (mprof:serve :port *port* :start nil)
                 (mprof:stop-serving))
               #'server-works-p (floor throws 10)))
  (mprof:reset)
  (report "a timeline"
          (run (lambda ()
                 (mprof:start :timeline 1/100)
                 (mprof:stop)
                 (mprof:reset))
               #'timeline-works-p (floor throws 10))))

(defun kill (kills)
  (report "serve, killed"
          (run (lambda ()
                 (mprof:serve :port *port* :start nil)
                 (mprof:stop-serving))
               #'server-works-p kills t))
  (report "a timeline, killed"
          (run (lambda ()
                 (mprof:start :timeline 1/100)
                 (mprof:stop)
                 (mprof:reset))
               #'timeline-works-p kills t))
  (report "a file, killed"
          (run (lambda ()
                 (mprof:with-profiling (:report nil :file *file*) (work)))
               #'file-works-p kills t))
  (report "a server whose thread was killed"
          (loop repeat 10
                do (mprof:serve :port *port* :start nil)
                   (mp:process-kill (second mprof::*server*))
                   (mp:process-join (second mprof::*server*))
                count (not (server-works-p)))))

(let ((throws (parse-integer (or (ext:getenv "THROWS") "100"))))
  (throw-out throws)
  (kill (floor throws 10)))
