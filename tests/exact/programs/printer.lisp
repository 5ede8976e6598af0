;;;; variants: compiled bytecode
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; The printer, FORMAT and string streams, from src/c/printer/,
;;;; src/c/file.d, src/lsp/format.lsp and src/lsp/pprint.lsp.
;;;;
;;;; A string stream has a string of 128 characters with a fill pointer; when
;;;; it is full it gets a half and one more, in another string.  The result is
;;;; a copy.  Numbers, symbols and fixed texts, such as a dot, are put
;;;; together in a string from a pool, to which it goes back with a cons.

(in-package #:exact)

(defun conses (n)
  (list 'cons n (* n +cons+)))

(defun strings (&rest lengths)
  "A row for strings of so many characters."
  (list "STRING" (length lengths)
        (loop for n in lengths sum (+ +string+ (* 4 n)))))

(defun stream-row ()
  (list 'string-stream 1 +stream+))

(defvar *printed* nil "What is a constant might be made anew.")

(defun prin1-ten (object)
  (ten (prin1-to-string object)))

(defmacro printing (object text conses)
  "OBJECT is printed as TEXT, with so many CONSES."
  `(progn
     (setf *printed* ,object)
     (check "printed" ,text (prin1-to-string *printed*))
     (measuring (,(format nil "printing ~A" text)) (prin1-ten *printed*)
       (made 3 (stream-row) (strings 128 ,(length text)) (conses ,conses))
       (calls 'prin1-ten 1)
       (arc 'prin1-ten 'prin1-to-string 10))))

(printing 12 "12" 1)
(printing -1234567890123 "-1234567890123" 1)
(printing 'car "CAR" 1)
(printing :test ":TEST" 1)
(printing "abc" "\"abc\"" 0)
(printing #\a "#\\a" 1)
(printing 1/2 "1/2" 1)
(printing 1.5 "1.5" 1)
(printing 1.5d0 "1.5d0" 1)
(printing '(1 2 3) "(1 2 3)" 3)
(printing '(a (b . c)) "(A (B . C))" 4)
(printing #(1 2 3) "#(1 2 3)" 3)

;;; Text that does not fit into 128 characters: 202 of them with the quotes.

(defvar *long* (make-string 200 :initial-element #\a))

(measuring ("printing a long string") (prin1-ten *long*)
  (made 3 (stream-row) (strings 128 193 290 202)))

(defun write-a (n)
  (with-output-to-string (stream)
    (dotimes (i n)
      (write-char #\a stream))))

(measuring ("a string stream that grows") (ten (write-a 1000))
  ;; N, I and its limit, and the stream are variables, ten times over
  (made (by-variant 0 42)
        (stream-row)
        (strings 128 193 290 436 655 983 1475 1000)))

;;; PRINC is WRITE-TO-STRING without escapes.

(measuring ("princ") (ten (princ-to-string 'some-symbol))
  (made 2 (stream-row) (strings 128 11) (conses 1)))

;;; FORMAT has a string of 64 characters.  The arguments make a list; each
;;; part of the control string has a cons in the list of parts; a part is a
;;; directive, a vector of 8 with 9 conses, or text, a string.  An integer
;;; takes a cons as above.

(defun format-ten (control a b)
  (ten (format nil control a b)))

(defmacro formatting (control a b text &rest rows)
  `(progn
     (check "formatted" ,text (format nil ,control ,a ,b))
     (measuring (,(format nil "format ~A" control)) (format-ten ,control ,a ,b)
       (made 5 (stream-row) ,@rows))))

(defun directives (n)
  (list "(SIMPLE-ARRAY T)" n (* n (+ +vector+ (* 8 +word+)))))

(formatting "abc" 1 2 "abc" (strings 64 3 3) (conses (+ 2 1)))
(formatting "~A" 1 2 "1" (strings 64 1) (directives 1)
            (conses (+ 2 1 9 1)))
(formatting "~A~S" 1 2 "12" (strings 64 2) (directives 2)
            (conses (+ 2 2 18 2)))
(formatting "~A ~S" 1 2 "1 2" (strings 64 1 3) (directives 2)
            (conses (+ 2 3 18 2)))
(formatting "~A~A" "ab" "cd" "abcd" (strings 64 4) (directives 2)
            (conses (+ 2 2 18)))

;;; The pretty printer, of which not each cons was counted here: the work is
;;; the same each time, so twice as often is twice as much, of each type.

(defvar *tree* '(defun foo (x) (let ((y (list x x))) (print y))))

(defun pretty (n)
  (dotimes (i n)
    (keep (write-to-string *tree* :pretty t :right-margin 20))))

(pretty 1)

(defvar *types* '())

(defun note-types ()
  "The types of the profile as (NAME ALLOCATIONS BYTES), without the conses of
PRETTY's three variables."
  (setf *types*
        (sort (loop for type in (mprof.data:figure :types *profile*)
                    for name = (mprof.data:figure :name type)
                    for own = (if (string= name "CONS") (v 3) 0)
                    collect (list name
                                  (- (mprof.data:figure :allocations type) own)
                                  (- (mprof.data:figure :bytes type)
                                     (* own +cons+))))
              #'string< :key #'first)))

(measuring ("the pretty printer, ten times") (pretty 10)
  (note-types)
  (type-total "RAW-MEMORY" 0 0)
  (class-total "SI::PRETTY-STREAM" 10 (* 10 (+ +instance+ (* 14 +word+)))))

(measuring ("the pretty printer, twenty times") (pretty 20)
  (let ((ten *types*))
    (check "twice the types"
           (loop for (name n bytes) in ten
                 collect (list name (* 2 n) (* 2 bytes)))
           (note-types))))
