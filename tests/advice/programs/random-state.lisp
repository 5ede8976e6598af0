;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Random states, each of 2.5 kB.

(defun fault-1 ()
  (loop repeat 10
        count (< (random 1f0 (make-random-state t)) 2f0)))

(defun mended-1 ()
  (let ((state (make-random-state t)))
    (loop repeat 10
          count (< (random 1f0 state) 2f0))))

;;; A function that makes one for itself.

(defun jitter (n)
  (let ((*random-state* (make-random-state nil)))
    (dotimes (i n t)
      (random 1f0))))

(defun fault-2 ()
  (loop repeat 4
        always (jitter 3)))

(defun jitter-by (state n)
  (dotimes (i n t)
    (random 1f0 state)))

(defun mended-2 ()
  (let ((state (make-random-state nil)))
    (loop repeat 4
          always (jitter-by state 3))))

;;; One from a seed for each element of a list.

(defun fault-3 ()
  (let ((list (list 1 2 3)))
    (dolist (n list list)
      (random (float n) (make-random-state 42)))))

(defun mended-3 ()
  (let ((list (list 1 2 3))
        (state (make-random-state 42)))
    (dolist (n list list)
      (random (float n) state))))

;;; A single one; none; vectors as large.

(defun alike-1 ()
  (random-state-p (make-random-state t)))

(defun alike-2 ()
  (loop repeat 10
        count (< (random 1d0) 2d0)))

(defun alike-3 ()
  (length (make-array 312 :element-type '(unsigned-byte 64))))
