;;;; variants: compiled
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

(defun ten-in-all (objects bytes)
  "Nothing else."
  (total (* 10 objects) (* 10 bytes)))

(defconstant +pathname+ 56)
(defconstant +byte-buffer+ (by-release 0 8)) ; of streams of bytes
(defconstant +lock+ (by-release 48 72))
(defconstant +condition-variable+ (by-release 32 56))
(defconstant +semaphore+ (by-release 40 120))
(defconstant +barrier+ (by-release 48 120))

(defun nothing-raw ()
  "No byte is of memory that nobody knows the use of."
  (type-total "RAW-MEMORY" 0 0))

(defmacro tens ((title &rest options) &rest rows)
  "Each of ROWS is (FORM TYPE BYTES), and perhaps (TYPE BYTES [OBJECTS]) for what
FORM makes besides: evaluated ten times, it makes ten objects of TYPE, or ten
times OBJECTS, of so many BYTES each time."
  `(measuring (,title ,@options)
       (progn ,@(loop for (form) in rows collect `(ten ,form)))
     ,@(loop for (nil type bytes . others) in rows
             collect `(ten-of ,type ,bytes)
             append (loop for other in others collect `(ten-of ,@other)))
     (nothing-raw)))

;;; Numbers.  A complex float begins with 4 bytes, then what C aligns.

(defvar *single* 1.5f0)
(defvar *double* 1.5d0)
(defvar *long* 1.5l0)
(defvar *three* 3)

(tens ("floats, ratios and complex numbers")
  ((/ 1 *three*) "RATIO" +ratio+)
  ((complex 1 *three*) "COMPLEX" +complex+)
  ((complex *single* *single*) "(COMPLEX SINGLE-FLOAT)" 12)
  ((complex *double* *double*) "(COMPLEX DOUBLE-FLOAT)" 24)
  ((complex *long* *long*) "(COMPLEX LONG-FLOAT)" 48))

;;; Vectors of all element types that ECL has, 5 elements each.

(macrolet ((vectors (&rest rows)
             `(tens ("vectors of each element type")
                ,@(loop for (element name bytes) in rows
                        collect `((make-array 5 :element-type ',element)
                                  ,name ,bytes)))))
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

