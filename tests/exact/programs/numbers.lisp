;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Why a number becomes an object.  Where the compiler has it in a variable of
;;;; C and needs an object, the chain goes on to the function that makes it,
;;;; whose name tells for what: runtime-patch/.../0013-why-boxed.patch.  So does
;;;; the cons of a variable that is closed over.  And bignums that grow inside
;;;; of GMP, which has no frame pointers.

(in-package #:exact)

(declaim (optimize (speed 3) (safety 0)))

(defvar *special* nil)
(defvar *object* 1d0)
(defvar *cell* (cons nil nil))
(defvar *vector* (vector nil nil))
(defstruct point x)
(defvar *point* (make-point))
(defclass place () ((x :initarg :x)))
(defvar *place* (make-instance 'place))

(declaim (notinline ignore-it))
(defun ignore-it (x &optional y) (declare (ignore x y)) nil)

(defun boxes ()
  "What was made where: a list of (FUNCTION ALLOCATOR TYPE COUNT BYTES)."
  (flet ((figure (line)
           (parse-integer line :start (position #\Space line :from-end t))))
    (loop for line in (runtime-chains "allocs")
          for bytes in (runtime-chains "bytes")
          for names = (reverse (split (subseq line 0 (position #\Space line
                                                               :from-end t))
                                      #\;))
          when (search "_for_" (second names))
            collect (list (third names) (second names) (first names)
                          (figure line) (figure bytes)))))

(defmacro boxing (title (name . arguments) (&rest rows) &body body)
  "A function with this BODY, called ten times, makes boxes as ROWS say: (REASON
COUNT), or (TYPE REASON COUNT), where a double float is the usual type; and
nothing else makes any.  It is called with ARGUMENTS: (VARIABLE TYPE VALUE)."
  (let ((function (intern (format nil "~A/~A" title name) '#:exact)))
    `(progn
       (defun ,function ,(mapcar #'first arguments)
         (declare ,@(loop for (variable type) in arguments
                          collect `(type ,type ,variable)))
         ,@body)
       (measuring (,(format nil "~(~A ~A~)" name title))
           (dotimes (i 10)
             (apply ',function ',(mapcar #'third arguments)))
         (check-boxes ',function ',rows)))))

(defun box-row (function row)
  (destructuring-bind (maker type size reason n)
      (ecase (length row)
        (2 (list* "double_float" "DOUBLE-FLOAT" 16 row))
        (3 (append (cdr (assoc (first row)
                               '((:single "single_float" "SINGLE-FLOAT" 8)
                                 (:long "long_float" "LONG-FLOAT" 32)
                                 (:complex "cdfloat"
                                  "(COMPLEX DOUBLE-FLOAT)" 24)
                                 (:cons "cons" "CONS" 16))))
                   (rest row))))
    (list (shown function) (format nil "ecl_~A_for_~(~A~)" maker reason) type
          (* 10 n) (* 10 n size))))

(defun check-boxes (function rows)
  (flet ((in-order (list) (sort list #'string< :key #'prin1-to-string)))
    (check "boxes"
           (in-order (loop for row in rows when row
                           collect (box-row function row)))
           (in-order (boxes)))
    (when (some #'identity rows)
      (calls function 10))))

;;; The names are those of the tests; X is 1.5d0.

(defmacro boxing-x (title rows &body body)
  `(boxing ,title (x (x double-float 1.5d0)) ,rows ,@body))

(boxing-x argument ((argument 1))
  (ignore-it (* x 2)) nil)
(boxing-x funcall ((argument 1))
  (funcall 'ignore-it (* x 2)) nil)
(boxing-x local-argument ((argument 2))
  (flet ((h (y) (ignore-it y) (ignore-it y)))
    (declare (notinline h))
    (h (* x 2))
    (h (* x 3)))
  nil)

(boxing-x two-values ((value 2))
  (values (* x 2) (+ x 1)))

(boxing-x arithmetic ((arithmetic 1))
  (ignore-it (+ (* x 2) *object*)) nil)

(boxing-x slot ((slot 1))
  (let ((y (* x 2)))
    (declare (double-float y))
    (setf (point-x *point*) y)
    nil))
(boxing-x slot-value ((slot 1))
  (let ((y (* x 2)))
    (declare (double-float y))
    (setf (slot-value *place* 'x) y)
    nil))

(boxing-x element ((element 1))
  (let ((v *vector*))
    (declare (simple-vector v))
    (setf (svref v 0) (* x 2))
    nil))
(boxing-x cell ((element 1))
  (let ((y (* x 2)))
    (declare (double-float y))
    (setf (car (the cons *cell*)) y)
    nil))
(boxing-x lists ((element 3))
  (ignore-it (cons (* x 2) nil))
  (ignore-it (list (* x 2) (* x 3)))
  nil)

(boxing-x special ((special 1))
  (setq *special* (* x 2))
  nil)
(boxing-x special-binding ((special 1))
  (let ((y (* x 2)))
    (declare (double-float y))
    (let ((*special* y))
      (ignore-it 1)))
  nil)

(boxing-x variable ((variable 1))
  (let ((y nil))
    (setq y (if (> x 1) (* x 2) y))
    (ignore-it y)
    nil))
(boxing-x closed-over ((variable 1) (:cons variable 1))
  (let ((y x))
    (ignore-it (lambda () (setq y 3d0)))
    nil))

;;; What ECL 24.5.10 computes on its way is an object each time.

(boxing-x temporary (#.(by-release nil '(temporary 2)))
  (let ((y (* (+ x 1) (- x 1))))
    (declare (double-float y))
    (ignore-it (> y 1))
    nil))

;;; And nothing, where all stays in C.

(boxing-x nothing ()
  (let ((y 0d0))
    (declare (double-float y))
    (dotimes (i 10)
      (setq y (+ y x)))
    (ignore-it (> y 1))
    nil))

;;; Other types

(boxing argument (single (x single-float 1.5f0)) ((:single argument 1))
  (ignore-it (* x 2)) nil)
(boxing value (long (x long-float 1.5l0)) ((:long value 1))
  (* x 2))
(boxing argument (complex (x si:complex-double-float #c(1.5d0 2d0)))
    ((:complex argument 1))
  (ignore-it x) nil)

;;; An integer of 64 bits is a bignum from 2^61 on; the function that makes it
;;; is on the stack.

(defun words (x)
  (declare (type (unsigned-byte 64) x))
  (ignore-it x)
  nil)

(measuring ("a word") (dotimes (i 10) (words #.(ash 1 63)))
  (total 10 (* 10 (+ +bignum+ 8)))
  (self 'words 10 (* 10 (+ +bignum+ 8)))
  (let ((chains (runtime-chains "allocs")))
    (check "one chain" 1 (length chains))
    (check "what for" t
           (not (null (search "EXACT::WORDS;ecl_unsigned_integer_for_argument;"
                              (first chains)))))))

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
  (let* ((limbs (* +word+ (ceiling (integer-length *power*) 64)))
         (result (+ +bignum+ limbs))
         (register (* 32 +word+))) ; what ECL gives back to it afterwards
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
