;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; demo.lisp -- the larger program of the demo: CL-PPCRE at work.

(defvar *sink*)

(defun all ()
  (setf *sink* (licences:survey
                (licences:read-texts "/usr/share/common-licenses/")
                (licences:make-rules)))
  t)
