;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; numbers.lisp -- arithmetic that makes objects: boxed floats, complex
;;;; numbers, bignums; fft and frpoly of Gabriel's benchmarks, written anew.
;;;;
;;;; Nothing declares floats, so each operation on them makes one.  That is
;;;; how Lisp is mostly written, and the worst case for a profiler: each
;;;; number is made in a call of its own.

(in-package #:bench)

(declaim (optimize (speed 3) (safety 1) (debug 0)))

;;; fft: in place, on general vectors of real and of imaginary parts.

(defun swap-bit-reversed (vector)
  (declare (simple-vector vector))
  (let ((j 0) (n (length vector)))
    (declare (fixnum j n))
    (dotimes (i (1- n))
      (when (< i j)
        (rotatef (svref vector i) (svref vector j)))
      (let ((bit (ash n -1)))
        (declare (fixnum bit))
        (loop while (logtest bit j)
              do (setf j (logxor j bit)
                       bit (ash bit -1)))
        (setf j (logior j bit))))))

(defun butterflies (re im span sign)
  "One level: combine elements that are SPAN apart."
  (declare (simple-vector re im) (fixnum span))
  (let ((step-re (cos (/ pi span)))
        (step-im (* sign (sin (/ pi span))))
        (n (length re)) (w-re 1d0) (w-im 0d0))
    (dotimes (k span)
      (loop for i of-type fixnum from k below n by (* 2 span)
            do (let* ((j (+ i span))
                      (x (- (* w-re (svref re j)) (* w-im (svref im j))))
                      (y (+ (* w-re (svref im j)) (* w-im (svref re j)))))
                 (declare (fixnum j))
                 (setf (svref re j) (- (svref re i) x)
                       (svref im j) (- (svref im i) y)
                       (svref re i) (+ (svref re i) x)
                       (svref im i) (+ (svref im i) y))))
      (psetf w-re (- (* w-re step-re) (* w-im step-im))
             w-im (+ (* w-re step-im) (* w-im step-re))))))

(defun transform (re im sign)
  (swap-bit-reversed re)
  (swap-bit-reversed im)
  (loop for span of-type fixnum = 1 then (* 2 span)
        while (< span (length re))
        do (butterflies re im span sign)))

(define-program fft (n :size 32 :result '(512 512 t))
  "A cosine of 1024 points, forth and back again, N times: two peaks of 512, and
what was there before."
  (let ((re (make-array 1024)) (im (make-array 1024 :initial-element 0d0)))
    (flet ((wave (i)
             (cos (* 2 pi 5 (/ i 1024d0)))))
      (dotimes (i 1024)
        (setf (svref re i) (wave i)))
      (repeat n
        (transform re im -1)
        (let ((peaks (list (round (svref re 5)) (round (svref re 1019)))))
          (transform re im 1)
          (dotimes (i 1024)
            (setf (svref re i) (/ (svref re i) 1024)
                  (svref im i) (/ (svref im i) 1024)))
          (append peaks
                  (list (loop for i below 1024
                              always (< (abs (- (svref re i) (wave i)))
                                        1d-9)))))))))

;;; frpoly: powers of a polynomial in three variables.  A polynomial is a
;;; number or (VARIABLE (EXPONENT . COEFFICIENT)...), the largest exponent
;;; first, the coefficients being polynomials in later variables.

(defun add-polynomials (p q)
  (cond ((and (numberp p) (numberp q)) (+ p q))
        ((numberp p) (add-constant p q))
        ((numberp q) (add-constant q p))
        ((eq (first p) (first q))
         (simplified (first p) (add-terms (rest p) (rest q))))
        ((string< (first p) (first q)) (add-constant q p))
        (t (add-constant p q))))

(defun simplified (variable terms)
  (cond ((null terms) 0)
        ((zerop (the fixnum (car (first terms)))) (cdr (first terms)))
        (t (cons variable terms))))

(defun add-constant (constant p)
  "P with CONSTANT, which has no variable of P's rank, added."
  (cons (first p) (add-terms (rest p) (list (cons 0 constant)))))

(defun add-terms (terms others)
  (cond ((null terms) others)
        ((null others) terms)
        (t
         (let ((i (car (first terms))) (j (car (first others))))
           (declare (fixnum i j))
           (cond ((> i j)
                  (cons (first terms) (add-terms (rest terms) others)))
                 ((< i j)
                  (cons (first others) (add-terms terms (rest others))))
                 (t
                  (let ((sum (add-polynomials (cdr (first terms))
                                              (cdr (first others))))
                        (more (add-terms (rest terms) (rest others))))
                    (if (and (numberp sum) (zerop sum))
                        more
                        (acons i sum more)))))))))

(defun multiply-polynomials (p q)
  (cond ((and (numberp p) (numberp q)) (* p q))
        ((numberp p) (cons (first q) (scale-terms (rest q) 0 p)))
        ((numberp q) (cons (first p) (scale-terms (rest p) 0 q)))
        ((eq (first p) (first q))
         (let ((sum '()))
           (dolist (term (rest p) (cons (first p) sum))
             (setf sum (add-terms sum
                                  (scale-terms (rest q) (car term)
                                               (cdr term)))))))
        ((string< (first p) (first q))
         (cons (first p) (scale-terms (rest p) 0 q)))
        (t (cons (first q) (scale-terms (rest q) 0 p)))))

(defun scale-terms (terms exponent factor)
  "TERMS by a power of the variable and by FACTOR."
  (declare (fixnum exponent))
  (loop for (i . coefficient) in terms
        collect (cons (+ exponent (the fixnum i))
                      (multiply-polynomials coefficient factor))))

(defun polynomial-power (p n)
  (declare (fixnum n))
  (cond ((zerop n) 1)
        ((oddp n) (multiply-polynomials p (polynomial-power p (1- n))))
        (t (let ((root (polynomial-power p (ash n -1))))
             (multiply-polynomials root root)))))

(defun value-at-ones (p)
  "The sum of all coefficients."
  (if (numberp p)
      p
      (loop for (nil . coefficient) in (rest p)
            sum (value-at-ones coefficient))))

(defun x+y+z+1 (unit)
  "That polynomial, all coefficients UNIT."
  (add-polynomials `(x (1 . ,unit))
                   (add-polynomials `(y (1 . ,unit))
                                    (add-polynomials `(z (1 . ,unit)) unit))))

(define-program frpoly-fixnum (n :size 400 :result (expt 4 10))
  "The tenth power of a polynomial, N times."
  (let ((p (x+y+z+1 1)))
    (value-at-ones (repeat n (polynomial-power p 10)))))

(define-program frpoly-bignum (n :size 220 :result (expt 400000 10))
  "The same with coefficients beyond a word."
  (let ((p (x+y+z+1 100000)))
    (value-at-ones (repeat n (polynomial-power p 10)))))

(define-program frpoly-float (n :size 300 :result (expt 4d0 10))
  "The same with double floats."
  (let ((p (x+y+z+1 1d0)))
    (value-at-ones (repeat n (polynomial-power p 10)))))

;;; Pi, digit by digit: Gibbons' stream, all bignums.

(defun sum-of-digits-of-pi (count)
  "The sum of the first COUNT digits after the point."
  (let ((q 1) (r 0) (u 1) (k 1) (m 3) (x 3) (sum -3) (produced -1))
    (declare (fixnum produced sum k))
    (loop until (= produced count)
          do (cond ((< (- (+ (* 4 q) r) u) (* m u))
                    (incf sum (the fixnum m))
                    (incf produced)
                    (psetf q (* 10 q)
                           r (* 10 (- r (* m u)))
                           m (- (floor (* 10 (+ (* 3 q) r)) u) (* 10 m))))
                   (t
                    (psetf q (* q k)
                           r (* (+ (* 2 q) r) x)
                           u (* u x)
                           k (1+ k)
                           m (floor (+ (* q (+ (* 7 k) 2)) (* r x)) (* u x))
                           x (+ x 2)))))
    sum))

(define-program pi-digits (n :size 180 :result 477)
  "A hundred digits after the point, N times; their sum is 477."
  (repeat n (sum-of-digits-of-pi 100)))

;;; Mandelbrot's set

(defun steps-of-floats (x y limit)
  "How many steps (at most LIMIT) until the point escapes."
  (declare (fixnum limit))
  (let ((re 0d0) (im 0d0))
    (dotimes (step limit limit)
      (let ((re2 (* re re)) (im2 (* im im)))
        (when (> (+ re2 im2) 4d0)
          (return step))
        (setf im (+ (* 2 re im) y)
              re (+ (- re2 im2) x))))))

(defun steps-of-complexes (c limit)
  (declare (fixnum limit))
  (let ((z 0d0))
    (dotimes (step limit limit)
      (when (> (+ (expt (realpart z) 2) (expt (imagpart z) 2)) 4d0)
        (return step))
      (setf z (+ (* z z) c)))))

(defun sum-of-steps (side steps)
  "Over a grid of SIDE by SIDE points."
  (let ((sum 0))
    (declare (fixnum sum))
    (dotimes (i side sum)
      (dotimes (j side)
        (incf sum (the fixnum (funcall steps (+ -2d0 (/ (* 2.5d0 i) side))
                                       (+ -1.25d0 (/ (* 2.5d0 j) side)))))))))

(define-program mandelbrot-floats (n :size 9 :result 107252)
  "A grid of 80 by 80 points N times, in boxed double floats."
  (repeat n
    (sum-of-steps 80 (lambda (x y) (steps-of-floats x y 50)))))

(define-program mandelbrot-complex (n :size 7 :result 107252)
  "The same with complex numbers."
  (repeat n
    (sum-of-steps 80 (lambda (x y) (steps-of-complexes (complex x y) 50)))))

;;; Random numbers: Park and Miller's generator, in floats throughout.

(defvar *seed* 1d0)

(defun random-float ()
  (setf *seed* (let ((product (* *seed* 16807d0)))
                 (- product (* 2147483647d0
                               (ffloor (/ product 2147483647d0))))))
  (/ *seed* 2147483647d0))

(defun power-modulo (base exponent modulus)
  (let ((power 1))
    (loop for bit from (1- (integer-length exponent)) downto 0
          do (setf power (mod (* power power) modulus))
             (when (logbitp bit exponent)
               (setf power (mod (* power base) modulus))))
    power))

(define-program random-floats (n :size 800000
                               :result (power-modulo 16807 n 2147483647))
  "N numbers; the last seed is known (after 10,000 it is 1043618065)."
  (setf *seed* 1d0)
  (let ((sum 0d0))
    (dotimes (i n)
      (setf sum (+ sum (random-float))))
    (unless (< (* 0.4 n) sum (* 0.6 n))
      (fail "the sum of ~D random numbers is ~D" n sum)))
  (values (round *seed*)))
