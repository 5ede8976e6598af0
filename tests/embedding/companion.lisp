;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; companion.lisp -- a second file in one library, with a local function and a
;;;; global one that have the same C names as others in embedded.lisp.

(in-package #:embedded)

(defvar *also-kept* nil)

(defun second-leaf (n)
  (dotimes (i n)
    (setf *also-kept* (list i))))

(defun second-consume (n)
  (flet ((between ()
           (second-leaf n)))
    (declare (notinline between))
    (between)))
