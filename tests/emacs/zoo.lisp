;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; zoo.lisp -- what the session in Emacs profiles.  (zoo::tree n) makes
;;;; 10 n conses in LEAF, n + 1 in BRANCH, three in SPEAK and one in TREE, each
;;;; of 16 bytes.

(defpackage #:zoo (:use #:common-lisp))
(in-package #:zoo)

(defun leaf (n)
  (make-list n))

(defun branch (n)
  (loop repeat n collect (leaf 10)))

(defgeneric speak (x))
(defmethod speak ((x cons))
  (list x x x))

(defun tree (n)
  (speak (cons 1 (branch n))))

(defun noise (n)
  (princ (length (tree n))))
