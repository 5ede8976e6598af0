;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; A condition that is signalled is an instance, with a list of initargs for
;;;; each generic function that makes it.  The handlers stay here.

(declaim (notinline number-in number-or-nil price price-or-nil))

;;; An error of ECL's own.

(defun number-in (text)
  (handler-case (parse-integer text)
    (error () nil)))

(defun fault-1 ()
  (mapcar #'number-in '("1" "x" "20" "" "y")))

(defun number-or-nil (text)
  (handler-case (parse-integer text :junk-allowed t)
    (error () nil)))

(defun mended-1 ()
  (mapcar #'number-or-nil '("1" "x" "20" "" "y")))

;;; A condition of the program's own, with slots, that is signalled by the
;;; function that is called.

(define-condition no-such-item (error)
  ((item :initarg :item)
   (shop :initarg :shop :initform nil)))

(defvar *prices* '((:tea . 3) (:milk . 1)))

(defun price (item)
  (let ((entry (assoc item *prices*)))
    (unless entry
      (error 'no-such-item :item item))
    (cdr entry)))

(defun fault-2 ()
  (let ((sum 0))
    (dolist (item '(:tea :salt :milk :oil) sum)
      (handler-case (incf sum (price item))
        (no-such-item () (incf sum 10))))))

(defun price-or-nil (item)
  (cdr (assoc item *prices*)))

(defun mended-2 ()
  (let ((sum 0))
    (dolist (item '(:tea :salt :milk :oil) sum)
      (handler-case (incf sum (or (price-or-nil item) 10))
        (no-such-item () (incf sum 10))))))

;;; A condition that is made once.

(defvar *full* (make-condition 'no-such-item :item :all))

(defun alike-1 ()
  (loop repeat 3
        collect (catch 'full
                  (handler-bind ((no-such-item
                                   (lambda (condition)
                                     (throw 'full
                                       (slot-value condition 'item)))))
                    (signal *full*)))))
