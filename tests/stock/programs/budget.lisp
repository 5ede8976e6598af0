;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; More contexts than a budget of some thousands has room for, in threads of
;;;; which one sleeps in between.

(eval-when (:compile-toplevel :load-toplevel :execute)
  (defconstant +cold+ 600 "Functions that make few objects at a time.")
  (defun cold-name (i)
    (intern (format nil "F-COLD-~D" i))))

(defvar *kept* nil)

(declaim (notinline f-one f-hot))

(defun f-one () (setf *kept* (cons 1 1)))

(defun f-hot () (f-one) (f-one))

(macrolet ((define-all ()
             `(progn
                ,@(loop for i below +cold+
                        collect `(declaim (notinline ,(cold-name i)))
                        collect `(defun ,(cold-name i) ()
                                   (f-one)
                                   (setf *kept*
                                         (make-array ,(1+ (mod i 7))))))
                (defun f-cold (i)
                  (ecase i
                    ,@(loop for i below +cold+
                            collect `(,i (,(cold-name i)))))))))
  (define-all))

(defun f-work (rounds)
  (dotimes (round rounds)
    (dotimes (i +cold+)
      (f-hot)
      (f-cold i))))

(defun f-sleeper ()
  (f-work 1)
  (sleep 2)
  (f-work 1))

(defun all ()
  (let ((threads (cons (mp:process-run-function 'sleeper #'f-sleeper)
                       (loop repeat 3
                             collect (mp:process-run-function
                                      'worker #'f-work 10)))))
    (f-work 10)
    (mapc #'mp:process-join threads)))
