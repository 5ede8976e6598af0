;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; results.lisp -- what the files of run.sh and instructions.sh say: runs,
;;;; instructions, and ratios of them.
;;;;
;;;; A ratio is the time (or the instructions) for a unit of size in one
;;;; configuration, divided by the same in another one, mostly the unpatched
;;;; ECL, and in the same round.
;;;;
;;;; BENCH_LIBRARIES is the folder with the files; CLOCK, cpu or real, which
;;;; time.

(defpackage #:bench-report
  (:use #:common-lisp))

(in-package #:bench-report)

;;; Reading

(defun fields (line)
  (loop for start = 0 then (1+ end)
        for end = (position #\Tab line :start start)
        collect (let ((field (subseq line start end)))
                  (if (every (lambda (c) (or (digit-char-p c) (char= c #\.)))
                             field)
                      (let ((*read-default-float-format* 'double-float))
                        (read-from-string field))
                      field))
        while end))

(defun read-table (name)
  "The lines below the first of the file, as lists; () when there is no file."
  (with-open-file (stream (format nil "~A/~A.tsv"
                                  (ext:getenv "BENCH_LIBRARIES") name)
                          :if-does-not-exist nil)
    (when stream
      (read-line stream)
      (loop for line = (read-line stream nil)
            while line
            collect (fields line)))))

(defstruct (run (:type list))
  round group program configuration size seconds cpu-seconds collections
  allocations bytes)

(defvar *runs* (read-table "results"))
(defvar *instructions* (read-table "instructions"))
(defvar *functions* (read-table "functions"))
(defvar *clock* (if (equal (ext:getenv "CLOCK") "real")
                    #'run-seconds
                    #'run-cpu-seconds))

(defun runs (program configuration)
  "Of all rounds, the first first."
  (loop for run in *runs*
        when (and (equal (run-program run) program)
                  (equal (run-configuration run) configuration))
          collect run))

(defun programs ()
  (remove-duplicates (mapcar #'run-program *runs*) :test #'equal
                                                   :from-end t))

(defun counted-programs ()
  (remove-duplicates (mapcar #'first *instructions*) :test #'equal
                                                     :from-end t))

;;; Figures

(defun median (numbers)
  (let* ((sorted (sort (copy-list numbers) #'<))
         (n (length sorted)))
    (/ (+ (nth (floor (1- n) 2) sorted) (nth (floor n 2) sorted)) 2)))

(defun geometric-mean (numbers)
  (exp (/ (reduce #'+ numbers :key #'log) (length numbers))))

(defun time-per-size (run clock)
  (/ (funcall clock run) (run-size run)))

(defun ratios (program configuration &key (base "reference") (clock *clock*))
  (loop for run in (runs program configuration)
        for other = (find (run-round run) (runs program base)
                          :key #'run-round)
        when other ; a benchmark that was stopped can lack it
          collect (/ (time-per-size run clock) (time-per-size other clock))))

(defun median-ratio (program configuration &rest keys)
  (let ((ratios (apply #'ratios program configuration keys)))
    (and ratios (median ratios))))

(defun instructions (program configuration)
  (third (find-if (lambda (line)
                    (and (equal (first line) program)
                         (equal (second line) configuration)))
                  *instructions*)))

(defun instruction-ratio (program configuration &optional (base "reference"))
  (let ((counted (instructions program configuration)))
    (and counted
         (/ counted (instructions program base) 1d0))))

(defun allocations (program)
  "Of one run, by mprof's own count."
  (let ((run (first (runs program "mprof"))))
    (and run (run-allocations run))))

(defun million-a-second (program)
  "Million allocations a second in the unpatched ECL."
  (/ (allocations program) 1d6
     (median (mapcar *clock* (runs program "reference")))))

(defun allocating-programs ()
  (remove-if-not (lambda (program) (> (million-a-second program) 1))
                 (programs)))

(defun adversary-p (program)
  (member (run-group (first (runs program "reference")))
          '("loops" "depths" "exits" "mutual") :test #'equal))
