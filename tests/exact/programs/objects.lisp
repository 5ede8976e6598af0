;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Each type of object: how many, and how many bytes, header and body
;;;; together as one object.

(in-package #:exact)

(defun sum-of (&rest objects-and-bytes)
  "TOTAL of (COUNT BYTES-OF-EACH) pairs."
  (total (loop for (n) in objects-and-bytes sum n)
         (loop for (n bytes) in objects-and-bytes sum (* n bytes))))

;;; Numbers.  The operands are in variables, so that nothing is a constant.

(defvar *single* 1.5f0)
(defvar *double* 1.5d0)
(defvar *long* 1.5l0)
(defvar *three* 3)
(defvar *big* (expt 2 62))

(defun floats ()
  (ten (+ *single* *single*))
  (ten (+ *double* *double*))
  (ten (+ *long* *long*)))

(measuring ("floats") (floats)
  (sum-of (list 10 +single-float+) (list 10 +double-float+)
          (list 10 +long-float+))
  (type-total 'single-float 10 (* 10 +single-float+))
  (type-total 'double-float 10 (* 10 +double-float+))
  (type-total 'long-float 10 (* 10 +long-float+)))

(defun exact-numbers ()
  (ten (/ 1 *three*))
  (ten (complex 1 *three*)))

(measuring ("ratios and complex numbers") (exact-numbers)
  (sum-of (list 10 +ratio+) (list 10 +complex+))
  (type-total 'ratio 10 (* 10 +ratio+))
  (type-total 'complex 10 (* 10 +complex+)))

(defun float-loop (n)
  (let ((sum 0d0))
    (declare (notinline +))
    (dotimes (i n sum)
      (setf sum (+ sum *double*)))))

;; ECL's + with two arguments makes two floats: it begins with 0 and adds
;; both.  But 0 + 0d0, the first, is a constant of the runtime.
(measuring ("a sum of boxed floats") (float-loop 10000)
  (total 19999 (* 19999 +double-float+))
  (type-total 'double-float 19999 (* 19999 +double-float+))
  (arc 'float-loop '+ 10000)
  (calls 'float-loop 1))

;;; Arrays: the header, then the data.

(defun make-vectors ()
  (ten (make-array 7))
  (ten (make-array 7 :element-type 'double-float))
  (ten (make-array 7 :element-type 'single-float))
  (ten (make-array 7 :element-type 'fixnum))
  (ten (make-array 7 :element-type '(unsigned-byte 8)))
  (ten (make-array 7 :element-type '(signed-byte 16)))
  (ten (make-array 7 :element-type '(unsigned-byte 32)))
  (ten (make-array 7 :element-type '(unsigned-byte 64)))
  (ten (make-array 17 :element-type 'bit)))

(measuring ("vectors of each element type") (make-vectors)
  (flet ((vectors (name data)
           (type-total name 10 (* 10 (+ +vector+ data)))))
    (vectors "(SIMPLE-ARRAY T)" (* 7 +word+))
    (vectors "(SIMPLE-ARRAY DOUBLE-FLOAT)" (* 7 8))
    (vectors "(SIMPLE-ARRAY SINGLE-FLOAT)" (* 7 4))
    ;; what ECL makes of FIXNUM
    (vectors "(SIMPLE-ARRAY (SIGNED-BYTE 64))" (* 7 8))
    (vectors "(SIMPLE-ARRAY (UNSIGNED-BYTE 8))" 7)
    (vectors "(SIMPLE-ARRAY (SIGNED-BYTE 16))" (* 7 2))
    (vectors "(SIMPLE-ARRAY (UNSIGNED-BYTE 32))" (* 7 4))
    (vectors "(SIMPLE-ARRAY (UNSIGNED-BYTE 64))" (* 7 8))
    (vectors "BIT-VECTOR" 3)
    (total 90 (+ (* 90 +vector+)
                 (* 10 (+ 56 56 28 56 7 14 28 56 3))))))

(defvar *dimensions* '(3 5))

(defun make-matrices ()
  (ten (make-array *dimensions* :element-type 'double-float))
  (ten (make-array *dimensions*)))

;; the header, 2 dimensions and 15 elements are one object
(measuring ("matrices") (make-matrices)
  (sum-of (list 20 (+ +array+ (* 2 +word+) (* 15 8))))
  (type-total "(SIMPLE-ARRAY DOUBLE-FLOAT)" 10
              (* 10 (+ +array+ (* 2 +word+) (* 15 8))))
  (type-total "(SIMPLE-ARRAY T)" 10
              (* 10 (+ +array+ (* 2 +word+) (* 15 8)))))

(defun make-strings ()
  (ten (make-string 10 :element-type 'base-char))
  (ten (make-string 10)))

;; a base string has a zero behind it; a character of the other takes 4 bytes
(measuring ("strings") (make-strings)
  (sum-of (list 10 (+ +string+ 10 1)) (list 10 (+ +string+ 40)))
  (type-total "BASE-STRING" 10 (* 10 (+ +string+ 11)))
  (type-total "STRING" 10 (* 10 (+ +string+ 40))))

(defun make-large ()
  (ten (make-array 10000 :element-type 'double-float)))

(measuring ("large vectors") (make-large)
  (sum-of (list 10 (+ +vector+ 80000)))
  (type-total "(SIMPLE-ARRAY DOUBLE-FLOAT)" 10 (* 10 (+ +vector+ 80000))))

;;; A vector that grows gets a new body from a new array.

(defun grow ()
  (let ((v (make-array 4 :adjustable t :fill-pointer 4)))
    (adjust-array v 100)
    (keep v)))

(measuring ("a vector that is adjusted") (grow)
  (type-total "(VECTOR T)" 2
              (+ +vector+ (* 4 +word+) +vector+ (* 100 +word+))))

;;; Structures and instances.

(defstruct point x y)
(defstruct (point-3 (:include point)) z)
(defclass account () ((owner :initarg :owner) (balance :initform 0) (log)))
(defclass empty () ())

(defun make-points (n)
  (dotimes (i n)
    (keep (make-point :x i :y i))
    (keep (make-point-3 :x i :y i :z i))))

(measuring ("structures") (make-points 100)
  (sum-of (list 100 (+ +instance+ (* 2 +word+)))
          (list 100 (+ +instance+ (* 3 +word+))))
  (class-total 'point 100 (* 100 (+ +instance+ (* 2 +word+))))
  (class-total 'point-3 100 (* 100 (+ +instance+ (* 3 +word+))))
  (calls 'make-point 100)
  (calls 'make-point-3 100)
  (calls 'make-points 1)
  (inclusive 'make-point 100 (* 100 (+ +instance+ (* 2 +word+)))))

(defun copy-points (n)
  (let ((point (make-point :x 1 :y 2)))
    (dotimes (i n)
      (keep (copy-point point)))))

(measuring ("structures that are copied") (copy-points 100)
  (class-total 'point 101 (* 101 (+ +instance+ (* 2 +word+)))))

(defun make-accounts (n)
  (dotimes (i n)
    (keep (make-instance 'account :owner i))
    (keep (make-instance 'empty))))

(make-accounts 2)                       ; finalizes classes, fills caches

;; what MAKE-INSTANCE itself allocates for its arguments is not counted here
(measuring ("instances") (make-accounts 100)
  (class-total 'account 100 (* 100 (+ +instance+ (* 3 +word+))))
  ;; in 21.2.1 an instance has one slot at least
  (class-total 'empty 100 (* 100 (+ +instance+ (by-release +word+ 0))))
  (calls 'make-accounts 1))

;;; Hash tables.

(defun fill-table ()
  (let ((table (make-hash-table :test 'eq :size 16 :rehash-size 16)))
    (dotimes (i 20)
      (setf (gethash i table) i))
    (keep table)))

;; It grows once, from 16 to 32 entries; ECL keeps the old ones meanwhile in
;; one more header.
(measuring ("a hash table that grows once") (fill-table)
  (total 2 (+ (* 2 +hash-table+) (* (+ 16 32) +hash-table-entry+)))
  (type-total 'hash-table 2
              (+ (* 2 +hash-table+) (* (+ 16 32) +hash-table-entry+)))
  (calls 'fill-table 1))

;;; Special variables.  In 21.2.1 a symbol that is bound for the first time gets
;;; a finalizer.  The collector makes a record of it, which is in its own count,
;;; but not for ECL's own symbols, which it has not allocated.

(defvar *bound-once* nil)

(defun bind-own-variable ()
  (let ((*bound-once* (list 1 2)))
    (keep *bound-once*)))

(defun bind-variable-of-ecl ()
  (let ((si:*gc-verbose* nil))
    (keep (list 1 si:*gc-verbose*))))

(measuring ("a special variable that was never bound before")
    (bind-own-variable)
  (check "bytes of the collector's records" (by-release "48" "0")
         (mprof.data:comment "mprof.collector_record_bytes" *profile*)))

(measuring ("a special variable of ECL that was never bound before")
    (bind-variable-of-ecl)
  (check "bytes of the collector's records" "0"
         (mprof.data:comment "mprof.collector_record_bytes" *profile*)))
