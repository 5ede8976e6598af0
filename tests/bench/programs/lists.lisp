;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; lists.lisp -- deriv of Gabriel's benchmarks, written anew: a program of the
;;;; seventies, which makes conses and little else.

(in-package #:bench)

(declaim (optimize (speed 3) (safety 1) (debug 0)))

;;; deriv: symbolic derivatives.

(defun derivative (term)
  "The derivative by X, not simplified."
  (if (atom term)
      (if (eq term 'x) 1 0)
      (case (first term)
        (+ (cons '+ (mapcar #'derivative (rest term))))
        (- (cons '- (mapcar #'derivative (rest term))))
        (* (list '* term
                 (cons '+ (mapcar (lambda (factor)
                                    (list '/ (derivative factor) factor))
                                  (rest term)))))
        (/ (list '-
                 (list '/ (derivative (second term)) (third term))
                 (list '/ (second term)
                       (list '* (third term) (third term)
                             (derivative (third term))))))
        (t (error "no derivative of ~S" term)))))

(define-program deriv (n :size 140000
                       :result '(+ (* (* 3 x x) (+ (/ 0 3) (/ 1 x) (/ 1 x)))
                                   (* (* a x x) (+ (/ 0 a) (/ 1 x) (/ 1 x)))
                                   (* (* b x) (+ (/ 0 b) (/ 1 x)))
                                   0))
  "The derivative of a polynomial N times."
  (repeat n
    (derivative '(+ (* 3 x x) (* a x x) (* b x) 5))))
