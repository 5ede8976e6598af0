;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; soak.lisp -- random programs with threads, which predict their profiles
;;;; (tests/random/), while others begin and end threads, fork, load and unload
;;;; code, collect, and take snapshots; then counting begins and ends at
;;;; random, while objects are followed or not.  There is no difference, and the
;;;; monitor's memory does not grow.  Long lives: long-life.lisp.

(defpackage #:soak
  (:use #:common-lisp))

(in-package #:soak)

(defvar *quiet* t "The others are to end.")
(defvar *failures* 0)
(defvar *module* (ext:getenv "SOAK_MODULE") "A compiled file.")
(defvar *before* #((0) (0) (0) (2)) "With 2, it is found what holds what.")
(defvar *turns* (vector 0 0 0 0) "What each of the others did, how often.")

(defun same (what expected actual)
  (unless (equal expected actual)
    (incf *failures*)
    (format t "not ok - ~A~%# expected ~S, got ~S~%" what expected actual)))

;;; The others

(defun little (n)
  (let ((last '()))
    (dotimes (i n last)
      (push (* 1.5d0 i) last))))

;;; Found once.  ECL, any ECL, looks for a function in the libraries on its
;;; list without a lock: in one that another thread has closed meanwhile, too,
;;; which is a segmentation violation when its memory serves another purpose by
;;; then (MALLOC_PERTURB_=165 shows it within seconds).

(defun foreign (name)
  (si:find-foreign-symbol name :default :pointer-void 0))

(defvar *fork* (foreign "fork"))
(defvar *exit* (foreign "_exit"))
(defvar *wait* (foreign "waitpid"))
(defvar *finalize-on-demand* (foreign "GC_set_finalize_on_demand"))

(defun begin-and-end ()
  (mapc #'mp:process-join
        (loop repeat 3
              collect (mp:process-run-function "short" #'little 100))))

(defun module-loaded-p ()
  (with-open-file (maps "/proc/self/maps")
    (loop for line = (read-line maps nil)
          while line
            thereis (search *module* line))))

(defun load-and-unload ()
  (load *module* :verbose nil)
  (let* ((name (intern "FROM-MODULE" '#:soak))
         (block (si:compiled-function-block (fdefinition name))))
    (funcall name 10)
    (fmakunbound name)
    (si:unload-foreign-module block))
  (same "the module is still loaded" nil (module-loaded-p))
  (ext:gc t))

(defun take ()
  (mprof::free-snapshot
   (list (mprof::take-snapshot (elt *before* (random 4)))))
  (sleep 0.01))

(defun end-in-child ()
  "Finalizers do not run: that of unloaded code waits for ECL's global lock,
which another thread may have had when this process was copied.  Then the child
of any ECL waits for ever."
  (si:call-cfun *finalize-on-demand* :void '(:int) '(1))
  (little 100)
  (mprof::monitor-stop)
  (si:call-cfun *exit* :void '(:int) '(7)))

(defun fork-and-wait ()
  (let ((status (make-array 1 :element-type '(unsigned-byte 32)))
        (child (si:call-cfun *fork* :int '() '())))
    (when (zerop child)
      (end-in-child))
    (si:call-cfun *wait* :int '(:int :pointer-void :int)
                  (list child (si:make-foreign-data-from-array status) 0))
    (same "the child of a fork ends well" (ash 7 8) (aref status 0))
    (sleep 0.01)))

(defparameter *others* '(begin-and-end load-and-unload take fork-and-wait))

(defun call-among-others (function)
  (setf *quiet* nil)
  (let ((threads (loop for other in *others*
                       for i from 0
                       collect (let ((other other) (i i))
                                 (mp:process-run-function
                                  "other" (lambda ()
                                            (loop until *quiet*
                                                  do (funcall other)
                                                     (incf (aref *turns*
                                                                 i)))))))))
    (unwind-protect (funcall function)
      (setf *quiet* t)
      (mapc #'mp:process-join threads))))

;;; Rounds

(defun programs-with-threads (n seed)
  "N programs from SEED on, defined.  They are the same all the time, since the
monitor keeps the names of all functions that there ever were."
  (let ((programs (loop for s from seed
                        for program = (random-tests::make-program s)
                        when (plusp (random-tests::program-threads program))
                          collect program into programs
                        until (= n (length programs))
                        finally (return programs))))
    (random-tests::define programs)
    programs))

(defun begin-and-end-counting (program)
  (mprof:reset)
  (loop with live = (zerop (random 2))
        repeat 10
        do (mprof:start :live live)
           (sleep (random 0.005))
           (when (zerop (random 4))
             (mprof:reset))
           (mprof:stop))
  (let ((random-tests::*differences* '())
        (profile (mprof:load-profile)))
    (random-tests::check-sums program profile "counted at random")
    (same "allocations whose chains are cut short" "0"
          (mprof.data:comment "mprof.cut_allocations" profile))
    random-tests::*differences*))

(defun check (program)
  (call-among-others
   (lambda ()
     (same (format nil "program ~D" (random-tests::program-seed program))
           '() (random-tests::check-program program))
     (same (format nil "counting, ~D" (random-tests::program-seed program))
           '() (begin-and-end-counting program))))
  (mprof:reset)
  (ext:gc t))

;;; Memory

(defun monitor-kilobytes ()
  "Resident, of mappings without reserve: the monitor's, and malloc's of
threads."
  (flet ((field (line name)
           (when (eql (mismatch name line) (length name))
             (parse-integer line :start (length name) :junk-allowed t))))
    (with-open-file (maps "/proc/self/smaps")
      (loop with resident = 0
            for line = (read-line maps nil)
            while line
            do (setf resident (or (field line "Rss:") resident))
            when (and (eql (mismatch "VmFlags:" line) 8)
                      (search " nr" line))
              sum resident))))

(defun check-memory (sizes)
  "SIZES in KiB, the last first: in the last quarter they are what they were in
the first half, but for what malloc does."
  (let* ((n (length sizes))
         (last (reduce #'max (subseq sizes 0 (ceiling n 4))))
         (before (reduce #'max (subseq sizes (floor n 2)))))
    (same "memory of the second half" t
          (or (< n 8) (<= last (+ before 1024))))
    (format t "# ~D rounds, ~D KiB, then ~D~%" n before last)))

(defun run-programs (seconds)
  (loop with end = (+ (get-universal-time) seconds)
        with programs = (programs-with-threads
                         8 (mod (get-universal-time) 1000000))
        with sizes = '()
        while (or (null sizes) (< (get-universal-time) end))
        do (mapc #'check programs)
           (push (monitor-kilobytes) sizes)
           (format t "# ~D programs from ~D on, turns ~A, ~D KiB~%"
                   (length programs)
                   (random-tests::program-seed (first programs)) *turns*
                   (first sizes))
           (finish-output)
        finally (check-memory sizes)))
