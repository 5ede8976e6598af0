;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; subjects.lisp -- functions to profile, and what several tests need.

(in-package #:mprof.tests)

(defvar *kept* nil
  "Takes objects that nobody needs, so that making them is not left out.")

(defun make-conses (n)
  "Make N conses and nothing else."
  (dotimes (i n)
    (setf *kept* (cons i i))))

(defun make-doubles (n)
  "Make a vector of N double floats."
  (make-array n :element-type 'double-float :initial-element 0d0))

(defun figures ()
  "What the profiler has counted: (ALLOCATIONS BYTES)."
  (list (mprof::allocations) (mprof::bytes)))

(defun active-p ()
  (getf (mprof:status) :active))

(defmacro with-idle-profiler (&body body)
  "Run BODY with a profiler that has nothing, and leave it so."
  `(flet ((clear ()
            (when (active-p) (mprof:stop))
            (mprof:reset)))
     (clear)
     (unwind-protect (progn ,@body)
       (clear))))

(defmacro profiled (&body body)
  "Run BODY while counting; a PROFILE of it."
  `(progn (mprof:reset)
          (mprof:start)
          (progn ,@body)
          (mprof:stop)
          (mprof:load-profile)))

(defmacro with-temporary-file ((variable) &body body)
  "Run BODY with VARIABLE bound to the name of a file that is deleted after."
  `(let ((,variable (namestring (ext:mkstemp "TMP:mprof-test-"))))
     (unwind-protect (progn ,@body)
       (when (probe-file ,variable)
         (delete-file ,variable)))))

(defun report-of (condition)
  (princ-to-string condition))

(defmacro with-folder ((variable) &body body)
  "Run BODY with VARIABLE bound to a folder, a string that ends in a slash, that
is gone afterwards with the files in it."
  `(call-in-folder-of-its-own
    (lambda (files)
      (let ((,variable (namestring (make-pathname :name nil :type nil
                                                  :defaults files))))
        ,@body))))
