;;;; variants: compiled bytecode
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Functions without a name, in forms at top level: they are named after what
;;;; the form defines, or else after the file.  The byte-code compiler knows no
;;;; file.

(in-package #:exact)

(defun conses (name calls n)
  (self name n (* n +cons+))
  (calls name calls))

;;; One in each kind of definition.

(defvar *variable* (lambda () (keep (cells 1))))
(defparameter *parameter* (list (lambda () (keep (cells 2)))))

(defstruct (record (:print-function
                    (lambda (record stream depth)
                      (declare (ignore depth))
                      (keep (cells 3))
                      (write-char #\r stream)
                      record)))
  (field ((lambda () (keep (cells 4))))))

(defclass thing ()
  ((slot :initform (cells 5) :accessor slot-of)))

(deftype three-conses ()
  (keep (cells 3))
  'integer)

(define-compiler-macro unused ()
  (keep (cells 6))
  nil)

(defmacro define-worker (name &body body)
  "Not one of Lisp's definitions, and one that defines by other means."
  `(progn
     (setf (get ',name 'worker) (lambda () ,@body))
     (defvar *unused* nil)))

(define-worker seventh (keep (cells 7)))

(progn
  (defvar *within* (lambda () (keep (cells 8)))))

(defun call-each ()
  (funcall *variable*)
  (funcall (first *parameter*))
  (funcall 'typep 1 'three-conses)
  (funcall (compiler-macro-function 'unused) '(unused) nil)
  (funcall (get 'seventh 'worker))
  (funcall *within*))

(measuring ("functions in definitions" :residual 0) (call-each)
  (conses '(lambda :in (defvar *variable*)) 1 1)
  (conses '(lambda :in (defparameter *parameter*)) 1 2)
  (conses '(deftype three-conses) 1 (+ 3 (by-release (v 2) (v 3)))) ; the form, its
                                        ; arguments; the environment
  (calls '(lambda :in (define-compiler-macro unused)) 1)
  (conses '(lambda :in (define-worker seventh)) 1 7)
  (conses '(lambda :in (defvar *within*)) 1 8))

(defvar *record* (make-record))

(measuring ("printer of a structure" :residual nil)
    (write-to-string *record*)
  (calls '(lambda :in (defstruct record)) 1))

(measuring ("initial value of a slot" :residual nil)
    (slot-of (make-instance 'thing))
  (self '(lambda :in (defclass thing)) 5 (* 5 +cons+)))

;;; Functions of one name in two packages, and a name that needs bars.

(defpackage #:other (:use))

(defun other::one (x) (cons x nil))
(defun one (x) (cons x x))
(defun |lower Case| (x) (cons x nil))

(defun call-both ()
  (keep (one 1))
  (keep (one 2))
  (keep (other::one 3))
  (keep (|lower Case| 4)))

(measuring ("one name in two packages, and bars") (call-both)
  (conses "EXACT::ONE" 2 (+ 2 (v 2)))
  (conses "OTHER::ONE" 1 (+ 1 (v 1)))
  (conses "EXACT::|lower Case|" 1 (+ 1 (v 1))))

;;; Two files of one name, which define nothing.

(defun file (folder name)
  (namestring (merge-pathnames
               (format nil "definitions-~(~A~)/~A/~A" *variant* folder name)
               (make-pathname :name nil :type nil :defaults *dump*))))

(defun load-worker (folder n)
  (let ((source (file folder "worker.lisp"))
        (compiled (file folder "worker.fas"))
        (*package* (find-package '#:exact)))
    (ensure-directories-exist source)
    (with-open-file (out source :direction :output :if-exists :supersede)
      (prin1 '(in-package #:exact) out)
      (terpri out)
      (prin1 `(setf (get ',(intern (string-upcase folder)) 'worker)
                    (lambda () (keep (cells ,n))))
             out))
    (let ((*standard-output* (make-broadcast-stream))
          (*error-output* (make-broadcast-stream)))
      (compile-file source :output-file compiled))
    (load compiled :verbose nil)))

(load-worker "first" 1)
(load-worker "second" 2)

(defun call-workers ()
  (funcall (get 'first 'worker))
  (funcall (get 'second 'worker))
  (funcall (get 'second 'worker)))

(measuring ("two files of one name") (call-workers)
  (total 5 (* 5 +cons+))
  (conses "(LAMBDA :IN (LOAD \"first/worker.lisp\"))" 1 1)
  (conses "(LAMBDA :IN (LOAD \"second/worker.lisp\"))" 2 4))

(load-worker "third" 3)

(measuring ("one of them alone needs no folder")
    (funcall (get 'third 'worker))
  (total 3 (* 3 +cons+))
  (conses "(LAMBDA :IN (LOAD \"worker.lisp\"))" 1 3))
