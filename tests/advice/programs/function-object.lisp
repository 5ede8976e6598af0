;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Functions that capture nothing, and are made each time.

(defun fault-1 ()
  (let ((v (vector 3 1 2)))
    (dotimes (i 5 v)
      (setf v (sort v (lambda (a b) (< a b)))))))

(defun mended-1 ()
  (let ((v (vector 3 1 2)))
    (dotimes (i 5 v)
      (setf v (sort v #'<)))))

;;; By LOAD-TIME-VALUE.

(defvar *words* (list "a" "bc" "def" "gh"))

(defun fault-2 ()
  (loop for size from 1 to 3
        collect (position size *words*
                          :key (lambda (word) (length (the string word))))))

(defun mended-2 ()
  (loop for size from 1 to 3
        collect (position size *words*
                          :key (load-time-value
                                (lambda (word)
                                  (length (the string word)))))))

;;; A local function that is passed; a global one has a name.

(defun call-twice (function n)
  (funcall function (funcall function n)))

(defun fault-3 ()
  (loop for n from 1 to 10
        collect (flet ((next (n)
                         (if (evenp n) (/ n 2) (1+ (* 3 n)))))
                  (call-twice #'next n))))

(defun next (n)
  (if (evenp n) (/ n 2) (1+ (* 3 n))))

(defun mended-3 ()
  (loop for n from 1 to 10
        collect (call-twice #'next n)))

;;; Functions that are called where they are; names; closures.

(defun alike-1 ()
  (flet ((double (n) (* 2 n)))
    (loop for n from 1 to 10
          collect (double n))))

(defun alike-2 ()
  (mapcar 'next (list 1 2 3)))

(defun alike-3 ()
  (let ((most 10))
    (find-if (lambda (n) (> n most)) (list 5 10 15))))
