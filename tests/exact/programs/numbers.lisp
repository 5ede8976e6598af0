;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Arithmetic, from src/c/numbers/ and src/c/big.d: what a result is made in
;;;; when the compiler calls the function of two arguments.  (The function +
;;;; of any number begins with 0 and makes one more.)

(in-package #:exact)

(defvar *big* (expt 3 100))             ; 159 bits, 3 limbs
(defvar *third* 1/3)
(defvar *single* 1.5f0)
(defvar *double* 1.5d0)
(defvar *long* 1.5l0)
(defvar *three* 3)

(defun big (&rest limbs)
  "A row for bignums of so many limbs."
  (list 'bignum (length limbs)
        (loop for n in limbs sum (+ +bignum+ (* 8 n)))))

(defmacro computing (form &rest rows)
  `(measuring (,(format nil "~(~S~)" form)) (ten ,form)
     (made 0 ,@rows)))

;;; Bignums.  A sum has room for a carry; a product for all limbs; a quotient
;;; is copied from a register, and has none to spare.

(computing (+ *big* *big*) (big 4))
(computing (- *big* *big*) (big 4))
(computing (+ *big* *three*) (big 4))
(computing (* *big* *big*) (big 6))
(computing (* *big* *three*) (big 4))
(computing (floor *big* *three*) (big 3))
(computing (ash *big* 64) (big 4))
(computing (ash *big* -64) (big 2))
(computing (logand *big* *big*) (big 3))
(computing (ash *three* 200) (big 4))
(computing (- *big*) (big 3))

;; of fixnums: a product that is none
(defvar *large* (expt 2 61))
(computing (* *large* *large*) (big 2))
(computing (- most-negative-fixnum *three*) (big 1))

;; 2 to the 200th: 2^64, 2^128, 2^8 * 2^64, and that times 2^128, of 3 and 3
;; limbs less one
(defvar *two* 2)
(computing (expt *two* 200) (big 2 4 3 5))

;;; GMP works in memory of its own, which counts as bytes of bignums and as no
;;; object.

(defvar *huge* (1- (ash 1 1000000)))

(measuring ("a product with workspace") (ten (* *huge* *huge*))
  (total 10 (loop for type in (mprof.data:figure :types *profile*)
                  when (string= "BIGNUM" (mprof.data:figure :type type))
                    sum (mprof.data:figure :bytes type)))
  (type-total 'bignum 10 (mprof.data:figure :bytes *profile*))
  (type-total "RAW-MEMORY" 0 0)
  (check "more than the products" t
         (> (mprof.data:figure :bytes *profile*) (* 10 8 2 15625))))

;;; Ratios.  Terms that are fixnums take nothing.

(computing (+ *third* *third*) (list 'ratio 1 +ratio+))
(computing (* *third* *third*) (list 'ratio 1 +ratio+))
(computing (- *third*) (list 'ratio 1 +ratio+))
(computing (/ *three* 7) (list 'ratio 1 +ratio+))
(computing (+ *third* 1) (list 'ratio 1 +ratio+))
(computing (* *third* *three*))
(computing (/ *big* 7) (list 'ratio 1 +ratio+))
(computing (complex *third* *third*) (list 'complex 1 +complex+))

;;; Floats: each type in a box of its size.

(macrolet ((boxes (&rest rows)
             `(progn
                ,@(loop for (variable name bytes) in rows collect
                    `(progn
                       (computing (* ,variable ,variable) '(,name 1 ,bytes))
                       (computing (- ,variable) '(,name 1 ,bytes))
                       (computing (+ ,variable 1) '(,name 1 ,bytes))
                       (computing (sin ,variable) '(,name 1 ,bytes)))))))
  (defvar *complex-single* #c(1.5f0 2f0))
  (defvar *complex-double* #c(1.5d0 2d0))
  (defvar *complex-long* #c(1.5l0 2l0))
  (boxes (*single* single-float 8)
         (*double* double-float 16)
         (*long* long-float 32)
         (*complex-single* "(COMPLEX SINGLE-FLOAT)" 12)
         (*complex-double* "(COMPLEX DOUBLE-FLOAT)" 24)
         (*complex-long* "(COMPLEX LONG-FLOAT)" 48)))

(computing (coerce *three* 'single-float) '(single-float 1 8))
(computing (coerce *three* 'double-float) '(double-float 1 16))
(computing (coerce *three* 'long-float) '(long-float 1 32))
(computing (realpart *complex-double*) '(double-float 1 16))
(computing (* *complex-double* *complex-double*)
           '("(COMPLEX DOUBLE-FLOAT)" 1 24))
(computing (complex *double* *double*) '("(COMPLEX DOUBLE-FLOAT)" 1 24))
(computing (+ *single* *double*) '(double-float 1 16))
;; the root of 4d0 first
(defvar *minus-four* -4d0)
(computing (sqrt *minus-four*) '(double-float 1 16) '("(COMPLEX DOUBLE-FLOAT)" 1 24))
;; no zero is ever made
(computing (- *double* *double*))

;;; Typed code: boxed only when it leaves the function.

(defun typed-sum (n)
  (declare (type fixnum n) (optimize (speed 3) (safety 0)))
  (let ((sum 0d0))
    (declare (type double-float sum))
    (dotimes (i n)
      (setf sum (+ sum 1.5d0)))
    sum))

(measuring ("typed floats") (ten (typed-sum 1000))
  (made 0 '(double-float 1 16))
  (self 'typed-sum 10 160)
  (calls 'typed-sum 10))
