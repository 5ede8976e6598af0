;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; CFFI, as Debian has it: a Lisp callback that the C library's qsort calls.
;;;; CFFI's own folder and those of what it needs, and nothing else; its
;;;; compiled files are kept in the build folder.

(eval-when (:compile-toplevel :load-toplevel :execute)
  (unless (find-package '#:cffi)
    (require :asdf)))

(eval-when (:compile-toplevel :load-toplevel :execute)
  (unless (find-package '#:cffi)
    (let ((*standard-output* (make-broadcast-stream)))
      (asdf:initialize-source-registry
       `(:source-registry
         ,@(loop for name in '("alexandria" "babel" "cl-cffi"
                               "trivial-features")
                 collect (list :directory
                               (format nil "/usr/share/common-lisp/source/~A/"
                                       name)))
         :ignore-inherited-configuration))
      (handler-bind ((warning #'muffle-warning))
        (asdf:load-system "cffi")))))

(in-package #:exact)

(defconstant +numbers+ 100)
(defconstant +pointer+ 32)        ; FOREIGN-DATA: header, size, tag, data

(defvar *comparisons* 0)
(declaim (fixnum *comparisons*))

(defun count-comparison (x)
  (incf *comparisons*)
  (keep (cons x x)))

(cffi:defcallback compare-ints :int ((a :pointer) (b :pointer))
  (let ((a (cffi:mem-ref a :int))
        (b (cffi:mem-ref b :int)))
    (declare (type (signed-byte 32) a b))
    (count-comparison a)
    (cond ((< a b) -1) ((> a b) 1) (t 0))))

(defvar *numbers* (cffi:foreign-alloc :int :count +numbers+))
(defvar *compare* (cffi:callback compare-ints))

(dotimes (i +numbers+)
  (setf (cffi:mem-aref *numbers* :int i) (mod (* i 37) +numbers+)))

;; CFFI looks a function up each time, unless it is given the address.
(defvar *qsort* (cffi:foreign-symbol-pointer "qsort"))

(defun sort-numbers ()
  (cffi:foreign-funcall-pointer *qsort* () :pointer *numbers*
                                :unsigned-long +numbers+ :unsigned-long 4
                                :pointer *compare* :void))

(measuring ("qsort through CFFI") (sort-numbers)
  (let* ((n *comparisons*)
         (below-c (+ (* n +cons+) (* 2 n +pointer+)))
         (arguments 8))           ; two lists, of types and of values
    (self 'count-comparison n (* n +cons+))
    (calls 'count-comparison n)
    (calls "CFFI-CALLBACKS::|EXACT::COMPARE-INTS|" n)
    (type-total "FOREIGN-DATA" (* 2 n) (* 2 n +pointer+))
    (calls 'sort-numbers 1)
    (inclusive 'si:call-cfun (* 3 n) below-c)
    (arc 'sort-numbers 'si:call-cfun 1 (* 3 n) below-c)
    (inclusive 'sort-numbers (+ (* 3 n) arguments)
               (+ below-c (* arguments +cons+)))
    (check "the C library is on every chain of a callback" '()
           (remove-if (lambda (line)
                        (or (search ";qsort" line)
                            (search "EXACT::SORT-NUMBERS;LIST;CONS" line)))
                      (runtime-chains)))))

(check "sorted" (loop for i below +numbers+ collect i)
       (loop for i below +numbers+
             collect (cffi:mem-aref *numbers* :int i)))
