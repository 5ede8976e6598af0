;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; objects.lisp -- instances, methods, structures.

(in-package #:bench)

(declaim (optimize (speed 3) (safety 1) (debug 0)))

;;; CLOS

(defclass shape ()
  ((name :initarg :name :initform "shape" :reader shape-name)
   (uses :initform 0 :accessor shape-uses)))

(defclass box (shape)
  ((width :initarg :width :accessor box-width)
   (height :initarg :height :accessor box-height)))

(defclass disc (shape)
  ((radius :initarg :radius :accessor disc-radius)))

(defgeneric area (shape))

(defmethod area ((shape box))
  (* (box-width shape) (box-height shape)))

(defmethod area ((shape disc))
  (* 3 (expt (disc-radius shape) 2)))

(defmethod area :before ((shape shape))
  (incf (shape-uses shape)))

(defgeneric scaled (shape factor))

(defmethod scaled :around ((shape shape) factor)
  (if (eql factor 1) shape (call-next-method)))

(defmethod scaled ((shape disc) factor)
  (make-instance 'disc :name (shape-name shape)
                       :radius (* factor (disc-radius shape))))

(defmethod scaled ((shape box) factor)
  (make-instance 'box :name (shape-name shape)
                      :width (* factor (box-width shape))
                      :height (* factor (box-height shape))))

(define-program clos-instances (n :size 24000 :result (* 15 n))
  "Make and add up N boxes and N discs."
  (let ((sum 0))
    (dotimes (i n sum)
      (incf sum (area (make-instance 'box :width 3 :height 4)))
      (incf sum (area (make-instance 'disc :name i :radius 1))))))

(define-program clos-methods (n :size 200000 :result (list (* 4 n) (* 2 n)))
  "Methods before, around and next, on instances that exist; the next methods'
arguments are lists."
  (let ((box (make-instance 'box :width 1 :height 1))
        (disc (make-instance 'disc :radius 1)) (sum 0))
    (dotimes (i n (list sum (+ (shape-uses box) (shape-uses disc))))
      (incf sum (area (scaled box 1)))
      (incf sum (area (scaled disc 1))))))

;;; Structures

(defstruct widget colour serial)

(defun make-red-widget (serial)
  (make-widget :colour :red :serial serial))

(defun make-blue-widget (serial)
  (make-widget :colour :blue :serial serial))

(defun consume-widget (widget)
  (if (eq (widget-colour widget) :red) 1 0))

(define-program producer-consumer (n :size 16 :result 50000)
  "The paper's example: make and use 100,000 widgets, by turns red and blue, N
times."
  (repeat n
    (let ((red 0))
      (declare (fixnum red))
      (dotimes (serial 100000 red)
        (incf red (the fixnum
                       (consume-widget (if (evenp serial)
                                           (make-red-widget serial)
                                           (make-blue-widget serial)))))))))
