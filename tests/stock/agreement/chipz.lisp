;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; chipz.lisp -- what gzip wrote is unpacked, as a vector and as a stream.

(defvar *sink*)

(defun packed ()
  (concatenate 'string (ext:getenv "AGREEMENT_FAS") ".gz"))

(defun octets (file)
  (with-open-file (stream file :element-type '(unsigned-byte 8))
    (let ((octets (make-array (file-length stream)
                              :element-type '(unsigned-byte 8))))
      (read-sequence octets stream)
      octets)))

(defun unpack (file)
  (with-open-file (stream file :element-type '(unsigned-byte 8))
    (chipz:decompress nil 'chipz:gzip stream)))

(defun all ()
  (dotimes (i 5)
    (setf *sink* (chipz:decompress nil 'chipz:gzip (octets (packed))))
    (setf *sink* (unpack (packed))))
  t)
