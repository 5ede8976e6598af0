;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Conditions that are signalled where nothing is wrong.

(define-condition not-found (error)
  ((key :initarg :key)))

(defvar *table* '((:a . 1) (:b . 2)))

(defun look-up (key)
  (let ((pair (assoc key *table*)))
    (if pair
        (cdr pair)
        (error 'not-found :key key))))

(defun fault-1 ()
  (handler-case (look-up :z)
    (not-found () :none)))

(defun look-up-or (key default)
  (let ((pair (assoc key *table*)))
    (if pair
        (cdr pair)
        default)))

(defun mended-1 ()
  (look-up-or :z :none))

(defvar *more-1* (- (+ 48 64)))         ; the handler, and what it captures

;;; A search is left; CATCH and THROW do it.

(define-condition found (condition) ())

(defun search-tree (tree)
  (cond ((consp tree)
         (search-tree (car tree))
         (search-tree (cdr tree)))
        ((eql tree 42)
         (signal 'found))))

(defun fault-2 ()
  (handler-case (search-tree '((1 (2 3)) (4 42)))
    (found () t)))

(defun throw-from-tree (tree)
  (cond ((consp tree)
         (throw-from-tree (car tree))
         (throw-from-tree (cdr tree)))
        ((eql tree 42)
         (throw 'found t))))

(defun mended-2 ()
  (catch 'found
    (throw-from-tree '((1 (2 3)) (4 42)))))

(defvar *more-2* (- (+ 48 64)))

;;; Warnings that are muffled; notes are taken instead.

(defun fault-3 ()
  (let ((notes 0))
    (handler-bind ((warning (lambda (condition)
                              (incf notes)
                              (muffle-warning condition))))
      (dotimes (i 3 notes)
        (warn "~D is odd" i)))))

(defun mended-3 ()
  (let ((notes 0))
    (dotimes (i 3 notes)
      (incf notes))))

(defvar *more-3* (- (+ (* 3 112)        ; MUFFLE-WARNING looks for its restart
                       48 64)))

;;; Handlers that get nothing; conditions that are made and not signalled;
;;; blocks that are left.

(defun alike-1 ()
  (ignore-errors (look-up :a)))

(defun alike-2 ()
  (let ((condition (make-condition 'not-found :key 1)))
    (typep condition 'error)))

(defun alike-3 ()
  (dolist (pair *table*)
    (when (eql (cdr pair) 2)
      (return pair))))
