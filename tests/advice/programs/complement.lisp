;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; COMPLEMENT makes a closure, which conses its arguments at each call.

(defvar *numbers* (list 3 14 15 92 65 35 89))
(defvar *words* (vector "tea" "" "milk" ""))

(defun fault-1 ()
  (remove-if (complement #'evenp) *numbers*))

(defun mended-1 ()
  (remove-if-not #'evenp *numbers*))

;;; A test of two arguments.

(defun fault-2 ()
  (find 15 *numbers* :test (complement #'<=)))

(defun mended-2 ()
  (find 15 *numbers* :test #'>))

;;; One that is made for each of many calls.

(declaim (notinline blank))
(defun blank (word)
  (= (length (the string word)) 0))

(defun fault-3 ()
  (loop repeat 5
        sum (count-if (complement #'blank) *words*)))

(defun mended-3 ()
  (loop repeat 5
        sum (count-if-not #'blank *words*)))

;;; Other functions of functions; the same functions without it.

(defun alike-1 ()
  (mapcar (constantly 3) *numbers*))

(defun alike-2 ()
  (let ((most 20))
    (remove-if (lambda (n) (not (< n most))) *numbers*)))

(defun alike-3 ()
  (substitute-if-not 0 #'oddp *numbers*))
