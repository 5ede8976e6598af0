;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; producer-consumer.lisp -- the example of Zorn and Hilfinger's paper in
;;;; Lisp, small enough to know every figure by hand.
;;;;
;;;; N widgets: every other one red, the rest blue.  MAKE-WIDGET makes them
;;;; all, one structure each, so only its callers tell who wanted them.  A
;;;; structure is 64 bytes and 8 for each slot: two slots make 80 bytes.
;;;; Nothing else allocates.

(defpackage #:producer-consumer
  (:use #:common-lisp)
  (:export #:widget #:make-widget #:make-red-widget #:make-blue-widget
           #:consume-widget #:produce-and-consume))

(in-package #:producer-consumer)

(defstruct (widget (:constructor new-widget (colour serial)))
  colour
  serial)

(defun make-widget (colour serial)
  (new-widget colour serial))

(defun make-red-widget (serial)
  (make-widget :red serial))

(defun make-blue-widget (serial)
  (make-widget :blue serial))

(defun consume-widget (widget)
  "1 when WIDGET is red, else 0."
  (if (eq (widget-colour widget) :red) 1 0))

(defun produce-and-consume (n)
  "Make and use N widgets, by turns red and blue; how many were red."
  (let ((red 0))
    (dotimes (serial n red)
      (incf red (consume-widget (if (evenp serial)
                                    (make-red-widget serial)
                                    (make-blue-widget serial)))))))
