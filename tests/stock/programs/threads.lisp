;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; threads.lisp -- ten threads that allocate at the same time, and then one
;;;; after the other; and objects with finalizers and weak pointers.

(declaim (notinline f-work))
(defun f-work (n)
  (let ((l nil))
    (dotimes (i n (length l))
      (push (list i) l))))

(defun f-threads (n)
  (mapc #'mp:process-join
        (loop repeat n
              collect (mp:process-run-function 'worker #'f-work 10000)))
  n)

(defun f-one-by-one (n)
  (dotimes (i n n)
    (mp:process-join (mp:process-run-function 'single #'f-work 100))))

(defvar *kept* nil)
(defun f-records (n)
  (dotimes (i n n)
    (let ((object (list i)))
      (ext:set-finalizer object #'identity)
      (push (ext:make-weak-pointer object) *kept*))))

(defun all ()
  (f-threads 10)
  (f-one-by-one 10)
  (f-records 300)
  (setf *kept* nil)
  (ext:gc t))
