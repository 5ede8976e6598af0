;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; TYPEP expands a type each time that it is checked.

(declaim (notinline checksum checksum-of-array mean mean-of-row kind kind-of
                    sum-octets sum-trusted head))

;;; VECTOR with an element type, declared.

(defvar *octets*
  (make-array 8 :element-type '(unsigned-byte 8) :initial-element 7))

(defun checksum (octets)
  (declare (type (vector (unsigned-byte 8)) octets))
  (logand (reduce #'+ octets) 255))

(defun fault-1 ()
  (let ((sum 0))
    (dotimes (i 100 sum)
      (incf sum (checksum *octets*)))))

(defun checksum-of-array (octets)
  (declare (type (array (unsigned-byte 8) (*)) octets))
  (logand (reduce #'+ octets) 255))

(defun mended-1 ()
  (let ((sum 0))
    (dotimes (i 100 sum)
      (incf sum (checksum-of-array *octets*)))))

;;; A DEFTYPE that makes its list each time, in CHECK-TYPE.

(eval-when (:compile-toplevel :load-toplevel :execute)
  (defconstant +row-length+ 4))

(deftype row ()
  `(simple-array fixnum (,+row-length+)))

(defvar *row*
  (make-array +row-length+ :element-type 'fixnum :initial-contents '(1 2 3 4)))

(defun mean (row)
  (check-type row row)
  (floor (reduce #'+ row) (length row)))

(defun fault-2 ()
  (loop repeat 30
        sum (mean *row*)))

(defun mean-of-row (row)
  (check-type row (simple-array fixnum (#.+row-length+)))
  (floor (reduce #'+ row) (length row)))

(defun mended-2 ()
  (loop repeat 30
        sum (mean-of-row *row*)))

;;; TYPECASE, by which a printer dispatches.  One element type: two may share an
;;; entry of ECL's cache, as in TYPE-CHECK/2 of alike.lisp.

(defvar *message* (list "text" *octets* 1 "more"))

(defun kind (part)
  (typecase part
    ((vector character) 1)
    ((vector *) 2)
    (t 3)))

(defun fault-3 ()
  (reduce #'+ *message* :key #'kind))

(defun kind-of (part)
  (typecase part
    ((array character (*)) 1)
    ((array * (*)) 2)
    (t 3)))

(defun mended-3 ()
  (reduce #'+ *message* :key #'kind-of))

;;; Declarations that ECL has code for; that are trusted; a function that
;;; conses lists of its own beside a check.

(defun sum-octets (octets n)
  (declare (type (simple-array (unsigned-byte 8) (*)) octets)
           (type (integer 0 100) n)
           (type (or null string) *print-object-prefix*))
  (+ n (aref octets 0)))

(defvar *print-object-prefix* nil)

(defun alike-1 ()
  (let ((sum 0))
    (dotimes (i 10 sum)
      (incf sum (sum-octets *octets* i)))))

(defun sum-trusted (octets)
  (declare (type (vector (unsigned-byte 8)) octets)
           (optimize (safety 0)))
  (aref octets 0))

(defun alike-2 ()
  (let ((sum 0))
    (dotimes (i 10 sum)
      (incf sum (sum-trusted *octets*)))))

(defun head (list)
  (check-type list cons)
  (cons (first list) (copy-list (rest list))))

(defun alike-3 ()
  (let ((last nil))
    (dotimes (i 10 last)
      (setf last (head '(1 2 3))))))
