;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Out-of-line declarations.  One set of functions is defined again and
;;;; again, with no declaration and with one of each scope, for both
;;;; compilers.  Totals are the same throughout; what changes is the function
;;;; that has them.  (lisp/ has where a declaration begins and ends, and COMPILE.)

(in-package #:exact)

(eval-when (:compile-toplevel :load-toplevel :execute)
  (defvar *makers*
    ;; name, form, the function that makes it, objects, bytes, and when it is
    ;; a call without a declaration: in compiled code, in byte-compiled code
    `((pair (cons x x) cons 1 ,+cons+ nil nil)
      (list1 (list x) list 1 ,+cons+ nil nil)
      (list3 (list x x x) list 3 ,(* 3 +cons+) t nil)
      (list1* (list* x x) list* 1 ,+cons+ nil nil)
      (list3* (list* x x x x) list* 3 ,(* 3 +cons+) t nil)
      (append (append *three* x) append 3 ,(* 3 +cons+) nil t)
      (butlast (butlast *three*) butlast 2 ,(* 2 +cons+) nil t)
      (copy (copy-seq *three*) copy-seq 3 ,(* 3 +cons+) nil t)
      ;; a list of dimensions besides
      (vector (vector x x) vector 4 ,(+ +vector+ (* 2 +word+) (* 3 +cons+))
       t t)
      (array (make-array 3) make-array 1 ,(+ +vector+ (* 3 +word+)) nil t)
      (doubles (make-array 3 :element-type 'double-float) make-array
       1 ,(+ +vector+ (* 3 8)) nil t)
      (double (float x 1d0) float 1 ,+double-float+ nil t)
      (single (float x 1f0) float 1 ,+single-float+ nil t)
      (coerced (coerce x 'double-float) coerce 1 ,+double-float+ nil t)
      ;; is forced only by its name
      (sum (+ (the fixnum x) 1.5d0) + 1 ,+double-float+ nil t))))

(defvar *three* (list 1 2 3))

(eval-when (:compile-toplevel :load-toplevel :execute)
  (defun maker (scope name)
    (intern (format nil "~A-~A" scope name) '#:exact)))

(defmacro define-makers (scope &optional declaration)
  "Functions that make one thing each, and one that calls each of them."
  `(progn
     ,@(loop for (name form) in *makers*
             collect `(defun ,(maker scope name) (x)
                        (declare (ignorable x))
                        ,(if declaration (append declaration (list form)) form)))
     (defun ,scope ()
       ,@(loop for (name) in *makers*
               collect `(keep (,(maker scope name) 1))))))

(defun check-makers (scope &key typed forced)
  "FORCED: :ALL of them, or :NAMED for + too."
  (loop for (name nil callee n bytes compiled-call typed-call) in *makers*
        for maker = (maker scope name)
        for call-p = (or (if typed typed-call compiled-call)
                         (eq forced :named)
                         (and forced (not (eq callee '+))))
        ;; the interpreter binds X; what 24.5.10 compiles makes each time the
        ;; float that it calls a function with, of the size of the result
        for bound = (cond (typed (b 1))
                          ((or (eq name 'sum)
                               (and call-p (member name '(double single))))
                           (by-release 0 1))
                          (t 0))
        for more = (if typed (* bound +cons+) (* bound bytes))
        do (inclusive maker (+ n bound) (+ bytes more))
           (arc scope maker 1 (+ n bound) (+ bytes more))
           (cond (call-p
                  (arc maker callee 1 n bytes)
                  (self maker bound more))
                 (t
                  (no-arc maker callee)))
        sum (+ n bound) into all
        sum (+ bytes more) into all-bytes
        finally (total all all-bytes)))

;;; Compiled code.

(define-makers plain)

(measuring ("no declaration") (plain)
  (check-makers 'plain))

(define-makers lexical (mprof:out-of-line ()))

(measuring ("lexical") (lexical)
  (check-makers 'lexical :forced :all))

(define-makers by-name
    (mprof:out-of-line (cons list list* append butlast copy-seq vector
                             make-array float coerce +)))

(measuring ("lexical, by name") (by-name)
  (check-makers 'by-name :forced :named))

;;; Byte-compiled code.

(eval '(define-makers typed))

(measuring ("typed, no declaration") (typed)
  (check-makers 'typed :typed t))

(eval '(define-makers typed-lexical (mprof:out-of-line ())))

(measuring ("typed, lexical") (typed-lexical)
  (check-makers 'typed-lexical :typed t :forced :all))

(eval '(mprof:out-of-line))
(eval '(define-makers typed-global))

(measuring ("typed, global") (typed-global)
  (check-makers 'typed-global :typed t :forced :all))

(eval '(mprof:out-of-line :none))

;;; The rest of the file that is compiled.

(mprof:out-of-line)
(define-makers file-wide)

(measuring ("the rest of a file") (file-wide)
  (check-makers 'file-wide :forced :all))
