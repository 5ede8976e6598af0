;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; salza2.lisp -- a text is packed in two formats.

(defvar *sink*)

(defun octets (file)
  (with-open-file (stream file :element-type '(unsigned-byte 8))
    (let ((octets (make-array (file-length stream)
                              :element-type '(unsigned-byte 8))))
      (read-sequence octets stream)
      octets)))

(defun all ()
  (let ((octets (octets "/usr/share/common-licenses/GPL-3")))
    (setf *sink* (salza2:compress-data octets 'salza2:gzip-compressor))
    (setf *sink* (salza2:compress-data octets 'salza2:zlib-compressor)))
  t)
