;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; FORMAT makes a string and a stream for each directive with a width.

(defvar *stream* (make-string-output-stream))

(defmacro written (&body body)
  `(progn ,@body (get-output-stream-string *stream*)))

(defmacro write-formatted (control argument)
  `(format *stream* (load-time-value (formatter ,control)) ,argument))

;;; Times of day.

(defun fault-1 ()
  (written
    (loop for (hour minute) in '((7 30) (12 5))
          do (write-formatted "~2,'0D:" hour)
             (write-formatted "~2,'0D " minute))))

(defun pad-two (n)
  (when (< n 10)
    (write-char #\0 *stream*)))

(defun mended-1 ()
  (written
    (loop for (hour minute) in '((7 30) (12 5))
          do (pad-two hour)
             (write-formatted "~D:" hour)
             (pad-two minute)
             (write-formatted "~D " minute))))

;;; A table of names.

(defvar *names* '("tea" "milk" "bread and butter"))

(defun fault-2 ()
  (written
    (dolist (name *names*)
      (write-formatted "~10A|" name))))

(defun mended-2 ()
  (written
    (dolist (name *names*)
      (write-formatted "~A" name)
      (loop repeat (- 10 (length name))
            do (write-char #\Space *stream*))
      (write-char #\| *stream*))))

;;; Numbers to the right; a width costs nothing else.

(defun fault-3 ()
  (written
    (dolist (n '(1 -20 300))
      (write-formatted "~5D" n))))

(defun width (n)
  (cond ((minusp n) (1+ (width (- n))))
        ((< n 10) 1)
        (t (1+ (width (floor n 10))))))

(defun mended-3 ()
  (written
    (dolist (n '(1 -20 300))
      (loop repeat (- 5 (width n))
            do (write-char #\Space *stream*))
      (write-formatted "~D" n))))

;; Conses, with which a sign is put before the number, are saved besides.
(defvar *more-3* -80)

;;; Directives without a width; columns by ~T; a list.

(defun alike-1 ()
  (written (format *stream* "~D ~A ~S~%" 1 'a "b")))

(defun alike-2 ()
  (written (format *stream* "a~10Tb~20Tc~30Td")))

(defun alike-3 ()
  (written (format *stream* "~{~A~^, ~}" '(1 2 3))))
