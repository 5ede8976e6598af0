;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; image.lisp -- what it costs to count in a file: processor time of programs
;;;; with the same profile, in a file and in memory, one after the other, again
;;;; and again; the quotient of the medians.  tests/bench/image.sh loads it.

(require :mprof)

(defun conses (n) (let ((x '())) (dotimes (i n) (push i x)) (setf *last* x)))

;;; Calls to and fro, so that each fourth object or so is on a new chain.
(defun left-way (path depth)
  (cond ((zerop depth) (setf *last* (make-array (logand path 63))))
        ((oddp path) (left-way (ash path -1) (1- depth)) nil)
        (t (right-way (ash path -1) (1- depth)) nil)))
(defun right-way (path depth)
  (cond ((zerop depth) (setf *last* (make-array (logand path 63))))
        ((oddp path) (right-way (ash path -1) (1- depth)) nil)
        (t (left-way (ash path -1) (1- depth)) nil)))
(defvar *last* nil)
(defun chains (n)
  (declare (fixnum n))
  (let ((random 1))
    (declare (fixnum random))
    (dotimes (i n)
      (setf random (logand (+ (* random 1103515245) 12345) #x7fffffff))
      (left-way (ash random -8) (mod (ash random -4) 14)))))

(mapc #'compile '(conses left-way right-way chains))

(defun seconds (function n options)
  "Of processor time that FUNCTION takes on N while it is profiled."
  (mprof:reset)
  (ext:gc t)
  (apply #'mprof:start options)
  (let ((start (get-internal-run-time)))
    (funcall function n)
    (prog1 (/ (- (get-internal-run-time) start)
              internal-time-units-per-second)
      (mprof:stop))))

(defun median (numbers)
  (nth (floor (length numbers) 2) (sort (copy-list numbers) #'<)))

(defun bench (file rounds)
  (dolist (program '((conses 20000000) (chains 1000000)))
    (destructuring-bind (function n) program
      (let ((mapped '()) (plain '()))
        (seconds function n '())
        (dotimes (i rounds)
          (push (seconds function n '()) plain)
          (push (seconds function n (list :file file)) mapped))
        (format t "~(~10A~) ~8,4F s ~8,4F s mapped  ~6,4F~%" function
                (median plain) (median mapped)
                (/ (median mapped) (median plain)))))))
