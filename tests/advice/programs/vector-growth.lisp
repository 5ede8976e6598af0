;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; VECTOR-PUSH-EXTEND makes a full vector anew, larger by half.

;;; The vector has 48 bytes, and 8 for each element.  Room for all of them
;;; takes the place of the last one that was made.

(defun fault-1 ()
  (let ((v (make-array 0 :adjustable t :fill-pointer t)))
    (dotimes (i 100 v)
      (vector-push-extend i v))))

(defparameter *more-1* (* 100 8))

(defun mended-1 ()
  (let ((v (make-array 100 :adjustable t :fill-pointer 0)))
    (dotimes (i 100 v)
      (vector-push-extend i v))))

;;; A string, which is never longer than the one that is read.

(defun squeezed (text size)
  (let ((line (make-array size :element-type 'character :adjustable t
                               :fill-pointer 0)))
    (loop for c across text
          unless (char= c #\Space)
            do (vector-push-extend c line))
    line))

(defun fault-2 ()
  (squeezed "now is the time for all good men" 4))

(defparameter *more-2* (* 4 (- 32 4)))

(defun mended-2 ()
  (squeezed "now is the time for all good men" 32))

;;; One vector for all calls, which has grown already.

(defun multiples (n limit into)
  (loop for x from n to limit by n
        do (vector-push-extend x into))
  (reduce #'+ into))

(defun fault-3 ()
  (multiples 3 300 (make-array 8 :adjustable t :fill-pointer 0)))

;; The first vector is not made, either.
(defparameter *more-3* (- (+ 48 (* 8 8))))

(defvar *multiples* (make-array 8 :adjustable t :fill-pointer 0))

(defun mended-3 ()
  (setf (fill-pointer *multiples*) 0)
  (multiples 3 300 *multiples*))

;;; VECTOR-PUSH; room enough; a string stream that grows.

(defun alike-1 ()
  (let ((v (make-array 10 :fill-pointer 0)))
    (dotimes (i 20 v)
      (vector-push i v))))

(defun alike-2 ()
  (let ((v (make-array 20 :adjustable t :fill-pointer 0)))
    (dotimes (i 20 v)
      (vector-push-extend i v))))

(defun alike-3 ()
  (with-output-to-string (s)
    (dotimes (i 200)
      (write-char #\x s))))
