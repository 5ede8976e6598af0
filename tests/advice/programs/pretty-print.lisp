;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Lists are printed by the pretty printer when nobody has bound
;;;; *PRINT-PRETTY*.

(defvar *stream* (make-string-output-stream))

(defmacro written (&body body)
  `(progn ,@body (get-output-stream-string *stream*)))

(defmacro plainly (&body body)
  `(let ((*print-pretty* nil)) ,@body))

;;; Records that are written to a file.

(defvar *records*
  '((:id 1 :name "tea" :price 3)
    (:id 2 :name "milk" :price 1)))

(defun fault-1 ()
  (written
    (dolist (record *records*)
      (prin1 record *stream*)
      (terpri *stream*))))

(defun mended-1 ()
  (written
    (plainly
      (dolist (record *records*)
        (prin1 record *stream*)
        (terpri *stream*)))))

;;; Code, in a message.

(defun fault-2 ()
  (format nil "in ~S: ~A" '(list (+ 1 2) :a) #(1 :b)))

(defun mended-2 ()
  (plainly
    (format nil "in ~S: ~A" '(list (+ 1 2) :a) #(1 :b))))

;;; A key for a table.

(defun fault-3 ()
  (loop for point in '((1 2) (3 4) (1 2))
        collect (write-to-string point)))

(defun mended-3 ()
  (loop for point in '((1 2) (3 4) (1 2))
        collect (write-to-string point :pretty nil)))

;; A list for the keyword argument.
(defvar *more-3* (* 3 32))

;;; Atoms; a list by its elements; what is pretty on purpose.

(defun alike-1 ()
  (written
    (prin1 'atom *stream*)
    (princ "text" *stream*)
    (prin1 17 *stream*)))

(defun alike-2 ()
  (written (format *stream* "~{~A~^ ~}" '(1 2 3))))

(defun alike-3 ()
  (written
    (pprint-logical-block (*stream* '(1 2) :prefix "<" :suffix ">")
      (write 1 :stream *stream*)
      (pprint-newline :fill *stream*)
      (write 2 :stream *stream*))))
