;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; CONCATENATE makes a sequence of all that it is given.

;;; A text that grows: all of it is copied for each word.

(defvar *words* '("the" "quick" "brown" "fox"))

(defun fault-1 ()
  (let ((text ""))
    (dotimes (i 6 text)
      (dolist (word *words*)
        (setf text (concatenate 'string text word " "))))))

;; A string stream and the string of it, 120 characters, take the place; the
;; lists that CONCATENATE conses go, too.
(defparameter *more-1* (- (+ advice-tests:*stream-bytes* 40 (* 4 128)
                            40 (* 4 120))
                         (* 6 4 112)))

(defvar *text-1* "24 sizes from 56 to 520 bytes")

(defun mended-1 ()
  (with-output-to-string (text)
    (dotimes (i 6)
      (dolist (word *words*)
        (write-string word text)
        (write-char #\Space text)))))

;;; What is printed at once.

(defun fault-2 ()
  (with-output-to-string (out)
    (dolist (word *words*)
      (write-string (concatenate 'string "<b>" word "</b>") out))))

;; The lists.
(defparameter *more-2* (- (* 4 112)))

(defun mended-2 ()
  (with-output-to-string (out)
    (dolist (word *words*)
      (write-string "<b>" out)
      (write-string word out)
      (write-string "</b>" out))))

;;; Lists.

(defun fault-3 ()
  (reduce #'max (concatenate 'list #(3 1 4) #(1 5 9))))

;; The lists.
(defparameter *more-3* (- 80))

(defun mended-3 ()
  (max (reduce #'max #(3 1 4)) (reduce #'max #(1 5 9))))

;;; A string that REPLACE fills; other functions that make sequences.

(defun alike-1 ()
  (let ((text (make-string 6)))
    (replace text "abc")
    (replace text "def" :start1 3)))

(defun alike-2 ()
  (append '(1 2) '(3)))

(defun alike-3 ()
  (map 'string #'char-upcase "abc"))
