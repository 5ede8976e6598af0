;;;; variants: compiled bytecode
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; The reader, from src/c/read.d.  READ-FROM-STRING makes a string stream.
;;;; The characters of a token are collected in a string that is taken from a
;;;; pool; giving it back takes a cons.  All else is what was read.

(in-package #:exact)

(defun read-ten (text)
  (ten (read-from-string text)))

(defmacro reading (text &rest rows)
  "Reading TEXT makes a stream, and ROWS as for MADE."
  `(progn
     (read-from-string ,text)           ; interns, fills the pool
     (measuring (,(format nil "reading ~A" text)) (read-ten ,text)
       (made 3 (list 'string-stream 1 +stream+) ,@rows)
       (calls 'read-ten 1)
       (arc 'read-ten 'read-from-string 10)
       ,(if rows
            `(arc 'read-from-string 'read 10)
            `(no-arc 'read-from-string 'read))
       (arc 'read-from-string 'make-string-input-stream 10
            10 (* 10 +stream+)))))

(defun conses (n)
  (list 'cons n (* n +cons+)))

;;; Tokens.

(reading "12" (conses 1))
(reading "#x1F" (conses 1))
(reading "car" (conses 1))
(reading ":test" (conses 1))
(reading "exact::reading" (conses 1))
(reading "#\\a" (conses 1))
(reading "#\\Space" (conses 1))
(reading "123456789012345678901234567890" ; 97 bits
         (conses 1) (list 'bignum 1 (+ +bignum+ 16)))
(reading "1/2" (conses 1) (list 'ratio 1 +ratio+))

;; a float is a ratio of integers first
(reading "1.5" (conses 1) (list 'ratio 1 +ratio+)
         (list 'single-float 1 +single-float+))
(reading "1.5d0" (conses 1) (list 'ratio 1 +ratio+)
         (list 'double-float 1 +double-float+))
;; To have 64 bits in the end, 3 is shifted by 65, divided by 2, and shifted
;; back by 1 and 1: integers of 67, 66, 65 and 64 bits.
(reading "1.5l0" (conses 1) (list 'ratio 1 +ratio+)
         (list 'bignum 4 (+ (* 4 +bignum+) (* 8 (+ 2 2 2 1))))
         (list 'long-float 1 +long-float+))

;;; Lists: a cons for each token, one for each element.

(reading "()")
(reading "(a b c)" (conses 6))
(reading "(a (b c))" (conses 7))
;; the dot is a token too
(reading "(a . b)" (conses 4))
(reading "'a" (conses 3))
(reading "#'car" (conses 3))
;; two conses for each backquote and comma
(reading "`(a ,b ,@c)" (conses (+ 6 6)))
(reading "#c(1 2)" (conses 4) (list 'complex 1 +complex+))

;;; Strings and vectors: from the pool, or from a list.

(reading "\"abcdef\"" (conses 1) (list "STRING" 1 (+ +string+ 24)))
(reading "\"\"" (conses 1) (list "STRING" 1 +string+))
(reading "#(1 2 3)" (conses 6)
         (list "(SIMPLE-ARRAY T)" 1 (+ +vector+ (* 3 +word+))))

;; by function
(read-ten "d")

(measuring ("reading by function") (read-ten "(a \"bc\" `d)")
  (self 'read-from-string 0 0)
  ;; two tokens, the buffer of the string, three elements
  (self 'read 60 (* 60 +cons+))
  ;; the backquote
  (arc 'read 'list 10 20 (* 20 +cons+))
  (arc 'read 'copy-seq 10 10 (* 10 (+ +string+ 8)))
  (inclusive 'read 90 (+ (* 80 +cons+) (* 10 (+ +string+ 8)))))

;;; A symbol that is new: the symbol, its name as a base string.  (Twenty
;;; symbols find room in the table of a new package.)

(defpackage #:fresh (:use))
(defvar *texts* (loop for i below 10 collect (format nil "fresh::name-~D" i)))

(defun read-each ()
  (dolist (text *texts*)
    (keep (read-from-string text))))

(measuring ("reading new symbols") (read-each)
  ;; DOLIST binds the list once, TEXT each time
  (made 11 (list 'string-stream 1 +stream+) (conses 1)
        (list 'symbol 1 +symbol+)
        (list "BASE-STRING" 1 (+ +string+ 7)))
  (arc 'read 'make-symbol 10 20 (* 10 (+ +symbol+ +string+ 7))))

(measuring ("reading them again") (read-each)
  (made 11 (list 'string-stream 1 +stream+) (conses 1)))

;;; READ-LINE: the line, from the pool.

(defun read-lines ()
  (ten (with-input-from-string (stream "abc")
         (read-line stream))))

(read-lines)

(measuring ("read-line") (read-lines)
  (made 12 (list 'string-stream 1 +stream+) (conses 1)
        (list "STRING" 1 (+ +string+ 12)))
  (arc 'read-lines 'read-line 10))