;; The compiler takes words of 64 bits for these two, the runtime does not.
(defvar *index* 'ext:cl-index)
(defvar *fixnum* 'ext:cl-fixnum)

(tens ("vectors of words")
  ((make-array 5 :element-type *index*) "(SIMPLE-ARRAY EXT:CL-INDEX)"
   (+ +vector+ 40))
  ((make-array 5 :element-type *fixnum*) "(SIMPLE-ARRAY EXT:CL-FIXNUM)"
   (+ +vector+ 40)))

;;; Arrays that are no simple vectors: adjustable, with a fill pointer,
;;; displaced, of another rank.

(defvar *twelve* (make-array 12))
(defvar *matrix* (list 3 4))
(defvar *words* (make-array 5 :element-type 'ext:byte32))

(tens ("adjustable vectors")
  ((make-array 5 :adjustable t) "(VECTOR T)" (+ +vector+ 40))
  ((make-array 5 :fill-pointer 0 :element-type 'double-float)
   "(VECTOR DOUBLE-FLOAT)" (+ +vector+ 40))
  ((make-array 5 :fill-pointer 0 :element-type 'character)
   "STRING" (+ +string+ 20))
  ((make-array 5 :adjustable t :element-type 'base-char)
   "BASE-STRING" (+ +string+ 6))
  ((make-array 5 :adjustable t :element-type 'bit)
   "BIT-VECTOR" (+ +vector+ 1)))

;; A displaced array has no body.  It keeps the array it is displaced to in
;; one cons, which the other one has in a list only if it is adjustable
;; itself.
(tens ("displaced arrays, and raw data of an array")
  ((make-array 5 :displaced-to *twelve*) "(VECTOR T)" +vector+)
  ((make-array *matrix* :displaced-to *twelve*) "(ARRAY T)"
   (+ +array+ (* 2 +word+)))
  ((ext:array-raw-data *words*) "(SIMPLE-ARRAY (UNSIGNED-BYTE 8))" +vector+))

(tens ("matrices")
  ((make-array *matrix* :adjustable t) "(ARRAY T)" (+ +array+ 16 96))
  ((make-array *matrix* :element-type 'bit) "(SIMPLE-ARRAY BIT)"
   (+ +array+ 16 2))
  ((make-array *matrix* :element-type 'character) "(SIMPLE-ARRAY CHARACTER)"
   (+ +array+ 16 48))
  ((make-array *matrix* :element-type 'base-char) "(SIMPLE-ARRAY BASE-CHAR)"
   (+ +array+ 16 13))
  ((make-array *matrix* :element-type 'ext:byte16 :adjustable t)
   "(ARRAY (UNSIGNED-BYTE 16))" (+ +array+ 16 24))
  ;; no dimensions, and one element
  ((make-array nil) "(SIMPLE-ARRAY T)" (+ +array+ 0 8)))

;;; Streams by their kind.

(defvar *vector* (make-array 4 :element-type 'ext:byte8))

(tens ("streams")
  ((make-string-input-stream "abc") 'string-stream +stream+)
  ((make-broadcast-stream) 'broadcast-stream +stream+)
  ((make-concatenated-stream) 'concatenated-stream +stream+)
  ((make-synonym-stream '*standard-output*) 'synonym-stream +stream+)
  ((make-two-way-stream *standard-input* *standard-output*)
   'two-way-stream +stream+)
  ((make-echo-stream *standard-input* *standard-output*) 'echo-stream +stream+)
  ((ext:make-sequence-input-stream *vector*) "SEQUENCE-STREAM"
   (+ +stream+ +byte-buffer+)))

;; the buffer of C's stdio is the stream's: 8192 bytes
(measuring ("files") (with-open-file (stream "/dev/null") stream)
  (type-total 'file-stream 1 (+ +stream+ +byte-buffer+ 8192))
  (nothing-raw))

;;; Objects of the rest of the runtime.

(defvar *name* (make-string 3 :element-type 'base-char :initial-element #\a))
(defvar *list* (list 1 2))

(tens ("symbols")
  ((make-symbol *name*) 'symbol +symbol+
   ("BASE-STRING" (+ +string+ 4))))
(ten-in-all 2 (+ +symbol+ +string+ 4))

(tens ("objects with others")
  ;; a string of 128 characters with a fill pointer
  ((make-string-output-stream) 'string-stream +stream+
   ("STRING" (+ +string+ (* 4 128))))
  ;; 313 words of the Mersenne twister, a vector of its own
  ((make-random-state nil) 'random-state 16
   ("(SIMPLE-ARRAY (UNSIGNED-BYTE 64))" (+ +vector+ (* 8 313))))
  ;; 128 messages in a vector, and in 21.2.1 two semaphores
  ((mp:make-mailbox) "MAILBOX" (by-release 64 184)
   ("SEMAPHORE" (by-release 80 0) (by-release 2 0))
   ("(SIMPLE-ARRAY T)" (+ +vector+ (* 128 +word+))))
  ;; two tables of 128 symbols; the list of all is copied
  ((delete-package (make-package "TEMPORARY" :use nil)) 'package 80
   ('hash-table (* 2 (+ +hash-table+ (* 128 +hash-table-entry+))) 2)))

;; MAKE-PATHNAME makes one, and another when it merges with defaults
(measuring ("pathnames") (ten (make-pathname :name *name*))
  (ten-of 'pathname (* 2 +pathname+) 2))

;; 256 entries of 16 bytes; the dispatching macro characters have hash tables
(tens ("readtables")
  ((copy-readtable nil) 'readtable (+ 24 (* 256 16))))

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

;; (Objects with finalizers make the collector's table of these grow.)
(tens ("weak pointers, and threads' objects" :residual nil)
  ((ext:make-weak-pointer *list*) "WEAK-POINTER" 16)
  ((mp:make-lock) "LOCK" +lock+)
  ((mp:make-rwlock) "RWLOCK" 72)
  ((mp:make-condition-variable) "CONDITION-VARIABLE" +condition-variable+)
  ((mp:make-semaphore) "SEMAPHORE" +semaphore+)
  ((mp:make-barrier 2) "BARRIER" +barrier+))
(ten-in-all 6 (+ 16 +lock+ 72 +condition-variable+ +semaphore+ +barrier+))

;; A process that is started gets a mask of signals, what it needs for interrupts and two
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

(tens ("foreign data")
  ((si:allocate-foreign-data :void 100) "FOREIGN-DATA" (+ 32 100)))
(ten-in-all 1 132)

;;; Functions.

(defun make-counter (n)
  (lambda () (incf n)))

(tens ("closures")
  ((make-counter 1) "CLOSURE" +closure+))

;; the function, and the form that makes it
(measuring ("bytecodes") (ten (eval '(lambda (x) (list x x))))
  (check "bytecodes are functions and toplevel forms" 20
         (mprof.data:figure :allocations
          (find "BYTECODES" (mprof.data:figure :types *profile*)
                :key (mprof.data:reader :type) :test #'string=)))
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

(measuring ("what DEFGENERIC makes") (eval '(defgeneric made-function (x)))
  (class-total 'standard-generic-function 1 (+ +instance+ (* 11 +word+)))
  (nothing-raw))

;;; Bignums: one object each; what GMP needs meanwhile is bytes of bignums and
;;; no object.

(defvar *big* (expt 3 1000))            ; 1585 bits, 25 limbs

;; The product of n and m limbs is made in a place of n + m limbs, with no
;; workspace as long as GMP multiplies by the book.
(tens ("products of bignums")
  ((* *big* *big*) 'bignum (+ +bignum+ (* 8 50))))
(ten-in-all 1 (+ +bignum+ (* 8 50)))

;; The text of a number of 478 digits is made in 480 bytes that belong to no
;; string, first.
(measuring ("a bignum that is printed") (ten (princ-to-string *big*))
  (type-total "BASE-STRING" 0 4800)
  (nothing-raw))
