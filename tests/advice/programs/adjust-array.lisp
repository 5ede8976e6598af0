;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; ADJUST-ARRAY makes a new array.

;;; One element more each time.

(defun fault-1 ()
  (let ((v (make-array 0 :adjustable t)))
    (dotimes (i 10 v)
      (setf v (adjust-array v (1+ i))
            (aref v i) (* i i)))))

;; Room for ten from the start.
(defparameter *more-1* (* 10 8))

(defun mended-1 ()
  (let ((v (make-array 10 :adjustable t)))
    (dotimes (i 10 v)
      (setf (aref v i) (* i i)))))

;;; A buffer that is too small.

(defun fill-buffer (buffer text)
  (when (< (length buffer) (length text))
    (setf buffer (adjust-array buffer (length text))))
  (replace buffer text))

(defun fault-2 ()
  (let ((buffer (make-string 4)))
    (dolist (text '("one" "three" "nineteen") (length buffer))
      (setf buffer (fill-buffer buffer text)))))

(defparameter *more-2* (* 4 4))

(defun mended-2 ()
  (let ((buffer (make-string 8)))
    (dolist (text '("one" "three" "nineteen") (length buffer))
      (setf buffer (fill-buffer buffer text)))))

;;; A vector that is cut to what it has: a fill pointer does.

(defun fault-3 ()
  (let ((v (make-array 10 :adjustable t :initial-element 1)))
    (reduce #'+ (adjust-array v 5))))

(defun mended-3 ()
  (let ((v (make-array 10 :fill-pointer 10 :initial-element 1)))
    (setf (fill-pointer v) 5)
    (reduce #'+ v)))

;;; VECTOR-PUSH-EXTEND; a new array; a displaced one.

(defun alike-1 ()
  (let ((v (make-array 1 :adjustable t :fill-pointer 0)))
    (dotimes (i 5 v)
      (vector-push-extend i v))))

(defun alike-2 ()
  (replace (make-array 5) #(1 2 3)))

(defun alike-3 ()
  (make-array 3 :displaced-to (vector 1 2 3 4)))
