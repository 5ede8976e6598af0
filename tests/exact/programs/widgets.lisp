;;;; variants: compiled bytecode
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; The paper's producer and consumer, the same file as in the demo.

(in-package #:exact)

(eval-when (:compile-toplevel :load-toplevel :execute)
  (unless (find-package '#:producer-consumer)
    (let ((source "tests/demo/producer-consumer.lisp"))
      (if (eq *variant* :compiled)
          (let ((fas (format nil "~A-widgets-~D.fas" *dump* (ext:getpid))))
            (compile-file source :output-file fas)
            (load fas :verbose nil)
            (delete-file fas))
          (load source :verbose nil)))))

;;; 10,000 widgets in turns, 5,000 red and 5,000 blue.  A widget has two
;;; slots.  Compiled, nothing else allocates.  Interpreted, each variable that
;;; is bound takes conses: SERIAL in MAKE-RED-WIDGET and in
;;; MAKE-BLUE-WIDGET, COLOUR and SERIAL in MAKE-WIDGET (two more in
;;; NEW-WIDGET), WIDGET in CONSUME-WIDGET.  In PRODUCE-AND-CONSUME these are
;;; N, RED, the limit and SERIAL once, and in each round the increment of
;;; INCF.

(defconstant +widget+ (+ +instance+ (* 2 +word+)))

(measuring ("10,000 widgets")
    (producer-consumer:produce-and-consume 10000)
  (class-total 'producer-consumer:widget 10000 (* 10000 +widget+))
  (calls 'producer-consumer:produce-and-consume 1)
  (calls 'producer-consumer:make-red-widget 5000)
  (calls 'producer-consumer:make-blue-widget 5000)
  (calls 'producer-consumer:make-widget 10000)
  (arc 'producer-consumer:produce-and-consume
       'producer-consumer:make-red-widget 5000)
  (arc 'producer-consumer:produce-and-consume
       'producer-consumer:make-blue-widget 5000)
  (when (eq *variant* :compiled)
    (total 10000 (* 10000 +widget+))
    (arc 'producer-consumer:make-red-widget 'producer-consumer:make-widget
         5000 5000 (* 5000 +widget+))
    (arc 'producer-consumer:make-blue-widget 'producer-consumer:make-widget
         5000 5000 (* 5000 +widget+))
    (inclusive 'producer-consumer:make-widget 10000 (* 10000 +widget+))
    (inclusive 'producer-consumer:make-red-widget 5000 (* 5000 +widget+))
    (inclusive 'producer-consumer:make-blue-widget 5000 (* 5000 +widget+))
    (self 'producer-consumer:produce-and-consume 0 0)
    (absent 'producer-consumer:consume-widget))
  (when (eq *variant* :bytecode)
    (loop for (name variables) in '((producer-consumer:make-red-widget 5000)
                                    (producer-consumer:make-blue-widget 5000)
                                    (producer-consumer:make-widget 20000)
                                    (producer-consumer:produce-and-consume
                                     10004)
                                    (producer-consumer:consume-widget 10000))
          do (self name (b variables) (* (b variables) +cons+)))
    (total (+ (b 70004) 10000) (+ (* (b 70004) +cons+) (* 10000 +widget+)))
    (calls 'producer-consumer:consume-widget 10000)))
