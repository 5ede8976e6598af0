;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; EVERY, SOME and MAP cons lists of their arguments.

(defvar *numbers* (list 2 4 6 8 11))
(defvar *vector* (vector 3 1 4 1 5))

(defun fault-1 ()
  (loop repeat 10
        count (every #'evenp *numbers*)))

(defun mended-1 ()
  (loop repeat 10
        count (loop for n in *numbers*
                    always (evenp n))))

;;; Two sequences.

(defun fault-2 ()
  (list (some #'> *vector* *numbers*)
        (notany #'evenp *vector*)))

(defun mended-2 ()
  (list (loop for a across *vector*
              for b in *numbers*
              thereis (> a b))
        (loop for a across *vector*
              never (evenp a))))

;;; A vector for a vector.

(defun fault-3 ()
  (map 'vector #'1+ *vector*))

(defun mended-3 ()
  (let ((new (make-array (length *vector*))))
    (dotimes (i (length new) new)
      (setf (svref new i) (1+ (svref *vector* i))))))

;;; Functions that look alike and cons nothing, or their result alone.

(defun alike-1 ()
  (list (find-if #'oddp *numbers*) (position 4 *vector*)
        (count-if #'evenp *vector*)))

(defun alike-2 ()
  (mapcar #'+ *numbers* *numbers*))

(defun alike-3 ()
  (mismatch *numbers* *vector*))
