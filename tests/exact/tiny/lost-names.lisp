;;;; words, variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; More byte-compiled functions and classes than there is room for: what is
;;;; left out of chains, and what has no class, is counted to the one.  Only
;;;; make check-tiny runs it: other tables have room for half a million.

(in-package #:exact)

(defconstant +room+ 4096
  "SIZE_KEPT_OBJECTS with MPROF_TINY, in monitor/base/sizes.h.")

(defun known (x)
  (cons x x))

(defun report-begins (&rest expected)
  "The report says EXPECTED first, lines of text."
  (let ((text (mprof::run-command "report" "--" *saved*)))
    (check "first lines of the report" expected
           (subseq (split text #\Newline) 0 (length expected)))))

(defclass early-class () (slot))

(defun make-early ()
  (make-instance 'early-class))

(eval '(defun early () (known 1)))
(make-early)

(measuring ("names that found room") (progn (early) (make-early))
  (arc 'early 'known 1 1 +cons+)
  (class-total 'early-class 1 (+ +instance+ +word+)))

;;; A function takes its room when it is met in a chain.

(let ((functions (loop repeat +room+ collect (eval '(lambda () (known 1))))))
  (mprof:reset)
  (start)
  (mapc #'funcall functions)
  (mprof:stop))

(eval '(defun late () (known 1)))

(defclass late-class () (slot))
(defstruct late-structure slot)
(make-instance 'late-class)

(setf *missing-callers*
      "calls of byte-compiled functions whose names did not fit: 3")

(measuring ("functions that found none") (progn (early) (dotimes (i 3) (late)))
  (chains `((early known) 1 ,+cons+)
          `((known) 3 ,(* 3 +cons+)))
  (calls 'early 1)
  (calls 'known 4)
  (absent 'late)
  (report-begins "MISSING CALLERS"
                 (concatenate 'string "  " *missing-callers*)
                 ""))

(setf *missing-callers* nil
      *missing-classes* "objects whose class name did not fit: 12")

(measuring ("classes that found none")
    (progn
      (make-early)
      (dotimes (i 10)
        (make-instance 'late-class))
      (dotimes (i 2)
        (make-late-structure)))
  (class-total 'early-class 1 (+ +instance+ +word+))
  (type-total "INSTANCE" 12 (* 12 (+ +instance+ +word+))
              (lambda (type)
                (and (null (mprof.data:figure :class type))
                     (mprof.data:figure :type type))))
  (report-begins "MISSING CLASSES"
                 (concatenate 'string "  " *missing-classes*)
                 ""))

(setf *missing-classes* nil)

(measuring ("a profile in which none is missing") (early)
  (chains `((early known) 1 ,+cons+)))
