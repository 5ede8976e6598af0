;;;; variants: compiled bytecode
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Hash tables, arrays that grow, sequences, arguments, pathnames, packages:
;;;; from src/c/hash.d, vector_push.d, package.d, pathname.d, and src/lsp/.

(in-package #:exact)

;; The collector's table of finalizers doubles when it is full, which is no
;; record of its own.  What is here keeps it well between two sizes, whatever
;; was loaded before.
(defvar *finalized* (loop repeat 200 collect (mp:make-rwlock)))

(defun conses (n)
  (list 'cons n (* n +cons+)))

(defun tables (headers &rest entries)
  (list 'hash-table headers
        (+ (* headers +hash-table+)
           (* +hash-table-entry+ (reduce #'+ entries)))))

(defun doubles (n)
  (list 'double-float n (* n +double-float+)))

;;; Hash tables.  It is full at three quarters and then grows by a half, that
;;; is by 1.5d0, a float that each new table takes.  Each time the old entries
;;; are kept in one more header, and the new size is a float before it is an
;;; integer; 45 * 1.5 leaves a rest, one more float.

(defun fill-table (table n)
  (dotimes (i n)
    (setf (gethash i table) i))
  table)

(macrolet ((filling (&rest tests)
             `(progn
                ,@(loop for test in tests collect
                    `(measuring (,(format nil "filling a table for ~A" test))
                         (ten (fill-table (make-hash-table :test ',test
                                                           :size 20)
                                          100))
                       ;; TABLE, N, I and its limit, ten times over
                       (made (+ 2 40) (tables 6 20 30 45 68 102 153)
                             (doubles 7))
                       (arc 'fill-table 'si:hash-set 50))))))
  (filling eq eql equal equalp))

;; Weak keys are in weak pointers, made anew when the table grows: 30, and 14
;; and 21 at these times.
(measuring ("filling a weak table")
    (ten (fill-table (make-hash-table :size 20 :weakness :key) 30))
  (made (+ 2 40) (tables 3 20 30 45) (doubles 3)
        (list "WEAK-POINTER" 65 (* 65 16))))

;; A lock has a finalizer, and the collector's table of these doubles when it
;; is full, which it nearly is when ECL has started: 256.  Let it be far from
;; that.
(defvar *rwlocks* (loop repeat 400 collect (mp:make-rwlock)))

(measuring ("filling a synchronized table")
    (ten (fill-table (make-hash-table :size 60 :synchronized t) 30))
  (made (+ 2 40) (tables 1 60) (doubles 1) '("RWLOCK" 1 72)))

(measuring ("hash tables of the usual size") (ten (make-hash-table))
  (made 2 (tables 1 1024) (doubles 1)))

;;; Vectors that grow by a half and one.

(defun push-all (vector n)
  (dotimes (i n vector)
    (vector-push-extend i vector)))

(measuring ("vector-push-extend")
    (ten (push-all (make-array 4 :adjustable t :fill-pointer 0) 100))
  (made (+ 2 40)
        (list "(VECTOR T)" 9
              (loop for n in '(4 7 11 17 26 40 61 92 139)
                    sum (+ +vector+ (* n +word+)))))
  (arc 'push-all 'vector-push-extend 80))

;; the dimensions of the old and of the new one, and of the argument, as lists
(measuring ("adjust-array of a vector")
    (ten (adjust-array (make-array 4 :adjustable t) 10))
  (made 2 (list "(VECTOR T)" 2 (+ (* 2 +vector+) (* 14 +word+)))
        (conses 3))
  (arc "SI::COPY-ARRAY-CONTENTS" 'array-dimensions 20 20 (* 20 +cons+)))

(defvar *small* (list 2 2))
(defvar *larger* (list 3 3))

(measuring ("adjust-array of a matrix")
    (ten (adjust-array (make-array *small* :adjustable t) *larger*))
  (made 2 (list "(ARRAY T)" 2 (+ (* 2 +array+) (* 4 +word+) (* 13 +word+)))
        (conses 4)))

;;; Sequences.  CONCATENATE lists its arguments, and their lengths behind a
;;; head.

(defvar *vector* (vector 1 2 3 4 5))
(defvar *list* (list 1 2 3 4 5))

(measuring ("concatenate") (ten (concatenate 'list *vector* *list*))
  (made 2 (conses (+ 10 2 3)))
  (arc 'concatenate 'make-sequence 10 100 (* 100 +cons+)))

(measuring ("concatenate to a vector")
    (ten (concatenate 'vector *vector* *list*))
  (made 2 (conses 5)
        (list "(SIMPLE-ARRAY T)" 1 (+ +vector+ (* 10 +word+)))))

(measuring ("concatenate to a string") (ten (concatenate 'string "abc" "de"))
  (made 2 (conses 5) (list "STRING" 1 (+ +string+ 20))))

;; The compiler knows what VECTOR is; otherwise the type is looked into.
(when (eq *variant* :compiled)
  (measuring ("coerce") (progn (ten (coerce *list* 'vector))
                               (ten (coerce *vector* 'list))
                               (ten (coerce "abc" 'list)))
    (made 6 (conses 8)
          (list "(SIMPLE-ARRAY T)" 1 (+ +vector+ (* 5 +word+))))))

(measuring ("copies") (progn (ten (copy-seq *vector*))
                             (ten (copy-list *list*))
                             (ten (subseq "abcdef" 2))
                             (ten (reverse *list*)))
  (made 8 (conses 10)
        (list "(SIMPLE-ARRAY T)" 1 (+ +vector+ (* 5 +word+)))
        (list "STRING" 1 (+ +string+ (* 4 4)))))

;;; Arguments and values.  The interpreter binds each parameter.

(defun rest-arguments (&rest arguments) arguments)
(defun key-arguments (&key a b) (cons a b))
(defun all-arguments (x &optional (y 1)
                      &rest arguments &key a &allow-other-keys)
  (declare (ignore x y a))
  arguments)
(declaim (notinline rest-arguments key-arguments all-arguments))

(measuring ("&rest") (ten (rest-arguments 1 2 3))
  (made (+ 2 10) (conses 3))
  (self 'rest-arguments (+ 30 (v 10)) (* (+ 30 (v 10)) +cons+))
  (calls 'rest-arguments 10))

(measuring ("&rest of apply") (ten (apply #'rest-arguments *list*))
  (made (+ 2 10) (conses 5)))

(measuring ("&key") (ten (key-arguments :b 2 :a 1))
  (made (+ 2 20) (conses 1))
  (calls 'key-arguments 10))

(measuring ("&optional, &rest and &key") (ten (all-arguments 1 2 :a 3 :b 4))
  (made (+ 2 40) (conses 4)))

(measuring ("multiple-value-list")
    (ten (multiple-value-list (funcall 'values 1 2 3)))
  (made 2 (conses 3)))

;;; Pathnames.  Each part of the text is cut out and copied; the directory is
;;; a list, which is copied twice.

(defvar *directory* #p"/a/b/")
(defvar *file* #p"x.y")

(measuring ("a pathname of its text") (ten (pathname "/a/b/c.d"))
  (made 2 (list 'pathname 1 56) (list "STRING" 8 (* 8 (+ +string+ 4)))
        (conses 9)))

(measuring ("the text of a pathname") (ten (namestring #p"/a/b/c.d"))
  ;; in 24.5.10 the string that the stream began with
  (made 2 (list 'string-stream 1 +stream+)
        (list "STRING" (by-release 2 1)
              (+ +string+ (* 4 128) (by-release (+ +string+ (* 4 8)) 0)))
        (conses 1)))

;; three copies of the directory; name and type are copied
(measuring ("merging pathnames") (ten (merge-pathnames *file* *directory*))
  (made 2 (list 'pathname 1 56) (list "STRING" 2 (* 2 (+ +string+ 4)))
        (conses 9)))

;;; Symbols and packages.  A package has two tables of 128 symbols.

(defpackage #:nest (:use))
(defvar *names* (loop for i below 10
                      collect (make-array 4 :element-type 'base-char
                                            :initial-contents
                                            (format nil "N~3,'0D" i))))

(defun intern-all ()
  (dolist (name *names*)
    (keep (intern name '#:nest))))

(measuring ("intern") (intern-all)
  ;; NAME each time, and the list
  (made 11 (list 'symbol 1 +symbol+) (list "BASE-STRING" 1 (+ +string+ 5)))
  (arc 'intern-all 'intern 10))

(measuring ("intern of what is there") (intern-all)
  (made 11))

(defun package-row ()
  (list 'package 1 80))

;; in the list of all packages one cons; deleting copies the rest of the list
(measuring ("make-package and delete-package")
    (ten (delete-package (make-package "TEMPORARY" :use nil)))
  (made 2 (package-row) (tables 2 128 128) (doubles 2)
        (conses (+ 1 (length (list-all-packages))))))

;; USE-PACKAGE makes an entry in each of two lists; when the package is
;; deleted the list of users is copied without it.  Importing and exporting
;; find room.
(defun use-a-package ()
  (let ((package (make-package "TEMPORARY" :use nil)))
    (use-package '#:cl package)
    (import 'use-a-package package)
    (export 'use-a-package package)
    (delete-package package)))

(measuring ("use-package, import, export") (ten (use-a-package))
  (made (+ 2 10) (package-row) (tables 2 128 128) (doubles 2)
        (conses (+ 1 (length (list-all-packages))
                   2 (length (package-used-by-list '#:cl)))))
  (arc 'use-a-package 'use-package 10 20 (* 20 +cons+))
  (no-arc 'use-a-package 'import)
  (no-arc 'use-a-package 'export))

;;; Room for 96 symbols, three quarters of 128; the 97th makes the table grow.
;;; That of a package is new, with a header of its own.

(defvar *symbols* (loop for i below 100
                        collect (make-symbol (format nil "S~D" i))))

(defun import-all ()
  (let ((package (make-package "TEMPORARY" :use nil)))
    (import *symbols* package)
    (delete-package package)))

(measuring ("a package that grows") (ten (import-all))
  (made (+ 2 10) (package-row) (tables 3 128 128 192) (doubles 3)
        (conses (+ 1 (length (list-all-packages)))))
  (arc 'import-all 'import 10 20
       (* 10 (+ +hash-table+ (* 192 +hash-table-entry+) +double-float+))))
