;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; names.lisp -- functions of all kinds that allocate, each so many bytes
;;;; that the figure tells who.

(defvar *sink* nil)

;;; What ECL itself calls when it begins, before it is a Lisp function.

(defun core ()
  (dotimes (i 100)
    (setf *sink* (funcall 'list i))
    (setf *sink* (make-array 10 :adjustable t))
    (setf *sink* (copy-list '(1 2 3 4)))))

(defun all ()
  (core)
  t)
