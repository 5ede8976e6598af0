;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Threads: each counts for itself, all add up, and those of one name are one.
;;;; They begin and end at any time and in any way, also with known frames on
;;;; their stacks, and what the monitor takes for them is bounded.
;;;;
;;;; Threads make objects of their own when they begin and end, so only the
;;;; functions here are compared; totals still add up.

(in-package #:exact)

(setf *dump-only* "THREAD-WORK")

(defvar *done* (mp:make-semaphore))

(defun thread-work (n)
  (let ((last nil))
    (dotimes (i n last)
      (setf last (cons i i)))))

(defun threads-called (name n allocations)
  "Checks that all N threads of that NAME are one, in which THREAD-WORK made
ALLOCATIONS conses for each."
  (check (format nil "threads called ~A" name) 1
         (count name (mprof.data:figure :threads *profile*)
                :key (mprof.data:reader :name) :test #'string=))
  (let ((all *profile*)
        (*profile* (mprof:load-profile
                    nil :thread (substitute-if #\. (lambda (c) (find c "[]"))
                                               (format nil "^~A$" name)))))
    (self 'thread-work (* n allocations) (* n allocations +cons+))
    (let ((thread (mprof.data:row :threads name all)))
      (total (mprof.data:figure :allocations thread)
             (mprof.data:figure :bytes thread)))))

(measuring ("this thread and others")
    (let ((threads (loop for (name n) in '(("worker" 20000) ("worker" 20000)
                                           ("" 10) ("" 10) ("single" 30))
                         collect (mp:process-run-function name #'thread-work
                                                          n))))
      (thread-work 20000)
      (mapc #'mp:process-join threads))
  (self 'thread-work 60050 (* 60050 +cons+))
  (calls 'thread-work 6)
  (threads-called "worker" 2 20000)
  (threads-called "[unnamed]" 2 10)
  (threads-called "single" 1 30)
  (threads-called "SI:TOP-LEVEL" 1 20000))

;;; One that goes on after counting has stopped, and is counted again.

(defvar *steps* (mp:make-semaphore))
(defvar *step-done* (mp:make-semaphore))

(defun stepper ()
  (dotimes (i 3)
    (mp:wait-on-semaphore *steps*)
    (keep (thread-work 100))
    (mp:signal-semaphore *step-done*)))

(defun step-thread ()
  (mp:signal-semaphore *steps*)
  (mp:wait-on-semaphore *step-done*))

(defvar *stepper* (mp:process-run-function "stepper" #'stepper))

(loop for step in '(1 3)
      do (measuring ((format nil "a thread goes on after stop: step ~D" step))
             (step-thread)
           (self 'thread-work 100 (* 100 +cons+))
           (calls 'stepper 1)
           (threads-called "stepper" 1 100))
         (when (= step 1)
           (step-thread)))

(mp:process-join *stepper*)

;;; Threads that are in the middle of it when counting begins and when it
;;; ends: an object that the collector has given out is counted either by both
;;; sides or by none.

(defvar *busy* nil)
(defvar *made* 0)

(defun one-of-each (i)
  (keep (list i (* 1.5d0 i) (make-array (mod i 50)) (expt 3 (mod i 200))
              (make-string (mod i 300)) (make-hash-table))))

(defun busy ()
  (loop for i from 0
        while *busy*
        do (one-of-each i)
           (setf *made* i)))

(defun let-them-work ()
  (loop with before = *made*
        while (= before *made*)
        do (mp:process-yield)))

(dotimes (i 10)
  (setf *busy* t)
  (let ((threads (loop repeat 3
                       collect (mp:process-run-function "busy" #'busy))))
    (flet ((end ()
             (setf *busy* nil)
             (mapc #'mp:process-join threads)))
      (let-them-work)
      (measuring ("threads allocate while counting begins and ends")
          (progn
            (thread-work 10)
            (when (evenp i)
              (ext:gc))
            (if (> i 5)
                (end)
                (let-them-work)))
        (self 'thread-work 10 (* 10 +cons+)))
      (end))))

;;; The ways in which a thread can end, with known frames on its stack.

(defun below-frames (depth function)
  "Call FUNCTION below DEPTH frames, each of which has allocated."
  (thread-work 1)
  (if (zerop depth)
      (funcall function)
      (below-frames (1- depth) function))
  (thread-work 1))

(defun run-to-the-end (name function &optional (end #'identity))
  "Run FUNCTION in a thread, call END with that, and wait until it is gone."
  (let ((thread (mp:process-run-function name function)))
    (funcall end thread)
    (mp:process-join thread)
    (loop while (mp:process-active-p thread)
          do (mp:process-yield))))

;;; C code ends it with pthread_exit.  Lisp's cleanup forms do not run then.

(defvar *end-thread* (c-function "end_thread"))

(defun end-thread ()
  (thread-work 3)
  (si:call-cfun *end-thread* :void '() '()))

(measuring ("pthread_exit")
    (run-to-the-end "exit" (lambda () (below-frames 20 #'end-thread)))
  (self 'thread-work 24 (* 24 +cons+))
  (calls 'thread-work 22)
  (arc 'end-thread 'thread-work 1 3 (* 3 +cons+))
  (calls 'below-frames 21))

;;; It waits in C, and is cancelled there, or killed by Lisp.  Only the latter
;;; runs cleanup forms.

(defvar *call-and-wait* (c-function "call_and_wait"))
(defvar *cancel-waiting* (c-function "cancel_waiting"))

(ffi:defcallback arrived :long ((n :long))
  (thread-work n)
  (mp:signal-semaphore *done*)
  n)

(defvar *waiting* (list (ffi:callback 'arrived) 3))

(defun wait-in-c ()
  (unwind-protect
       (si:call-cfun *call-and-wait* :long '(:pointer-void :long) *waiting*)
    (thread-work 5)))

(defun cancel (thread)
  (declare (ignore thread))
  (mp:wait-on-semaphore *done*)
  (si:call-cfun *cancel-waiting* :int '() '()))

(defun kill (thread)
  (mp:wait-on-semaphore *done*)
  (mp:process-kill thread))

(loop for (title end cleanups) in `(("pthread_cancel" ,#'cancel 0)
                                     ("a thread is killed" ,#'kill 1))
      for n = (+ 24 (* 5 cleanups))
      do (measuring ((format nil "~A in C" title))
             (run-to-the-end title (lambda () (below-frames 20 #'wait-in-c)) end)
           (self 'thread-work n (* n +cons+))
           (calls 'thread-work (+ 22 cleanups))
           (arc 'arrived 'thread-work 1 3 (* 3 +cons+))
           (calls 'arrived 1)
           (calls 'below-frames 21)
           (if (zerop cleanups)
               (no-arc 'wait-in-c 'thread-work)
               (arc 'wait-in-c 'thread-work 1 5 (* 5 +cons+)))))

;;; A thread that C has made.

(defvar *call-in-new-thread* (c-function "call_in_new_thread"))

(ffi:defcallback work-callback :long ((n :long))
  (thread-work n)
  n)

(defvar *arguments* (list "from C" (ffi:callback 'work-callback) 10))

(measuring ("a thread that C has made" :residual nil)
    (si:call-cfun *call-in-new-thread* :long '(:object :pointer-void :long)
                  *arguments*)
  (self 'thread-work 10 (* 10 +cons+))
  (calls 'thread-work 1)
  ;; what ECL allocates to import a thread comes before it is announced
  (check "the residual has its reason"
         '("memory that the runtime allocated for 1 threads, created by C code, before they were imported")
         (nth-value 1 (mprof.data:comment "mprof.residual_note" *profile*))))

;;; Threads begin and end while profiles are saved and counting stops and
;;; starts.  The collector makes a record of each thread, in which run or
;;; between which two is left to chance: a hundred and sixty of them.

(defun make-threads (n)
  (dotimes (i n)
    (mp:process-join (mp:process-run-function "short" #'list))))

(measuring ("threads begin and end at all times")
    (let ((makers (loop repeat 4
                        collect (mp:process-run-function
                                 "maker" #'make-threads 40))))
      (loop while (some #'mp:process-active-p makers)
            for i from 1
            do (mprof:save *saved*)
               (when (zerop (mod i 5))
                 (mprof:stop)
                 (start)))
      (mapc #'mp:process-join makers)))

;;; Many threads.  The monitor's memory is what the kernel says of mappings
;;; without reserve, which nobody else here has but malloc.

(defun thread-work-of-kinds ()
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
(defvar *kilobytes* 0)
(defvar *go-on* nil)

(defun work-and-wait (done)
  (thread-work-of-kinds)
  (mp:signal-semaphore done)
  (loop until *go-on* do (sleep 0.1)))

(defun live-together ()
  (let* ((done (mp:make-semaphore))
         (before (monitor-kilobytes))
         (threads (loop repeat 100
                        collect (mp:process-run-function
                                 "together" #'work-and-wait done))))
    (dotimes (i 100)
      (mp:wait-on-semaphore done))
    (setf *kilobytes* (/ (- (monitor-kilobytes) before) 100)
          *go-on* t)
    (mapc #'mp:process-join threads)))

(measuring ("100 threads at once") (live-together)
  (calls 'thread-work-of-kinds 100)
  (check (format nil "each takes at most ~D KiB" +most-kilobytes+) t
         (<= *kilobytes* +most-kilobytes+)))

;;; One after the other, with one name or names of their own: those that have
;;; ended leave 256 names, and nothing from then on.

(defun run-row (name)
  (dotimes (i 400)
    (mp:process-join (mp:process-run-function (format nil name i)
                                              #'thread-work-of-kinds))))

(defun run-two-rows (first second)
  (run-row first)
  (let ((before (monitor-kilobytes)))
    (run-row second)
    (setf *kilobytes* (- (monitor-kilobytes) before))))

(loop for (title first second names others)
        in '(("with one name" "row" "row" 2 0)
             ("with names of their own" "number ~D" "other ~D" 258 1))
      do (measuring ((format nil "800 threads ~A" title))
             (run-two-rows first second)
           (calls 'thread-work-of-kinds 800)
           (check "names, and a label that the others share"
                  (list names others)
                  (let ((all (mapcar (mprof.data:reader :name)
                                     (mprof.data:figure :threads *profile*))))
                    (list (length all)
                          (count "[other threads]" all :test #'string=))))
           (check "the second half takes less than 1 MiB" t
                  (< *kilobytes* 1024))))
