;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; CL-PPCRE makes a scanner of a string that is not a constant.

(eval-when (:compile-toplevel :load-toplevel :execute)
  (require :asdf)
  (unless (find-package "CL-PPCRE")
    (push #p"/usr/share/common-lisp/source/cl-ppcre/"
          (symbol-value (find-symbol "*CENTRAL-REGISTRY*" "ASDF")))
    (funcall (find-symbol "LOAD-SYSTEM" "ASDF") "cl-ppcre")))

(defvar *lines* '("a=1" "b=22" "c=x"))

;;; A pattern that is passed as a string.

(defun matches (pattern)
  (count-if (lambda (line) (cl-ppcre:scan pattern line)) *lines*))
(declaim (notinline matches))

(defun fault-1 ()
  (matches "[0-9]+"))

(defun mended-1 ()
  (matches (load-time-value (cl-ppcre:create-scanner "[0-9]+"))))

;;; A pattern that is made of a name.  The scanners are kept by name.

(defun value (name)
  (loop with pattern = (concatenate 'string "^" name "=(.*)$")
        for line in *lines*
        do (multiple-value-bind (match groups)
               (cl-ppcre:scan-to-strings pattern line)
             (when match
               (return (svref groups 0))))))

(defun fault-2 ()
  (value "b"))

(defvar *scanners* (make-hash-table :test #'equal))

(defun name-scanner (name)
  (or (gethash name *scanners*)
      (setf (gethash name *scanners*)
            (cl-ppcre:create-scanner
             (concatenate 'string "^" name "=(.*)$")))))

;; The pattern is not made, either: a string of eight characters, and seven
;; conses.
(defparameter *more-2* (- (+ 40 (* 8 4) (* 7 16))))

(defun kept-value (name)
  (loop with scanner = (name-scanner name)
        for line in *lines*
        do (multiple-value-bind (match groups)
               (cl-ppcre:scan-to-strings scanner line)
             (when match
               (return (svref groups 0))))))

(defun mended-2 ()
  (kept-value "b"))

;;; CREATE-SCANNER itself, in a loop.

(defun fault-3 ()
  (loop for line in *lines*
        sum (length (cl-ppcre:split (cl-ppcre:create-scanner "=") line))))

(defun mended-3 ()
  (loop with equals = (load-time-value (cl-ppcre:create-scanner "="))
        for line in *lines*
        sum (length (cl-ppcre:split equals line))))

;;; A constant, which CL-PPCRE has a scanner made of as the program is loaded;
;;; a scanner that is kept; what else CL-PPCRE makes.

(defun alike-1 ()
  (count-if (lambda (line) (cl-ppcre:scan "[0-9]+" line)) *lines*))

(defvar *digits* (cl-ppcre:create-scanner "[0-9]+"))

(defun alike-2 ()
  (cl-ppcre:all-matches-as-strings *digits* "1 22 333"))

(defun alike-3 ()
  (cl-ppcre:quote-meta-chars "a.b"))
