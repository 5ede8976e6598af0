;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; SBIT and BIT cons a list of their indices; AREF does not.

(declaim (notinline primes sieve member-of flag flag-in))

;;; A sieve, with declarations.

(defun primes (n)
  (let ((composite (make-array n :element-type 'bit :initial-element 0)))
    (declare (type simple-bit-vector composite) (fixnum n))
    (loop for i fixnum from 2 below n
          count (zerop (sbit composite i))
          do (loop for j fixnum from (* i i) below n by i
                   do (setf (sbit composite j) 1)))))

(defun fault-1 ()
  (primes 100))

(defun sieve (n)
  (let ((composite (make-array n :element-type 'bit :initial-element 0)))
    (declare (type simple-bit-vector composite) (fixnum n))
    (loop for i fixnum from 2 below n
          count (zerop (aref composite i))
          do (loop for j fixnum from (* i i) below n by i
                   do (setf (aref composite j) 1)))))

(defun mended-1 ()
  (sieve 100))

;;; A set of characters, whose members are asked for.

(defvar *vowels*
  (let ((set (make-array 128 :element-type 'bit :initial-element 0)))
    (map nil (lambda (c) (setf (aref set (char-code c)) 1)) "aeiou")
    set))

(defun fault-2 ()
  (count-if (lambda (c) (= 1 (bit *vowels* (char-code c))))
            "how many vowels are in here"))

(defun mended-2 ()
  (count-if (lambda (c) (= 1 (aref *vowels* (char-code c))))
            "how many vowels are in here"))

;;; A board, and what is beyond its border.

(defvar *board*
  (make-array '(3 3) :element-type 'bit
                     :initial-contents '((1 0 1) (0 1 0) (1 1 1))))

(defun neighbours (x y)
  (loop for (dx dy) in '((0 1) (1 0) (0 -1) (-1 0))
        count (and (array-in-bounds-p *board* (+ x dx) (+ y dy))
                   (= 1 (bit *board* (+ x dx) (+ y dy))))))

(defun fault-3 ()
  (list (neighbours 0 0) (neighbours 1 1) (neighbours 2 1)))

(defun neighbours-inside (x y)
  (loop for (dx dy) in '((0 1) (1 0) (0 -1) (-1 0))
        count (and (< -1 (+ x dx) (array-dimension *board* 0))
                   (< -1 (+ y dy) (array-dimension *board* 1))
                   (= 1 (aref *board* (+ x dx) (+ y dy))))))

(defun mended-3 ()
  (list (neighbours-inside 0 0) (neighbours-inside 1 1)
        (neighbours-inside 2 1)))

;;; Setting bits; all bits at once; vectors of other kinds.

(defun alike-1 ()
  (let ((bits (make-array 20 :element-type 'bit)))
    (dotimes (i 20 bits)
      (setf (sbit bits i) (logand i 1)))))

(defun alike-2 ()
  (count 1 (bit-not (bit-and *vowels* *vowels*))))

(defun alike-3 ()
  (let ((vector (vector 1 2 3)))
    (+ (svref vector 0) (elt vector 1) (aref vector 2))))
