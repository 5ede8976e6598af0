;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Numbers.  GMP, which has no frame pointers, asks for memory
;;;; where one of its numbers grows; the runtime makes its own for most
;;;; results.

(in-package #:exact)

(defconstant +limb+ 8)
(defconstant +bignum+ 24)         ; header, GMP's own header; then the limbs

(defun limbs (n)
  (ceiling (integer-length (abs n)) 64))

(defun bignum-p (n)
  (not (typep n 'fixnum)))

(defun bytes-of (n)
  (+ +bignum+ (* +limb+ (limbs n))))

(defun factorial (n)
  (let ((product 1))
    (loop for i from 2 to n
          do (setf product (* product i)))
    product))

;; The product of a bignum and a fixnum has room for one limb more.

(measuring ("factorial") (keep (factorial 300))
  (loop with product = 1
        for i from 2 to 300
        for last = product
        do (setf product (* product i))
        when (bignum-p product)
          sum 1 into n
          and sum (if (bignum-p last) (+ (bytes-of last) +limb+)
                      (bytes-of product))
                into bytes
        finally (chains (list '(factorial) n bytes))
                (type-total "BIGNUM" n bytes)
                (total n bytes)))

;;; A register of the thread grows inside of GMP: the new block belongs to the
;;; chain through GMP to the Lisp caller.

(defvar *power* (expt 7 3001))
(defvar *twice* (* 2 *power*))
(defvar *thrice* (* 3 *power*))
(defvar *go* (mp:make-semaphore))
(defvar *done* (mp:make-semaphore))

(defun divisor ()
  (mp:signal-semaphore *done*)
  (mp:wait-on-semaphore *go*)
  (keep (gcd *twice* *thrice*))
  (mp:signal-semaphore *done*))

(defvar *thread* (mp:process-run-function "divisor" #'divisor))
(mp:wait-on-semaphore *done*)

(measuring ("GMP grows a bignum")
    (progn
      (mp:signal-semaphore *go*)
      (mp:wait-on-semaphore *done*))
  (let* ((limbs (* +limb+ (limbs *power*)))
         (result (+ +bignum+ limbs))
         (register (* 32 +limb+))) ; what ECL gives back to it afterwards
    (type-total "BIGNUM" 1 (+ limbs result register))
    (self 'gcd 1 (+ limbs result register))
    (arc 'divisor 'gcd 1)
    (check "through GMP"
           (list (format nil "_ecl_big_gcd;__gmpz_gcd;__gmpz_realloc;mp_realloc;~
                              BIGNUM ~D" limbs)
                 (format nil "_ecl_big_gcd;_ecl_big_register_normalize;~
                              _ecl_big_register_copy;BIGNUM ~D" result)
                 (format nil "_ecl_big_gcd;_ecl_big_register_normalize;~
                              _ecl_big_register_copy;_ecl_big_register_free;~
                              __gmpz_realloc2;mp_realloc;BIGNUM ~D"
                         register))
           (mapcar (lambda (line)
                     (subseq line (search "_ecl_big_gcd" line)))
                   (runtime-chains)))))

(mp:process-join *thread*)

;;; Ratios.

(defun harmonic (n)
  (let ((sum 0))
    (loop for i from 1 to n
          do (setf sum (+ sum (/ i))))
    sum))

(defun harmonic-objects (n)
  "How many ratios (harmonic N) makes: the 1/I, and the sums that are none of
them integers."
  (loop for i from 1 to n
        for sum = 1 then (+ sum (/ i))
        count (> i 1)
        count (typep sum 'ratio)))

(measuring ("ratios") (keep (harmonic 60))
  (let ((n (harmonic-objects 60)))
    (type-total "RATIO" n (* n +ratio+))
    (calls 'harmonic 1)))

;;; Floats and complex numbers.  The operands are in variables, so that nothing
;;; is a constant.

(defvar *single* 1.5f0)
(defvar *double* 1.5d0)
(defvar *long* 1.5l0)
(defvar *three* 3)

(defun numbers ()
  (ten (+ *single* *single*))
  (ten (+ *double* *double*))
  (ten (+ *long* *long*))
  (ten (/ 1 *three*))
  (ten (complex 1 *three*)))

(measuring ("floats, ratios and complex numbers") (numbers)
  (loop for (name bytes) in `((single-float ,+single-float+)
                              (double-float ,+double-float+)
                              (long-float ,+long-float+)
                              (ratio ,+ratio+)
                              (complex ,+complex+))
        do (type-total name 10 (* 10 bytes))
        sum bytes into bytes-of-each
        finally (total 50 (* 10 bytes-of-each))))
