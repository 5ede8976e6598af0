;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; report.lisp -- the tables of the benchmark, of the ratios that results.lisp
;;;; computes.  Of the rounds the median and the range are shown.
;;;;
;;;; BENCH_REPORT, the name of an option of run.sh or times, says which tables.

(setf ext:*invoke-debugger-hook*
      (lambda (condition hook)
        (declare (ignore hook))
        (format *error-output* "~&bench: ~A~%" condition)
        (ext:quit 1)))

(load (merge-pathnames "results.lisp" *load-truename*) :verbose nil)

(in-package #:bench-report)

;;; The table of times

(defparameter *columns*
  '(("patched" "patched") ("stopped" "monitor off") ("counter" "bare counter")
    ("mprof" "mprof") ("mprof" "on against off" :base "stopped")
    ("full-walk" "whole walks"))
  "Each a configuration, a title, and further arguments of RATIOS.")

(defun column-ratios (column program)
  (apply #'ratios program (first column) (cddr column)))

(defun print-ratio (numbers)
  (if (null numbers)
      (format t "  ~18@A" "")
      (let* ((low (reduce #'min numbers)) (high (reduce #'max numbers))
             (control (if (< high 100) "~,2F" "~D"))
             (exact (if (< high 100) #'identity #'round)))
        (flet ((text (number)
                 (format nil control (funcall exact number))))
          (format t "  ~5@A ~13A" (text (median numbers))
                  (format nil "(~A-~A)" (text low) (text high)))))))

(defun print-times ()
  (format t "~%TIME as a multiple of the unpatched ECL's: median (range)~2%")
  (format t "~20A ~7@A~:{~*  ~19A~}~%" "program" "M/s" *columns*)
  (format t "~V,,,'-A~%" 154 "")
  (dolist (program (programs))
    (format t "~20A ~7,2F" program (million-a-second program))
    (dolist (column *columns*)
      (print-ratio (column-ratios column program)))
    (terpri))
  (format t "~%M/s: million objects that a program allocates in a second in the ~
             unpatched ECL.~@
             On against off: mprof as a multiple of the monitor off, in the ~
             same ECL.~@
             Whole walks: with a 64th of the allocations or fewer, none where ~
             100,000 frames come and go.~%"))

(defun print-summary (title programs summary)
  "A line: SUMMARY, a function of numbers, of the median ratios of PROGRAMS."
  (when programs
    (format t "~20A ~7D" title (length programs))
    (dolist (column *columns*)
      (let ((ratios (loop for program in programs
                          for ratios = (column-ratios column program)
                          when ratios
                            collect (median ratios))))
        (format t "  ~5@A ~13A"
                (if ratios (format nil "~,2F" (funcall summary ratios)) "")
                "")))
    (terpri)))

;;; Collections, and whether both counts agree

(defun collections (program configuration)
  (round (median (mapcar #'run-collections (runs program configuration)))))

(defun print-collections ()
  (flet ((same (one other)
           (count-if (lambda (program)
                       (= (collections program one)
                          (collections program other)))
                     (programs))))
    (let ((differ (remove-if (lambda (program)
                               (= (collections program "reference")
                                  (collections program "patched")
                                  (collections program "stopped")
                                  (collections program "mprof")))
                             (programs))))
      (format t "~%COLLECTIONS, medians.  Of ~D programs, ~D have the same in ~
                 the patched ECL as in the~@
                 unpatched one, and ~D the same while mprof counts as when it is ~
                 loaded and stopped.~@
                 Threads take turns in another order each time.~2%"
              (length (programs)) (same "reference" "patched")
              (same "stopped" "mprof"))
      (when differ
        (format t "  ~20A~{ ~9@A~}~%" ""
                '("unpatched" "patched" "stopped" "mprof"))
        (dolist (program differ)
          (format t "  ~20A~{ ~9D~}~%" program
                  (loop for configuration in '("reference" "patched" "stopped"
                                               "mprof")
                        collect (collections program configuration))))))))

(defun counts (program configuration)
  (remove-duplicates (mapcar (lambda (run)
                               (list (run-allocations run) (run-bytes run)))
                             (runs program configuration))
                     :test #'equal))

(defun print-counts ()
  (let ((differ (remove-if (lambda (program)
                             (let ((counts (counts program "mprof")))
                               (and (null (rest counts))
                                    (equal counts
                                           (counts program "counter")))))
                           (programs))))
    (format t "~%COUNTS: mprof and the bare counter found the same objects and ~
               bytes in each round~@
               for ~D of ~D programs~:[~;; the others, as (objects bytes):~]~%"
            (- (length (programs)) (length differ)) (length (programs)) differ)
    (dolist (program differ)
      (format t "  ~A~%    mprof   ~S~%    counter ~S~%" program
              (counts program "mprof") (counts program "counter")))))

;;; Instructions

(defun print-instructions ()
  (let ((columns '(("patched") ("loaded") ("stopped") ("counter") ("mprof")
                   ("mprof" "stopped"))))
    (format t "~%INSTRUCTIONS as a multiple of the unpatched ECL's, the ~
               collector's included~2%")
    (format t "~20A ~12@A~:{ ~9@A~} ~9@A~%~V,,,'-A~%" "program" "unpatched"
            (butlast columns) "on/off" 93 "")
    (dolist (program (counted-programs))
      (format t "~20A ~12D~{ ~9,3F~}~%" program
              (instructions program "reference")
              (loop for column in columns
                    collect (apply #'instruction-ratio program column))))
    (format t "~20A ~12A~{ ~9,3F~}~%" "geometric mean" ""
            (loop for column in columns
                  collect (geometric-mean
                           (apply #'instruction-ratios column))))
    (format t "~%loaded: (require :mprof) and no more; stopped: started and ~
               stopped again; on/off: mprof~@
               as a multiple of stopped.~%")))

(defun instruction-ratios (configuration &optional (base "reference"))
  (loop for program in (counted-programs)
        collect (instruction-ratio program configuration base)))

;;; Where the instructions go

(defun function-instructions (program)
  "A hash table: of each function's name, how many more instructions it took
itself for an allocation in the last configuration, mprof, than in the first."
  (let ((more (make-hash-table :test #'equal)))
    (loop for (name allocations configuration function count) in *functions*
          when (and (equal name program) (plusp allocations))
            do (incf (gethash function more 0d0)
                     (/ (if (equal configuration "mprof") count (- count))
                        allocations)))
    more))

(defun counted-allocations (program)
  "In the run whose instructions are counted."
  (second (find program *functions* :key #'first :test #'equal)))

(defun print-functions (program base)
  (let ((functions '()))
    (maphash (lambda (function more)
               (when (>= more 0.5d0)
                 (push (cons function more) functions)))
             (function-instructions program))
    (format t "  ~20A ~,3F~%" program
            (instruction-ratio program "mprof" base))
    (loop for (function . more) in (sort functions #'> :key #'cdr)
          repeat 10
          do (format t "    ~8,1F  ~A~%" more function))))

(defun print-worst-functions (count &optional (base "reference"))
  (format t "~%INSTRUCTIONS FOR AN ALLOCATION that mprof adds, by function, in ~
             the ~D worst programs~2%" count)
  (loop for program in (sort (copy-list (counted-programs)) #'>
                             :key (lambda (program)
                                    (instruction-ratio program "mprof" base)))
        repeat count
        do (print-functions program base)))

;;; Two configurations of instructions

(defun print-pair (base other &optional (unit (constantly 1)))
  "The instructions of each program in BASE and in OTHER, divided by UNIT, a
function of the program, and those of OTHER as a multiple of those of BASE."
  (format t "~20A ~14@A ~14@A ~9@A~%~V,,,'-A~%" "program" base other "ratio"
          60 "")
  (dolist (program (counted-programs))
    (flet ((text (configuration)
             (format nil (if (= (funcall unit program) 1) "~D" "~,1F")
                     (/ (instructions program configuration)
                        (funcall unit program)))))
      (format t "~20A ~14@A ~14@A ~9,3F~%" program (text base) (text other)
              (instruction-ratio program other base)))))

(defun often-allocating-p (program)
  "Does PROGRAM allocate once in 5,000 instructions, which is about a million
times a second?"
  (< (instructions program "stopped") (* 5000 (counted-allocations program))))

(defun print-on-off ()
  (format t "~%INSTRUCTIONS FOR AN ALLOCATION, mprof stopped and counting, ~
             the collector's included~2%")
  (print-pair "stopped" "mprof"
              (lambda (program) (max 1 (counted-allocations program))))
  (let ((programs (remove-if-not #'often-allocating-p (counted-programs))))
    (when programs
      (format t "~%Of the ~D programs that allocate about a million times a ~
                 second:~2%" (length programs))
      (flet ((ratio (program)
               (instruction-ratio program "mprof" "stopped")))
        (print-figure "geometric mean" 1.18
                      (geometric-mean (mapcar #'ratio programs)))
        (print-largest "worst" 1.90 programs #'ratio))))
  (print-worst-functions 10 "stopped"))

(defun print-words ()
  (format t "~%INSTRUCTIONS without words in frames and with them, nobody ~
             profiling~2%")
  (print-pair "no-words" "patched")
  (terpri)
  (print-figure "words alone: mean" 1.01
                (geometric-mean (instruction-ratios "patched" "no-words")))
  (print-largest "words alone: worst" 1.04 (counted-programs)
                 (lambda (program)
                   (instruction-ratio program "patched" "no-words"))))

;;; The figures to reach

(defun print-figure (what asked measured &optional (remark ""))
  "A line; MEASURED is NIL when a program of it was not run."
  (format t "~37A ~6,2F  ~8@A  ~12A ~A~%" what asked
          (if measured (format nil "~,3F" measured) "-")
          (cond ((null measured) "")
                ((<= measured asked) "reached")
                (t "not reached"))
          remark))

(defun largest (programs key)
  "The largest KEY of PROGRAMS that were run, and which that is; or NIL."
  (let ((programs (remove nil programs :key key)))
    (when programs
      (let ((largest (reduce #'max programs :key key)))
        (values largest (find largest programs :key key))))))

(defun mprof-ratio (program)
  (median-ratio program "mprof"))

(defun on-off-ratio (program)
  (median-ratio program "mprof" :base "stopped"))

(defun quotient (program other clock)
  "Of what mprof costs in PROGRAM by what it costs in OTHER."
  (let ((numerator (median-ratio program "mprof" :clock clock))
        (denominator (median-ratio other "mprof" :clock clock)))
    (and numerator denominator (/ numerator denominator))))

(defun print-largest (what asked programs key)
  (multiple-value-bind (value program) (largest programs key)
    (print-figure what asked value (or program ""))))

(defun print-time-figures ()
  (let ((programs (allocating-programs)))
    (flet ((mean (ratio)
             (and programs (geometric-mean (mapcar ratio programs)))))
      (print-figure "on against off: mean, > 1 M/s" 1.18
                    (mean #'on-off-ratio))
      (print-largest "on against off: worst, > 1 M/s" 1.90 programs
                     #'on-off-ratio)
      (print-figure "geometric mean, > 1 M/s" 1.03 (mean #'mprof-ratio)))
    (print-largest "worst single program" 1.35 (programs) #'mprof-ratio)
    (print-figure "cons loop" 1.15 (mprof-ratio "cons-loop"))
    (print-figure "one allocation per call" 1.30 (mprof-ratio "one-per-call"))
    (loop for kind in '("loop" "down" "up")
          do (flet ((name (depth)
                      (format nil "~A-~:[~;depth-~]~D" kind
                              (equal kind "loop") depth)))
               (print-figure (format nil "depth 10^5 against 10, ~A" kind) 1.05
                             (quotient (name 100000) (name 10) *clock*))))
    (print-largest "throw-heavy, the worst" 1.30
                   '("catch-throw" "throw-depth-20" "return-from-closure"
                     "handled-errors")
                   #'mprof-ratio)
    (print-figure "two threads against one, per thread" 1.05
                  (quotient "threads-2" "threads-1" #'run-seconds)
                  "by the clock")))

(defun print-instruction-figures ()
  (loop for (what configuration) in '(("monitor loaded, off" "stopped")
                                      ("patched, no monitor" "patched"))
        do (print-figure (format nil "~A: mean" what) 1.01
                         (geometric-mean (instruction-ratios configuration))
                         "instructions")
           (print-largest (format nil "~A: worst" what) 1.01
                          (counted-programs)
                          (lambda (program)
                            (instruction-ratio program configuration)))))

(defun print-figures ()
  (format t "~%FIGURES TO REACH~2%")
  (format t "~37A ~6@A  ~8@A~%~V,,,'-A~%" "mprof against the unpatched ECL"
          "asked" "measured" 83 "")
  (when *runs*
    (print-time-figures))
  (when *instructions*
    (print-instruction-figures)))

(defun print-summaries ()
  (let ((programs (allocating-programs)))
    (format t "~%Geometric means~2%")
    (print-summary "all > 1 M/s" programs #'geometric-mean)
    (print-summary "no adversaries" (remove-if #'adversary-p programs)
                   #'geometric-mean)
    (format t "~%Worst~2%")
    (print-summary "all > 1 M/s" programs
                   (lambda (ratios) (reduce #'max ratios)))))

(defun print-live ()
  (format t "~%TIME as a multiple of mprof stopped: median (range)~2%")
  (format t "~20A  ~19A~19A~%~V,,,'-A~%" "program" "counting"
          "and following" 60 "")
  (dolist (program (programs))
    (format t "~20A" program)
    (dolist (configuration '("mprof" "live"))
      (print-ratio (ratios program configuration :base "stopped")))
    (terpri))
  (flet ((ratio (program)
           (median-ratio program "live" :base "stopped")))
    (terpri)
    (print-figure "cons loop" 1.50
                  (and (find "cons-loop" (programs) :test #'equal)
                       (ratio "cons-loop")))
    (print-figure "geometric mean" 1.40
                  (geometric-mean (mapcar #'ratio (programs))))
    (print-largest "worst" 2.50 (programs) #'ratio)))

(defun print-all ()
  (print-times)
  (print-summaries)
  (print-collections)
  (print-counts)
  (when *instructions*
    (print-instructions)
    (print-worst-functions 3))
  (print-figures))

(defun print-all-instructions ()
  (setf *runs* '())
  (print-instructions)
  (print-worst-functions 5)
  (print-figures))

(let ((reports '(("times" . print-all) ("on-off" . print-on-off)
                 ("words" . print-words) ("live" . print-live)
                 ("instructions" . print-all-instructions))))
  (funcall (rest (assoc (ext:getenv "BENCH_REPORT") reports :test #'equal))))
(ext:quit 0)
