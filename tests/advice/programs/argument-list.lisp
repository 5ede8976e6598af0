;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; EVERY, SOME, MAP and CONCATENATE make lists of the sequences that they are
;;;; given.

(defun all-digits-p (text)
  (every #'digit-char-p text))

(defun fault-1 ()
  (count-if #'all-digits-p '("123" "12a" "99")))

(defun digits-only-p (text)
  (loop for c across text
        always (digit-char-p c)))

(defun mended-1 ()
  (count-if #'digits-only-p '("123" "12a" "99")))

;;; Two strings.  The new string has its result in both cases.

(defun fault-2 ()
  (let ((names nil))
    (dolist (name '("ann" "bob") names)
      (push (concatenate 'string "mr " name) names))))

(defun joined (left right)
  (let ((text (make-string (+ (length left) (length right)))))
    (replace text left)
    (replace text right :start1 (length left))))

(defun mended-2 ()
  (let ((names nil))
    (dolist (name '("ann" "bob") names)
      (push (joined "mr " name) names))))

;;; MAP over two vectors

(defun dot (a b)
  (let ((sum 0))
    (map nil (lambda (x y) (incf sum (* x y))) a b)
    sum))

(defun fault-3 ()
  (dot #(1 2 3) #(4 5 6)))

;; Nor is the closure made, nor the cons that it has SUM in.
(defparameter *more-3* (- (+ 48 16)))

(defun mended-3 ()
  (loop for x across #(1 2 3)
        for y across #(4 5 6)
        sum (* x y)))

;;; Other functions of sequences; MAPCAR; functions of lists.

(defun alike-1 ()
  (list (position 3 '(1 2 3)) (find 2 #(1 2)) (reduce #'+ #(1 2 3))
        (count #\a "banana")))

(defun alike-2 ()
  (mapcar #'1+ '(1 2 3)))

(defun alike-3 ()
  (subsetp '(1 2) '(3 2 1)))
