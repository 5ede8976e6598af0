;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Integers of 64 bits that are declared, and boxed all the same.

(deftype words ()
  '(simple-array (unsigned-byte 64) (*)))

(defvar *words*
  (make-array 5 :element-type '(unsigned-byte 64)
                :initial-contents (loop for i below 5
                                        collect (- (ash 1 64) 1 (* i i)))))

;;; An element is boxed to be compared.  C reads it as it is.

(defun fault-1 ()
  (let ((words *words*) (large 0))
    (declare (type words words))
    (dotimes (i 5 large)
      (when (> (aref words i) 18446744073709551610)
        (incf large)))))

(defun mended-1 ()
  (let ((words *words*) (large 0))
    (declare (type words words))
    (dotimes (i 5 large)
      (when (ffi:c-inline (words i) (:object :fixnum) :bool
                          "#0->vector.self.b64[#1] > 18446744073709551610ULL"
                          :one-liner t)
        (incf large)))))

;;; So is what a function gets: it can get the array and the index.

(declaim (notinline folded folded-element))
(defun folded (word)
  (declare (type (unsigned-byte 64) word))
  (ffi:c-inline (word) (:uint64-t) :fixnum "(#0 >> 32) & 0xffff"
                :one-liner t))

(defun fault-2 ()
  (let ((words *words*))
    (declare (type words words))
    (loop for i below 5
          sum (folded (aref words i)))))

(defun folded-element (words i)
  (ffi:c-inline (words i) (:object :fixnum) :fixnum
                "(#0->vector.self.b64[#1] >> 32) & 0xffff" :one-liner t))

(defun mended-2 ()
  (let ((words *words*))
    (declare (type words words))
    (loop for i below 5
          sum (folded-element words i))))

;;; Signed integers, too, when they are no fixnums.

(defvar *offsets*
  (make-array 4 :element-type '(signed-byte 64)
                :initial-element (1- most-negative-fixnum)))

(defun fault-3 ()
  (let ((offsets *offsets*) (negative 0))
    (declare (type (simple-array (signed-byte 64) (*)) offsets))
    (dotimes (i 4 negative)
      (when (minusp (aref offsets i))
        (incf negative)))))

(defun mended-3 ()
  (let ((offsets *offsets*) (negative 0))
    (declare (type (simple-array (signed-byte 64) (*)) offsets))
    (dotimes (i 4 negative)
      (when (ffi:c-inline (offsets i) (:object :fixnum) :bool
                          "#0->vector.self.i64[#1] < 0" :one-liner t)
        (incf negative)))))

;;; Values that are fixnums, of the same type; bignums that are there already;
;;; bytes.

(defun alike-1 ()
  (let ((words (make-array 4 :element-type '(unsigned-byte 64)
                             :initial-element 12345))
        (sum 0))
    (declare (type words words))
    (dotimes (i 4 sum)
      (incf sum (aref words i)))))

(defvar *large* (list (ash 1 63) (ash 1 64)))

(defun alike-2 ()
  (copy-list *large*))

(defun alike-3 ()
  (let ((bytes (make-array 16 :element-type '(unsigned-byte 8)
                              :initial-element 255)))
    (loop for byte across bytes
          sum byte)))
