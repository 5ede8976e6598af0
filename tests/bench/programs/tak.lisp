;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; tak.lisp -- Takeuchi's function and its relatives: calls, and nothing but
;;;; calls.  They hardly allocate; here to show that what does not allocate
;;;; does not pay, and for catch, throw and special variables.  Each computes
;;;; tak(18,12,6), which is 7, N times.

(in-package #:bench)

(declaim (optimize (speed 3) (safety 1) (debug 0)))

(defun tak-of (x y z)
  (declare (fixnum x y z))
  (if (not (< y x))
      z
      (tak-of (tak-of (1- x) y z)
              (tak-of (1- y) z x)
              (tak-of (1- z) x y))))

(define-program tak (n :size 180 :result 7)
  "The function itself."
  (repeat n (tak-of 18 12 6)))

;;; By throws: each value is thrown to the one that waits for it.

(defun throw-tak (x y z)
  (declare (fixnum x y z))
  (if (not (< y x))
      (throw 'value z)
      (throw-tak (catch 'value (throw-tak (1- x) y z))
                 (catch 'value (throw-tak (1- y) z x))
                 (catch 'value (throw-tak (1- z) x y)))))

(define-program ctak (n :size 100 :result 7)
  "With a catch and a throw for each value."
  (repeat n (catch 'value (throw-tak 18 12 6))))

;;; By special variables.

(defvar *x*)
(defvar *y*)
(defvar *z*)

(defun special-tak ()
  (if (not (< (the fixnum *y*) (the fixnum *x*)))
      *z*
      (let ((*x* (let ((*x* (1- (the fixnum *x*))))
                   (special-tak)))
            (*y* (let ((*x* (1- (the fixnum *y*))) (*y* *z*) (*z* *x*))
                   (special-tak)))
            (*z* (let ((*x* (1- (the fixnum *z*))) (*y* *x*) (*z* *y*))
                   (special-tak))))
        (special-tak))))

(define-program stak (n :size 160 :result 7)
  "With special variables for arguments."
  (repeat n
    (let ((*x* 18) (*y* 12) (*z* 6))
      (special-tak))))

;;; By lists, whose lengths are the numbers.

(defun number-list (n)
  (if (zerop n) '() (cons n (number-list (1- n)))))

(defun shorter-p (a b)
  (loop
    (cond ((null b) (return nil))
          ((null a) (return t))
          (t (pop a) (pop b)))))

(defun list-tak (x y z)
  (declare (list x y z))
  (if (not (shorter-p y x))
      z
      (list-tak (list-tak (rest x) y z)
                (list-tak (rest y) z x)
                (list-tak (rest z) x y))))

(define-program takl (n :size 280 :result 7)
  "With lists for numbers."
  (length (the list (repeat n
                      (list-tak (number-list 18) (number-list 12)
                                (number-list 6))))))

;;; By a hundred functions that call each other in turn, so that caches for
;;; code and branches are of little use.

(defmacro define-tak-ring (count)
  (flet ((name (i)
           (intern (format nil "TAK~D" (mod i count)))))
    `(progn
       ,@(loop for i below count
               collect `(defun ,(name i) (x y z)
                          (declare (fixnum x y z))
                          (if (not (< y x))
                              z
                              (,(name (+ i 1))
                               (,(name (+ i 37)) (1- x) y z)
                               (,(name (+ i 11)) (1- y) z x)
                               (,(name (+ i 17)) (1- z) x y))))))))

(define-tak-ring 100)

(define-program takr (n :size 220 :result 7)
  "Spread over a hundred functions."
  (repeat n (tak0 18 12 6)))
