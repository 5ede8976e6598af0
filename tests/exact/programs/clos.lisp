;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Generic functions: which method is on the chain, and what the first call
;;;; costs and where.  Whatever stands between a generic function and its
;;;; methods does not show, so a method is called by who called the generic
;;;; function, or by the method that said CALL-NEXT-METHOD.  random/ has the
;;;; qualifiers, in byte-compiled code too, and generic functions that call each
;;;; other.

(in-package #:exact)

(defun in-no-cycle (&rest names)
  (dolist (name names)
    (let ((f (mprof.data:row :functions name *profile*)))
      (check (format nil "~A is in no cycle" (shown name)) '(t nil)
             (list (and f t) (and f (mprof.data:figure :cycle f)))))))

;;; Specializers: classes, EQL, several arguments.

(defclass animal () ())
(defclass cat (animal) ())
(defclass dog (animal) ())

(defvar *cat* (make-instance 'cat))
(defvar *dog* (make-instance 'dog))

(defgeneric meet (x y))
(defmethod meet ((x animal) (y animal)) (cells 1))
(defmethod meet ((x cat) (y dog)) (cells 2))
(defmethod meet ((x dog) (y (eql 'ball))) (cells 3))
(defmethod meet ((x (eql 7)) y) (cells 4))

(defun meet-all (n)
  (dotimes (i n)
    (keep (meet *cat* *cat*))
    (keep (meet *cat* *dog*))
    (keep (meet *dog* 'ball))
    (keep (meet 7 nil))))

(meet-all 1)                            ; fills the cache of MEET

(measuring ("specializers") (meet-all 50)
  (conses-of 'meet-all '(method meet (animal animal)) 50 50)
  (conses-of 'meet-all '(method meet (cat dog)) 50 100)
  (conses-of 'meet-all '(method meet (dog (eql 'ball))) 50 150)
  (conses-of 'meet-all '(method meet ((eql 7) t)) 50 200)
  (total 500 (* 500 +cons+))
  (in-no-cycle 'meet-all '(method meet (cat dog)))
  (absent "APPLY"))

;;; In a closure CALL-NEXT-METHOD is a local function in both releases.

(defgeneric wrap (x))
(defmethod wrap ((x animal)) (cells 1))
(defmethod wrap ((x cat)) (mapc (lambda (y) y (call-next-method)) '(1)))

(wrap *cat*)

(measuring ("CALL-NEXT-METHOD in a closure") (wrap *cat*)
  (conses-of '(lambda :in (method wrap (cat))) '(method wrap (animal)) 1 1)
  (absent '(flet call-next-method :in (method wrap (cat)))))

;;; Method combinations of one's own.  Their effective methods are
;;; byte-compiled always; the arguments are a special variable, which costs
;;; nothing.  24.5.10 takes each method that says CALL-NEXT-METHOD for a closure,
;;; and the first one makes a list of the arguments, with APPLY.

(defgeneric joined (x) (:method-combination append))
(defmethod joined append ((x animal)) (cells 1))
(defmethod joined append ((x cat)) (cells 2))

(define-method-combination collecting ()
    ((around (:around)) (primary () :required t))
  (let ((form `(list ,@(mapcar (lambda (method) `(call-method ,method))
                               primary))))
    (if around
        `(call-method ,(first around) (,@(rest around) (make-method ,form)))
        form)))

(defgeneric parts (x) (:method-combination collecting))
(defmethod parts ((x animal)) (cells 3))
(defmethod parts ((x cat)) (cells 4))
(defmethod parts :around ((x cat)) (keep (cells 5)) (call-next-method))

(defun combine-all (n)
  (dotimes (i n)
    (keep (joined *cat*))
    (keep (parts *cat*))))

(combine-all 1)

(measuring ("method combinations") (combine-all 10)
  ;; one variable, the methods that are left; APPEND copies the first list of two
  (conses-of 'combine-all '(method-combination joined) 10 (* 10 (+ 2 (b 1) 3)))
  (conses '(method-combination joined) (b 10))
  (conses-of '(method-combination joined) 'append 10 20)
  (conses-of '(method-combination joined) '(method joined append (cat)) 10 20)
  (conses-of '(method-combination joined) '(method joined append (animal)) 10 10)
  ;; a list of two; the methods that are left are special too
  (conses-of 'combine-all '(method parts :around (cat)) 10
             (* 10 (+ 5 2 7 (by-release 0 1))))
  (conses-of '(method parts :around (cat)) '(method-combination parts) 10 90)
  (conses '(method-combination parts) 20)
  (conses-of '(method-combination parts) '(method parts (animal)) 10 30)
  (in-no-cycle '(method-combination joined) '(method-combination parts)
               'combine-all)
  (no-arc 'combine-all "(LAMBDA)"))

(defgeneric (setf mood) (new x &rest more &key size))
(defmethod (setf mood) (new (x animal) &rest more &key (size (cells 1)))
  (cons (cons new x) (cons size more)))

(defun call-with-all (n)
  (dotimes (i n)
    (keep (setf (mood *cat*) i))
    (keep (setf (mood *cat* :size 1) i))))

(call-with-all 1)

(measuring ("lambda lists") (call-with-all 10)
  ;; three conses, the default of SIZE, a list of two
  (conses-of 'call-with-all '(method (setf mood) (t animal)) 20 90)
  (absent "APPLY"))

;;; The first call computes the effective method and fills the cache.  That is
;;; the runtime's work, below the caller of the generic function.  With one
;;; method for one class it is: a list of the arguments; three lists with one
;;; element, of the methods that apply, of the classes of the arguments, and
;;; of these methods sorted, two of which begin with an empty cons; the
;;; function that calls the method; and the key of the cache.  24.5.10 makes
;;; two conses more for the methods that apply.

(defgeneric fresh (x))
(defmethod fresh ((x animal)) (cells 1))

(defun call-fresh () (keep (fresh *cat*)))

(measuring ("the first call of a generic function") (call-fresh)
  (conses-of 'call-fresh '(method fresh (animal)) 1 1)
  (conses-of 'call-fresh "CLOS:STD-COMPUTE-APPLICABLE-METHODS" 1
             (by-release 5 7))
  (arc 'call-fresh "CLOS:STD-COMPUTE-EFFECTIVE-METHOD" 1 5
       (+ (* 4 +cons+) +closure+))
  (arc 'call-fresh 'copy-seq 1 1 (+ +vector+ (* 2 +word+)))
  (conses 'call-fresh 1)
  (let ((conses (by-release 11 13)))
    (total (+ conses 2) (+ (* conses +cons+) +closure+ +vector+
                           (* 2 +word+))))
  (in-no-cycle 'call-fresh "CLOS:STD-COMPUTE-APPLICABLE-METHODS"))

(measuring ("the second call of a generic function") (call-fresh)
  (conses '(method fresh (animal)) 1)
  (total 1 +cons+))
