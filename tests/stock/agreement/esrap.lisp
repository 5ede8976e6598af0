;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; esrap.lisp -- a grammar, and texts that are parsed by it, a wrong one too.

(defvar *sink*)

(defun add (list)
  (destructuring-bind (first rest) list
    (reduce (lambda (sum part) (list (first part) sum (second part))) rest
            :initial-value first)))

(esrap:defrule blank (* (or #\Space #\Newline)) (:constant nil))
(esrap:defrule digits (+ (esrap:character-ranges (#\0 #\9)))
  (:lambda (list) (parse-integer (esrap:text list))))
(esrap:defrule name (and (alpha-char-p character)
                         (* (alphanumericp character)))
  (:text t)
  (:lambda (text) (intern (string-upcase text) :keyword)))
(esrap:defrule group (and "(" blank sum ")" blank)
  (:function third))
(esrap:defrule atom (or group (and (or digits name) blank))
  (:lambda (x) (if (and (consp x) (null (second x))) (first x) x)))
(esrap:defrule product (and atom (* (and (or "*" "/") blank atom)))
  (:lambda (list)
    (add (list (first list)
               (mapcar (lambda (x) (list (first x) (third x)))
                       (second list))))))
(esrap:defrule sum (and product (* (and (or "+" "-") blank product)))
  (:lambda (list)
    (add (list (first list)
               (mapcar (lambda (x) (list (first x) (third x)))
                       (second list))))))

(defun formula (n)
  (format nil "~{~A~^ + ~}"
          (loop for i below n
                collect (format nil "a~D * (b - ~D / (c + 12))" i i))))

(defun all ()
  (dotimes (i 10)
    (setf *sink* (esrap:parse 'sum (formula 40)))
    (setf *sink* (handler-case (esrap:parse 'sum "a + (b * ")
                   (esrap:esrap-error (e) (princ-to-string e)))))
  t)
