;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Symbols that are made at run time.

(defvar *number* 100)

(defun fresh-name ()
  "A name that no symbol has."
  (format nil "NAME-~D" (incf *number*)))

;;; Names from data.  A package keeps them.

(defun fault-1 ()
  (let ((names nil))
    (dotimes (i 5 (length names))
      (pushnew (intern (fresh-name) :keyword) names))))

(defun mended-1 ()
  (let ((names nil))
    (dotimes (i 5 (length names))
      (pushnew (fresh-name) names :test #'string=))))

;;; A mark.

(defun fault-2 ()
  (let ((end (make-symbol "END")))
    (eq (getf '(a 1 b 2) 'c end) end)))

;; One for all calls.
(defun mended-2 ()
  (let ((end (load-time-value (make-symbol "END"))))
    (eq (getf '(a 1 b 2) 'c end) end)))

;;; A copy.

(defun fault-3 ()
  (let ((symbols nil))
    (dolist (name '(x y z))
      (push (cons name (copy-symbol name)) symbols))
    (loop for (name . symbol) in symbols
          always (string= name symbol))))

(defun mended-3 ()
  (let ((symbols nil))
    (dolist (name '(x y z))
      (push (cons name name) symbols))
    (loop for (name . symbol) in symbols
          always (string= name symbol))))

;;; Symbols that are there; FIND-SYMBOL; keys that are strings.

(defun alike-1 ()
  (list (intern "CAR" :common-lisp) (intern "CDR" :common-lisp)))

(defun alike-2 ()
  (find-symbol (fresh-name) :common-lisp))

(defun alike-3 ()
  (let ((counts (make-hash-table :test #'equal)))
    (incf (gethash (fresh-name) counts 0))))
