;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; stopping.lisp -- for gdb.sh: four functions that allocate before and after
;;;; what they call, the last of which calls C.  The environment says how to
;;;; count, and where the C function is.

(defpackage #:stopping
  (:use #:common-lisp))

(in-package #:stopping)

(defvar *kept* nil)

(defvar *stop-here*
  (si:find-foreign-symbol "stop_here" (ext:getenv "STOPPING_LIBRARY")
                          :pointer-void 0))

(defvar *argument* '(1))

(defun inner (n)
  (setf *kept* (list n))
  (si:call-cfun *stop-here* :long '(:long) *argument*)
  (setf *kept* (list n)))

(defun middle (n)
  (setf *kept* (list n))
  (inner n)
  (setf *kept* (list n)))

(defun outer (n)
  (setf *kept* (list n))
  (middle n)
  (middle n)
  (setf *kept* (list n)))

(defun run (n)
  (dotimes (i n)
    (outer i)
    (setf *kept* (list i))))

(defun figures (name)
  (let* ((profile (mprof:load-profile))
         (f (mprof.data:row :functions name profile)))
    (format t "~(~A~) ~D ~D ~D~%" name
            (mprof.data:figure :calls f)
            (mprof.data:figure :self-allocations f)
            (mprof.data:figure :self-bytes f))))

(let ((counting (ext:getenv "STOPPING_WALK")))
  (unless (string= counting "off")
    (mprof:start :full-walk (string= counting "full")))
  (run 10)
  (unless (string= counting "off")
    (mprof:stop)
    (mapc #'figures '(inner middle outer run))
    (format t "differing ~A~%"
            (mprof.data:comment "mprof.differing_walks" (mprof:load-profile)))))
