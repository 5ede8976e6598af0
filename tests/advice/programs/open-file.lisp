;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; A file stream has a buffer, and the name of the file is parsed and
;;;; printed.

(defvar *file* (format nil "~A/open-file.txt" (ext:getenv "ADVICE_WORK")))

(with-open-file (s *file* :direction :output :if-exists :supersede)
  (print 42 s))

;;; A log that is opened for each line.

(defun fault-1 ()
  (dotimes (i 3 t)
    (with-open-file (s *file* :direction :output :if-exists :append)
      (print i s))))

(defvar *log* (open *file* :direction :output :if-exists :append))

(defun mended-1 ()
  (dotimes (i 3 t)
    (print i *log*)
    (finish-output *log*)))

;;; A setting that is read each time.

(defun setting ()
  (with-open-file (s *file*)
    (read s)))

(defun fault-2 ()
  (+ (setting) (setting)))

;; The stream is kept: what READ conses stays.
(defvar *settings* (open *file*))

(defun mended-2 ()
  (flet ((setting ()
           (file-position *settings* 0)
           (read *settings*)))
    (+ (setting) (setting))))

;;; The length of a file.

(defun fault-3 ()
  (plusp (with-open-file (s *file* :element-type '(unsigned-byte 8))
           (file-length s))))

(defun mended-3 ()
  (plusp (file-length *settings*)))

;;; Streams that are open; strings; pathnames.

(defun alike-1 ()
  (file-position *settings* 0)
  (read-char *settings*))

(defun alike-2 ()
  (with-input-from-string (s "42")
    (read s)))

(defun alike-3 ()
  (probe-file *file*))
