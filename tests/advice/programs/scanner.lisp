;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; CL-PPCRE makes a scanner of a string that is not a constant.

(eval-when (:compile-toplevel :load-toplevel :execute)
  (require :asdf)
  (unless (find-package "CL-PPCRE")
    (push #p"/usr/share/common-lisp/source/cl-ppcre/"
          (symbol-value (find-symbol "*CENTRAL-REGISTRY*" "ASDF")))
    (funcall (find-symbol "LOAD-SYSTEM" "ASDF") "cl-ppcre")))

(defvar *lines* '("a=1" "b=22" "c=x"))

;;; A pattern that is passed as a string.

(defun matches (pattern)
  (count-if (lambda (line) (cl-ppcre:scan pattern line)) *lines*))
(declaim (notinline matches))

(defun fault-1 ()
  (matches "[0-9]+"))

(defun mended-1 ()
  (matches (load-time-value (cl-ppcre:create-scanner "[0-9]+"))))

;;; A constant, which CL-PPCRE has a scanner made of as the program is loaded.

(defun alike-1 ()
  (count-if (lambda (line) (cl-ppcre:scan "[0-9]+" line)) *lines*))
