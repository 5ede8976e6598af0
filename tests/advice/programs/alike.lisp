;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; What looks like the fault of a rule, and is none: the function RULE/N has
;;;; no advice by RULE.  Most of it was found in libraries that many use.

(defun compiled (form)
  (let ((*compile-verbose* nil)
        (*compile-print* nil))
    (compile nil form)))

;;; FORMAT to a stream, where directives need streams of their own.

(defvar *null* (make-broadcast-stream))

(defun format-string/1 ()
  (dolist (price '(1.25d0 2.5d0))
    (format *null* "~F" price)))

(defun format-string/2 ()
  (dolist (name '("tea" "milk"))
    (format *null* "~@[~<~%~:; ~:@(~S~)~>~]" name)))

;;; An object whose printer has a control string of its own, in ECL; the
;;; compiler at work, which parses them; what FORMATTER made.

(defvar *error* (make-condition 'type-error :datum 1 :expected-type 'string))

(defun format-control/1 ()
  (princ *error* *null*))

(defun format-control/2 ()
  (compiled '(lambda (x) (format nil (formatter "~D") x)))
  nil)

(defun format-control/3 ()
  (dolist (name '("tea" "milk"))
    (format *null* (load-time-value (formatter "~A: ~A")) name *error*)))

;;; The functions of a file, made when it is loaded; one that is made once.

(defvar *file* *load-truename*)
(defvar *own-package* *package*)

(defun function-object/1 ()
  (let ((*package* *own-package*))
    (load *file* :verbose nil)))

(declaim (notinline call))

(defun call (function)
  (funcall function 1))

(defun function-object/2 ()
  (call (lambda (x) (* x x))))

(defun closure/1 ()
  (let ((n (random 1)))
    (call (lambda (x) (+ x n)))))

;;; Conditions are instances that cannot be structures.

(defun initargs/1 ()
  (handler-case (error 'type-error :datum 1 :expected-type 'string)
    (error () nil)))

;;; The compiler checks types and signals what it notes.

(defun type-check/1 ()
  (compiled '(lambda (x) (declare (type (mod 7) x)) (1+ x)))
  nil)

;;; Two element types with one entry in the cache of UPGRADED-ARRAY-ELEMENT-TYPE,
;;; which has 128, by address: each takes the other's place, in a new cons.

(defun entry (element-type)
  (logand 127 (si:hash-eql element-type)))

(defvar *octet-type*
  (loop for type = (list 'unsigned-byte 8)
        when (= (entry type) (entry 'character))
          return `(array ,type (*))))

(defun type-check/2 ()
  (list (typep *error* *octet-type*)
        (typep "text" *octet-type*)
        (typep "text" '(array character (*)))))

(defun condition/1 ()
  (compiled '(lambda (x) (declare (ignore x)) 1))
  nil)

;;; The pretty printer makes instances of its own.

(defun initargs/2 ()
  (write '(1 2 3) :stream *null* :pretty t)
  nil)

;;; So do logical blocks, of a control string and of a function.

(defun initargs/3 ()
  (let ((*print-pretty* t))
    (format nil "~<~A ~A~:>" '(1 2))))

(defun initargs/4 ()
  (let ((*print-pretty* t))
    (with-output-to-string (s)
      (pprint-logical-block (s '(1 2) :prefix "<" :suffix ">")
        (princ (pprint-pop) s)))))

(defun initargs/5 ()
  (let ((*print-pretty* t))
    (princ-to-string '(1 (2 3)))))

(defun initargs/6 ()
  (handler-case (error "No ~A" 'tea)
    (error () nil)))

;;; Functions on sequences that make no list of them; that make what is wanted;
;;; conses by the function that is called.

(defvar *numbers* '(2 4 6 8))

(defun argument-list/1 ()
  (list (find-if #'evenp *numbers*)
        (position-if #'oddp *numbers*)
        (count-if #'plusp *numbers*)))

(defun argument-list/2 ()
  (remove-if-not #'evenp (mapcar #'1+ *numbers*)))

(defvar *seen* nil)

(declaim (notinline note))

(defun note (x)
  (push x *seen*)
  t)

(defun argument-list/3 ()
  (loop for x in *numbers*
        always (note x)))

;;; What is boxed is an integer.

(declaim (notinline note-word))

(defun note-word (word)
  (declare (type (unsigned-byte 64) word))
  (evenp word))

(defvar *word* (ash 1 63))

(defun boxed-argument/1 ()
  (let ((word *word*))
    (declare (type (unsigned-byte 64) word) (optimize (safety 0)))
    (note-word word)))

;;; A string with a fill pointer, which the pretty printer passes on.

(defvar *text*
  (make-array 500 :element-type 'character :fill-pointer 500
                  :initial-element #\a))

(defun pretty-print/1 ()
  (format nil "~A" *text*))
