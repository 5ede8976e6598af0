;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; baseline.lisp -- what was counted until some moment, while counting goes on.
;;;;
;;;; A baseline is a profile file that is written in the middle of a profile
;;;; without adding to it: the names of some files, and the lists of arguments
;;;; with them for the C side, are made before counting begins.

(in-package #:mprof)

(defstruct (baseline (:copier nil) (:predicate nil))
  "A file for a profile.  ARGUMENTS are its name for the C side."
  name arguments used)

(defparameter *baseline-count* 32
  "There are so many baselines at a time.")

(defvar *baselines* nil
  "A vector of BASELINE, or NIL before the first start.")

(defvar *baselines-lock* (mp:make-lock :name "mprof baselines")
  "Held while *BASELINES* or an element is looked at and changed.")

(defun prepare-baselines ()
  "Make *BASELINES* unless it is there.  To be called before counting begins."
  (mp:with-lock (*baselines-lock*)
    (unless *baselines*
      (let ((vector (make-array *baseline-count*)))
        (dotimes (i *baseline-count*)
          (let ((name (namestring (ext:mkstemp "TMP:mprof-"))))
            (delete-file name)
            (setf (svref vector i)
                  (make-baseline :name name :arguments
                                 (mprof.bindings:file-arguments name)))))
        (setf *baselines* vector)))))

(defun take-baseline ()
  "A BASELINE with all that was counted until now, or NIL when it cannot be had.
Allocates nothing."
  (let ((baseline nil))
    (mp:with-lock (*baselines-lock*)
      (dotimes (i (length *baselines*))
        (unless (baseline-used (svref *baselines* i))
          (setf baseline (svref *baselines* i)
                (baseline-used baseline) t)
          (return))))
    (cond ((null baseline) nil)
          ((mprof.bindings:monitor-write-quietly
            (baseline-arguments baseline))
           baseline)
          (t
           (drop-baseline baseline)
           nil))))

(defun drop-baseline (baseline)
  "Give back BASELINE.  Allocates nothing."
  (mprof.bindings:delete-quietly (baseline-arguments baseline))
  (setf (baseline-used baseline) nil))
