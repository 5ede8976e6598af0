;;;; variants: compiled bytecode
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; The name of each type that ECL can allocate, and each element type of an
;;;; array: ten objects of it, header and body together.  Sizes are those of
;;;; the structures in ecl/object.h; what else ECL makes for an object is said
;;;; where it is counted.

(in-package #:exact)

(defun ten-of (name bytes &optional (objects 1))
  "Ten times OBJECTS objects of type NAME, of BYTES in all each time."
  (type-total name (* 10 objects) (* 10 bytes)))

(defun ten-in-all (objects bytes &optional (loops 1))
  "Nothing else, but for the two variables of the LOOPS that TEN is."
  (total (+ (* 10 objects) (v (* 2 loops)))
         (+ (* 10 bytes) (* (v (* 2 loops)) +cons+))))

(defconstant +pathname+ 56)
(defconstant +byte-buffer+ (by-release 0 8)) ; of streams of bytes
(defconstant +lock+ (by-release 48 72))
(defconstant +condition-variable+ (by-release 32 56))
(defconstant +semaphore+ (by-release 40 120))
(defconstant +barrier+ (by-release 48 120))

(defun nothing-raw ()
  "No byte is of memory that nobody knows the use of."
  (type-total "RAW-MEMORY" 0 0))

;;; Numbers.  A complex float begins with 4 bytes, then what C aligns.

(defvar *single* 1.5f0)
(defvar *double* 1.5d0)
(defvar *long* 1.5l0)
(defvar *three* 3)

(measuring ("floats, ratios and complex numbers")
    (progn (ten (/ 1 *three*))
           (ten (complex 1 *three*))
           (ten (complex *single* *single*))
           (ten (complex *double* *double*))
           (ten (complex *long* *long*)))
  (ten-of "RATIO" +ratio+)
  (ten-of "COMPLEX" +complex+)
  (ten-of "(COMPLEX SINGLE-FLOAT)" 12)
  (ten-of "(COMPLEX DOUBLE-FLOAT)" 24)
  (ten-of "(COMPLEX LONG-FLOAT)" 48))

;;; Vectors of all element types that ECL has, 5 elements each.

(macrolet ((vectors (&rest rows)
             `(progn
                ,@(loop for (element name bytes) in rows collect
                    `(measuring (,(format nil "vectors of ~A" name))
                         (ten (make-array 5 :element-type ',element))
                       (ten-of ,name ,bytes)
                       (nothing-raw))))))
  (vectors (t "(SIMPLE-ARRAY T)" (+ +vector+ 40))
           (single-float "(SIMPLE-ARRAY SINGLE-FLOAT)" (+ +vector+ 20))
           (double-float "(SIMPLE-ARRAY DOUBLE-FLOAT)" (+ +vector+ 40))
           (long-float "(SIMPLE-ARRAY LONG-FLOAT)" (+ +vector+ 80))
           (si:complex-single-float
            "(SIMPLE-ARRAY (COMPLEX SINGLE-FLOAT))" (+ +vector+ 40))
           (si:complex-double-float
            "(SIMPLE-ARRAY (COMPLEX DOUBLE-FLOAT))" (+ +vector+ 80))
           (si:complex-long-float
            "(SIMPLE-ARRAY (COMPLEX LONG-FLOAT))" (+ +vector+ 160))
           (bit "BIT-VECTOR" (+ +vector+ 1))
           (ext:byte8 "(SIMPLE-ARRAY (UNSIGNED-BYTE 8))" (+ +vector+ 5))
           (ext:integer8 "(SIMPLE-ARRAY (SIGNED-BYTE 8))" (+ +vector+ 5))
           (ext:byte16 "(SIMPLE-ARRAY (UNSIGNED-BYTE 16))" (+ +vector+ 10))
           (ext:integer16 "(SIMPLE-ARRAY (SIGNED-BYTE 16))" (+ +vector+ 10))
           (ext:byte32 "(SIMPLE-ARRAY (UNSIGNED-BYTE 32))" (+ +vector+ 20))
           (ext:integer32 "(SIMPLE-ARRAY (SIGNED-BYTE 32))" (+ +vector+ 20))
           (ext:byte64 "(SIMPLE-ARRAY (UNSIGNED-BYTE 64))" (+ +vector+ 40))
           (ext:integer64 "(SIMPLE-ARRAY (SIGNED-BYTE 64))" (+ +vector+ 40))
           (character "STRING" (+ +string+ 20))
           (base-char "BASE-STRING" (+ +string+ 6))))

;; The compiler takes words of 64 bits for these two, the runtime need not.
(measuring ("vectors of words")
    (progn (ten (make-array 5 :element-type 'ext:cl-index))
           (ten (make-array 5 :element-type 'ext:cl-fixnum)))
  (ten-of (by-variant "(SIMPLE-ARRAY (UNSIGNED-BYTE 64))"
                      "(SIMPLE-ARRAY EXT:CL-INDEX)")
          (+ +vector+ 40))
  (ten-of (by-variant "(SIMPLE-ARRAY (SIGNED-BYTE 64))"
                      "(SIMPLE-ARRAY EXT:CL-FIXNUM)")
          (+ +vector+ 40)))

;;; Arrays that are no simple vectors: adjustable, with a fill pointer,
;;; displaced, of another rank.

(defvar *twelve* (make-array 12))
(defvar *matrix* (list 3 4))

(measuring ("adjustable vectors")
    (progn (ten (make-array 5 :adjustable t))
           (ten (make-array 5 :fill-pointer 0 :element-type 'double-float))
           (ten (make-array 5 :fill-pointer 0 :element-type 'character))
           (ten (make-array 5 :adjustable t :element-type 'base-char))
           (ten (make-array 5 :adjustable t :element-type 'bit)))
  (ten-of "(VECTOR T)" (+ +vector+ 40))
  (ten-of "(VECTOR DOUBLE-FLOAT)" (+ +vector+ 40))
  (ten-of "STRING" (+ +string+ 20))
  (ten-of "BASE-STRING" (+ +string+ 6))
  (ten-of "BIT-VECTOR" (+ +vector+ 1)))

;; A displaced array has no body.  It keeps the array it is displaced to in
;; one cons, which the other one has in a list only if it is adjustable
;; itself.
(measuring ("displaced arrays")
    (progn (ten (make-array 5 :displaced-to *twelve*))
           (ten (make-array *matrix* :displaced-to *twelve*)))
  (ten-of "(VECTOR T)" +vector+)
  (ten-of "(ARRAY T)" (+ +array+ (* 2 +word+))))

(measuring ("matrices")
    (progn (ten (make-array *matrix*))
           (ten (make-array *matrix* :adjustable t))
           (ten (make-array *matrix* :element-type 'bit))
           (ten (make-array *matrix* :element-type 'character))
           (ten (make-array *matrix* :element-type 'base-char))
           (ten (make-array *matrix* :element-type 'ext:byte16 :adjustable t))
           (ten (make-array nil)))
  ;; two dimensions; the last has none, and one element
  (type-total "(SIMPLE-ARRAY T)" 20
              (* 10 (+ +array+ 16 96 +array+ 0 8)))
  (ten-of "(ARRAY T)" (+ +array+ 16 96))
  (ten-of "(SIMPLE-ARRAY BIT)" (+ +array+ 16 2))
  (ten-of "(SIMPLE-ARRAY CHARACTER)" (+ +array+ 16 48))
  (ten-of "(SIMPLE-ARRAY BASE-CHAR)" (+ +array+ 16 13))
  (ten-of "(ARRAY (UNSIGNED-BYTE 16))" (+ +array+ 16 24)))

(defvar *words* (make-array 5 :element-type 'ext:byte32))

(measuring ("raw data of an array") (ten (ext:array-raw-data *words*))
  (ten-of "(SIMPLE-ARRAY (UNSIGNED-BYTE 8))" +vector+))

;;; Streams by their kind.

(defvar *vector* (make-array 4 :element-type 'ext:byte8))

(measuring ("streams")
    (progn (ten (make-string-input-stream "abc"))
           (ten (make-broadcast-stream))
           (ten (make-concatenated-stream))
           (ten (make-synonym-stream '*standard-output*))
           (ten (make-two-way-stream *standard-input* *standard-output*))
           (ten (make-echo-stream *standard-input* *standard-output*))
           (ten (ext:make-sequence-input-stream *vector*)))
  (ten-of 'string-stream +stream+)
  (ten-of 'broadcast-stream +stream+)
  (ten-of 'concatenated-stream +stream+)
  (ten-of 'synonym-stream +stream+)
  (ten-of 'two-way-stream +stream+)
  (ten-of 'echo-stream +stream+)
  (ten-of "SEQUENCE-STREAM" (+ +stream+ +byte-buffer+))
  (nothing-raw))

;; an output stream has a string of 128 characters with a fill pointer
(measuring ("string output streams") (ten (make-string-output-stream))
  (ten-of 'string-stream +stream+)
  (ten-of "STRING" (+ +string+ (* 4 128))))

;; the buffer of C's stdio is the stream's: 8192 bytes
(measuring ("files") (with-open-file (stream "/dev/null") stream)
  (type-total 'file-stream 1 (+ +stream+ +byte-buffer+ 8192))
  (nothing-raw))

;;; Objects of the rest of the runtime.

(defvar *name* (make-string 3 :element-type 'base-char :initial-element #\a))
(defvar *list* (list 1 2))

(measuring ("symbols") (ten (make-symbol *name*))
  (ten-of 'symbol +symbol+)
  (ten-of "BASE-STRING" (+ +string+ 4))
  (ten-in-all 2 (+ +symbol+ +string+ 4)))

;; MAKE-PATHNAME makes one, and another when it merges with defaults
(measuring ("pathnames") (ten (make-pathname :name *name*))
  (ten-of 'pathname (* 2 +pathname+) 2))

;;; A table that is full at three quarters grows by a half, that is by 1.5d0, a
;;; float that each new table takes.  Each time the old entries are kept in one
;;; more header, and the new size is a float before it is an integer; 45 * 1.5
;;; leaves a rest, one more float.

(defun fill-table (table n)
  (dotimes (i n)
    (setf (gethash i table) i))
  table)

(measuring ("tables that grow")
    (ten (fill-table (make-hash-table :size 20) 100))
  (ten-of 'hash-table (+ (* 6 +hash-table+)
                         (* +hash-table-entry+ (+ 20 30 45 68 102 153)))
          6)
  (ten-of 'double-float (* 7 +double-float+) 7)
  (arc 'fill-table 'si:hash-set 50))

;; vectors grow by a half and one
(defun push-all (vector n)
  (dotimes (i n vector)
    (vector-push-extend i vector)))

(measuring ("vectors that grow")
    (ten (push-all (make-array 4 :adjustable t :fill-pointer 0) 100))
  (ten-of "(VECTOR T)" (loop for n in '(4 7 11 17 26 40 61 92 139)
                             sum (+ +vector+ (* n +word+)))
          9)
  (arc 'push-all 'vector-push-extend 80))

;; a package has two tables of 128 symbols; the list of all is copied
(measuring ("packages")
    (ten (delete-package (make-package "TEMPORARY" :use nil)))
  (ten-of 'package 80)
  (ten-of 'hash-table (* 2 (+ +hash-table+ (* 128 +hash-table-entry+))) 2))

;; 313 words of the Mersenne twister, a vector of its own
(measuring ("random states") (ten (make-random-state nil))
  (ten-of 'random-state 16)
  (ten-of "(SIMPLE-ARRAY (UNSIGNED-BYTE 64))" (+ +vector+ (* 8 313))))

;; 256 entries of 16 bytes; the dispatching macro characters have hash tables
(measuring ("readtables") (ten (copy-readtable nil))
  (ten-of 'readtable (+ 24 (* 256 16)))
  (nothing-raw))

;; (Objects with finalizers make the collector's table of these grow.)
(measuring ("weak pointers" :residual nil) (ten (ext:make-weak-pointer *list*))
  (ten-of "WEAK-POINTER" 16)
  (ten-in-all 1 16))

(measuring ("threads' objects" :residual nil)
    (progn (ten (mp:make-lock))
           (ten (mp:make-rwlock))
           (ten (mp:make-condition-variable))
           (ten (mp:make-semaphore))
           (ten (mp:make-barrier 2)))
  (ten-of "LOCK" +lock+)
  (ten-of "RWLOCK" 72)
  (ten-of "CONDITION-VARIABLE" +condition-variable+)
  (ten-of "SEMAPHORE" +semaphore+)
  (ten-of "BARRIER" +barrier+)
  (ten-in-all 5 (+ +lock+ 72 +condition-variable+ +semaphore+ +barrier+) 5))

;; 128 messages in a vector, a semaphore for readers and one for writers, for
;; which 24.5.10 has the system's condition variables
(measuring ("mailboxes") (ten (mp:make-mailbox))
  (ten-of "MAILBOX" (by-release 64 184))
  (ten-of "SEMAPHORE" (by-release 80 0) (by-release 2 0))
  (ten-of "(SIMPLE-ARRAY T)" (+ +vector+ (* 128 +word+)))
  (ten-in-all (by-release 4 2)
              (+ (by-release (+ 64 80) 184) +vector+ (* 128 +word+))))

;; A process that does not run yet: 256 places for bindings, the barrier for
;; those who wait for its end, and a cons for their queue.  In 24.5.10 it has
;; the barrier in it, and gets its bindings when it is started.
(measuring ("processes" :residual nil) (ten (mp:make-process :name *name*))
  (ten-of "PROCESS" (by-release 128 192))
  (if (by-release t nil)
      (progn
        (ten-of "(SIMPLE-ARRAY T)" (+ +vector+ (* 256 +word+)))
        (ten-of "BARRIER" 48)
        (ten-in-all 4 (+ 128 +vector+ (* 256 +word+) 48 +cons+)))
      (ten-in-all 1 192)))

;; Started, it gets a mask of signals, what it needs for interrupts and two
;; caches; its stacks, of frames, of bindings and of data, with what is kept for
;; an overflow (in 21.2.1 the last is rounded to 2048 words); and bignum
;; registers, 32 limbs each.  It shares no memory with the process that made it,
;; but is made of that one's.  24.5.10 takes stacks and bindings from malloc: they
;; count in the same way.  The environment comes from the kernel in both.
(defconstant +stacks+
  (+ (* (+ 2048 (* 2 128)) #+aarch64 344 #-aarch64 232)
     (* (+ 8192 (* 2 1024)) 16)
     (* (by-release (* 17 2048) (+ 32768 (* 2 128))) +word+)))

(defun start-process ()
  (let ((process (mp:make-process :name *name*)))
    (mp:process-preset process #'identity 1)
    (mp:process-enable process)
    (mp:process-join process)))

;; Earlier profiles are closed now: a finalizer that ran in the new process
;; would make its first foreign call, which takes memory of its own.
(ext:gc t)
(measuring ("a process that runs" :residual nil) (start-process)
  (type-total 'bignum 3 (* 3 (+ +bignum+ (* 32 8))))
  (type-total "PROCESS" 1
              (+ (by-release 128 192) 128 (by-release 32 64)
                 (* 2 32) +stacks+ (by-release 0 (* 256 +word+))))
  (check "bytes from malloc"
         (by-release 0 (+ +stacks+ (* 256 +word+)))
         (parse-integer (mprof.data:comment "mprof.malloc_bytes" *profile*)))
  (nothing-raw))

;; A stack that grows is another one.
(measuring ("a larger stack") (ext:set-limit 'ext:binding-stack 20000)
  (type-total "PROCESS" 0 (* (+ 20000 (* 2 1024)) 16)))

;; What C code takes from ECL's own malloc, which only 24.5.10 has.
(when (by-release nil t)
  (measuring ("ecl_malloc")
      (ten (si:call-cfun (c-function "ecl_malloc" :default)
                         :unsigned-long '(:unsigned-long) '(1000)))
    (ten-of "RAW-MEMORY" 1000)
    (check "bytes from malloc" "10000"
           (mprof.data:comment "mprof.malloc_bytes" *profile*))))

;;; Foreign data: memory that the collector frees, and memory that it does
;;; not.

(measuring ("foreign data") (ten (si:allocate-foreign-data :void 100))
  (ten-of "FOREIGN-DATA" (+ 32 100))
  (ten-in-all 1 132))

;;; Functions.

(defun make-counter (n)
  (lambda () (incf n)))

(measuring ("closures") (ten (make-counter 1))
  ;; compiled: entry and environment; byte-compiled: code and environment
  (ten-of "CLOSURE" (by-variant +closure+ 32)))

(defvar *form* '(lambda (x) (list x x)))

;; the function, and the form that makes it
(measuring ("bytecodes") (ten (eval *form*))
  (let ((type (find "BYTECODES" (mprof.data:figure :types *profile*)
                    :key (mprof.data:reader :type) :test #'string=)))
    (check "bytecodes are functions and toplevel forms" 20
           (mprof.data:figure :allocations type)))
  (nothing-raw))

;;; Structures and instances, also of no slots, and copies.

(defstruct point x y)
(defstruct (point-3 (:include point)) z)
(defclass account () ((owner :initarg :owner) (balance :initform 0) (log)))
(defclass empty () ())

(defun make-instances ()
  (ten (copy-point (make-point :x 1 :y 2)))
  (ten (make-point-3 :x 1 :y 2 :z 3))
  (ten (make-instance 'account :owner 1))
  (ten (make-instance 'empty)))

(make-instances)                        ; finalizes classes, fills caches

(measuring ("structures and instances") (make-instances)
  ;; in 21.2.1 an instance has one slot at least
  (loop for (class objects slots) in `((point 20 2) (point-3 10 3) (account 10 3)
                                       (empty 10 ,(by-release 1 0)))
        do (class-total class objects
                        (* objects (+ +instance+ (* slots +word+)))))
  (calls 'make-point 10))

;;; Instances by class: generic functions, classes, slots.

(measuring ("what DEFCLASS makes")
    (eval '(defclass made () ((first :initarg :first) (second))))
  (loop for (class objects slots)
          in '((standard-class 1 22)
               (clos:standard-direct-slot-definition 2 10)
               (clos:standard-effective-slot-definition 2 10))
        do (class-total class objects
                        (* objects (+ +instance+ (* slots +word+)))))
  (nothing-raw))

(measuring ("what DEFGENERIC and DEFMETHOD make")
    (progn (eval '(defgeneric made-function (x)))
           (eval '(defmethod made-function ((x integer)) (list x))))
  (class-total 'standard-generic-function 1 (+ +instance+ (* 11 +word+)))
  ;; 24.5.10 makes a prototype of the class, once
  (let ((n (by-release 1 2)))
    (class-total 'standard-method n (* n (+ +instance+ (* 8 +word+)))))
  (nothing-raw))

;;; Bignums: one object each; what GMP needs meanwhile is bytes of bignums and
;;; no object.

(defvar *big* (expt 3 1000))            ; 1585 bits, 25 limbs

;; The product of n and m limbs is made in a place of n + m limbs, with no
;; workspace as long as GMP multiplies by the book.
(measuring ("products of bignums") (ten (* *big* *big*))
  (ten-of 'bignum (+ +bignum+ (* 8 50)))
  (ten-in-all 1 (+ +bignum+ (* 8 50))))

;; The text of a number of 478 digits is made in 480 bytes that belong to no
;; string, first.
(measuring ("a bignum that is printed") (ten (princ-to-string *big*))
  (type-total "BASE-STRING" 0 4800)
  (nothing-raw))
