;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; A function that uses its &REST list conses it.

(declaim (notinline sum any-odd count-args two keys none))

(defun sum (&rest numbers)
  (let ((sum 0))
    (dolist (n numbers sum)
      (incf sum n))))

(defun fault-1 ()
  (let ((total 0))
    (dotimes (i 100 total)
      (incf total (sum i 1 2)))))

(defun sum-of-three (a b c)
  (+ a b c))

(defun mended-1 ()
  (let ((total 0))
    (dotimes (i 100 total)
      (incf total (sum-of-three i 1 2)))))

;;; DYNAMIC-EXTENT does not help.

(defun count-args (&rest args)
  (declare (dynamic-extent args))
  (length args))

(defun fault-2 ()
  (let ((total 0))
    (dotimes (i 50 total)
      (incf total (count-args i i i i i)))))

(defun mended-2 ()
  (let ((total 0))
    (dotimes (i 50 total)
      (incf total 5))))

;;; A local function has one, too.

(defun fault-3 ()
  (flet ((most (first &rest more)
           (dolist (n more first)
             (when (> n first)
               (setf first n)))))
    (declare (notinline most))
    (let ((total 0))
      (dotimes (i 20 total)
        (incf total (funcall #'most i 3 10))))))

(defun mended-3 ()
  (let ((total 0))
    (dotimes (i 20 total)
      (incf total (max i 3 10)))))

;;; A list that the caller makes; optional arguments; a &REST list that is not
;;; used, and so not made.

(defun two (list)
  (length list))

(defun alike-1 ()
  (let ((total 0))
    (dotimes (i 10 total)
      (incf total (two (list i i))))))

(defun keys (a &optional (b 2) &key (c 3))
  (list a b c))

(defun alike-2 ()
  (let ((last nil))
    (dotimes (i 10 last)
      (setf last (keys i 1 :c 2)))))

(defun none (a &rest more)
  (declare (ignore more))
  (list a))

(defun alike-3 ()
  (let ((last nil))
    (dotimes (i 10 last)
      (setf last (none i 1 2)))))
