;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; region.lisp -- named regions: parts of a program with figures of their own.
;;;;
;;;; Entering and leaving a region allocates nothing and does not appear in call
;;;; chains, so all other figures stay the same.  A name that is not constant is
;;;; first made into a string, which is charged to the caller.

(in-package #:mprof)

(defun region-name (name)
  "Return the name of the region NAME, a symbol or a string, as a string."
  (typecase name
    (string name)
    (symbol (string-downcase name))
    (t (fail "~S is not the name of a region; use a symbol or a string"
             name))))

(defmacro with-region ((name) &body body)
  "Run BODY as the region NAME of the program, and return its values.

NAME (a string, or a symbol, which stands for its name in lower case;
evaluated): the name in reports.  Regions nest: the figures of a region are
included in those of the enclosing region, and the same name within two regions
makes two regions.  Each thread starts outside all regions.  At most 127 regions
are distinguished, nested at most 64 deep; any others count as part of the
region around them.

The table REGIONS shows how often each region was entered, how long it was
active, and what was allocated in it.  (mprof:report :region \"^parse\")
restricts all tables to it.  A region has no effect in a thread that was never
counted, so start counting first.  Entering and leaving takes some microseconds,
and allocates nothing if NAME is constant.

Example:

   (mprof:with-profiling (:report :regions)
     (mprof:with-region (:parse) (parse-all))
     (mprof:with-region (:emit) (emit-all)))

Signals MPROF-ERROR if NAME is neither a symbol nor a string."
  `(progn
     (region-begin
      ,(if (constantp name)
           `(load-time-value (list (octets-of (region-name ,name))))
           `(list (octets-of (region-name ,name)))))
     (unwind-protect (progn ,@body) (region-end))))
