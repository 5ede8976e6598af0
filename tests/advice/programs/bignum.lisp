;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Integers that are no fixnums on the way to a result that is one.

;;; The hash function FNV-1a of 64 bits.

(defvar *words* (list "allocation" "profile" "advice"))

(defun fault-1 ()
  (loop for word of-type simple-string in *words*
        collect (let ((hash 14695981039346656037))
                  (loop for c across word
                        do (setf hash (ldb (byte 64 0)
                                           (* (logxor hash (char-code c))
                                              1099511628211))))
                  (ldb (byte 20 0) hash))))

(defun mended-1 ()
  (loop for word of-type simple-string in *words*
        collect (let ((hash 14695981039346656037))
                  (declare (type (unsigned-byte 64) hash))
                  (loop for c across word
                        do (setf hash
                                 (ffi:c-inline (hash (char-code c))
                                               (:uint64-t :fixnum) :uint64-t
                                               "(#0 ^ #1) * 1099511628211ULL"
                                               :one-liner t)))
                  (ffi:c-inline (hash) (:uint64-t) :fixnum "#0 & 0xfffff"
                                :one-liner t))))

;;; A power modulo a number of 50 bits: the products have 100.

(defconstant +modulus+ 1125899906842597)

(defun fault-2 ()
  (let ((power 1))
    (dotimes (i 40 power)
      (setf power (mod (* power 1000000000039) +modulus+)))))

(defun mended-2 ()
  (let ((power 1))
    (declare (fixnum power))
    (dotimes (i 40 power)
      (setf power (ffi:c-inline
                   (power 1000000000039 +modulus+)
                   (:fixnum :fixnum :fixnum) :fixnum
                   "(cl_fixnum)((__int128)#0 * #1 % #2)" :one-liner t)))))

;;; A set of small integers as the bits of one.

(defvar *set* (loop for i in '(3 17 64 70 99) sum (ash 1 i)))

(defun fault-3 ()
  (loop for i below 100
        unless (zerop (logand *set* (ash 1 i)))
          collect i))

(defun mended-3 ()
  (loop for i below 100
        when (logbitp i *set*)
          collect i))

;;; A hash of 32 bits, whose products are fixnums; bignums that are asked and
;;; not made; one that is read.

(defun alike-1 ()
  (loop for word in *words*
        collect (let ((hash 2166136261))
                  (loop for c across (the simple-string word)
                        do (setf hash (logand #xffffffff
                                              (* (logxor hash (char-code c))
                                                 16777619))))
                  hash)))

(defun alike-2 ()
  (list (integer-length *set*) (logcount *set*) (evenp *set*)
        (> *set* most-positive-fixnum) (= *set* 0) (gcd *set* 12)))

(defun alike-3 ()
  (parse-integer "123456789012345678901234567890"))
