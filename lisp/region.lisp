;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; region.lisp -- named regions: parts of a program whose figures one wants.
;;;;
;;;; To enter and to leave one allocates nothing, and it leaves no trace in call
;;;; chains, so that figures are what they would be without.  A name that is not
;;;; constant is made into a string first; that is counted, in the caller.

(in-package #:mprof)

(defun region-name (name)
  "The region that NAME, a symbol or a string, stands for; a string."
  (typecase name
    (string name)
    (symbol (string-downcase name))
    (t (fail "~S is no name of a region, which is a symbol or a string"
             name))))

(defmacro with-region ((name) &body body)
  "Run BODY as the region NAME of the program, and give back its values.

NAME (a string, or a symbol whose name in lower case is meant; evaluated): what
reports call it.  Regions nest: the figures of one go up into the region around
it, and the same name within two regions is two regions.  A thread has regions
of its own, and is in none when it begins.  At most 127 regions are told apart,
64 within one another; what is beyond belongs to the region around it.

The table REGIONS says how often and how long each was entered and what was
allocated in it; (mprof:report :region \"^parse\") and mprof report --region
print all tables for that alone.  Nothing happens in a thread that was never
counted: begin to count first.  Entering and leaving takes some microseconds and
allocates nothing if NAME is constant.

Example:

   (mprof:with-profiling (:report :regions)
     (mprof:with-region (:parse) (parse-all))
     (mprof:with-region (:emit) (emit-all)))

Signals MPROF-ERROR when NAME is neither symbol nor string."
  `(progn
     (c:region-begin
      ,(if (constantp name)
           `(load-time-value (c:arguments (region-name ,name)))
           `(c:arguments (region-name ,name))))
     (unwind-protect (progn ,@body) (c:region-end))))
