;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Pathnames that are parsed, merged and printed.

;;; A name that is parsed by each function that gets it.

(defun fault-1 ()
  (list (pathname-name "/tmp/a.lisp") (pathname-type "/tmp/a.lisp")))

(defun mended-1 ()
  (let ((file #p"/tmp/a.lisp"))
    (list (pathname-name file) (pathname-type file))))

;;; Files of a directory, which are merged with it again and again.

(defvar *directory* #p"/home/me/")

(defun path-of (name)
  (merge-pathnames name *directory*))

(defun fault-2 ()
  (let ((count 0))
    (dotimes (i 3 count)
      (when (pathname-name (path-of "a.txt"))
        (incf count)))))

(defun mended-2 ()
  (let ((count 0)
        (file (load-time-value (merge-pathnames "a.txt" #p"/home/me/"))))
    (dotimes (i 3 count)
      (when (pathname-name file)
        (incf count)))))

;;; A file that is asked for again and again.

(defun fault-3 ()
  (loop repeat 5
        count (probe-file "/nowhere/to/be.found")))

(defvar *there* (if (probe-file "/nowhere/to/be.found") 5 0))

(defun mended-3 ()
  *there*)

;;; A pathname that is a constant; its parts; a test of two.

(defun alike-1 ()
  #p"/tmp/a.lisp")

(defun alike-2 ()
  (pathname-type *directory*))

(defun alike-3 ()
  (equal *directory* #p"/home/me/"))
