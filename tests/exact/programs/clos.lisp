;;;; variants: compiled bytecode
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Generic functions: which method is on the chain, and what the first call
;;;; costs and where.  Whatever stands between a generic function and its methods
;;;; does not show, so a method is called by who called the generic function, or by
;;;; the method that said CALL-NEXT-METHOD.  random/ has the qualifiers.
;;;;
;;;; Interpreted, each variable that is bound takes conses.  That is what V
;;;; counts: (V 3) conses for three variables, none when compiled.

(in-package #:exact)

(defun conses (name n)
  "NAME itself made N conses and nothing else."
  (self name n (* n +cons+)))

;;; CALL-NEXT-METHOD is coded in line in 21.2.1.  24.5.10 takes each method for
;;; a closure, in which it is a local function; that does not show, either.  The
;;; first method makes a list of the arguments, with APPLY; where it is
;;; interpreted, NEXT-METHOD-P is local, too: two closures with vectors of two
;;; variables and one, and the list of what CALL-NEXT-METHOD was given.

(defun next-methods (calls &optional (firsts 0))
  "The objects and bytes that so many calls of a method take that says
CALL-NEXT-METHOD, and of lists of arguments, when FIRSTS were called first."
  (let ((calls (by-variant 0 (by-release 0 calls)))
        (firsts (by-release 0 firsts)))
    (list (+ (* 7 calls) firsts)
          (+ (* calls (+ (* 3 +cons+) (* 2 +interpreted-closure+)
                         (* 2 +vector+) (* 3 +word+)))
             (* firsts +cons+)))))

(defun plus-conses (n more)
  "The objects and bytes of N conses, and those of the list MORE."
  (mapcar #'+ (list n (* n +cons+)) more))

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
  (conses '(method meet (animal animal)) (* 50 (+ 1 (v 2))))
  (conses '(method meet (cat dog)) (* 50 (+ 2 (v 2))))
  (conses '(method meet (dog (eql 'ball))) (* 50 (+ 3 (v 2))))
  (conses '(method meet ((eql 7) t)) (* 50 (+ 4 (v 2))))
  (conses-of 'meet-all '(method meet (cat dog)) 50 (* 50 (+ 2 (v 2))))
  (conses-of 'meet-all '(method meet ((eql 7) t)) 50 (* 50 (+ 4 (v 2))))
  ;; N, I and the limit of DOTIMES
  (conses 'meet-all (v 3))
  (let ((all (+ (* 50 (+ 10 (v 8))) (v 3))))
    (total all (* all +cons+)))
  (calls 'meet-all 1)
  (absent "APPLY"))

;;; In a closure CALL-NEXT-METHOD is a local function in both releases.

(defgeneric wrap (x))
(defmethod wrap ((x animal)) (cells 1))
(defmethod wrap ((x cat)) (mapc (lambda (y) y (call-next-method)) '(1)))

(wrap *cat*)

(measuring ("CALL-NEXT-METHOD in a closure") (wrap *cat*)
  (conses-of '(lambda :in (method wrap (cat))) '(method wrap (animal)) 1
             (+ 1 (v 1)))
  (absent '(flet call-next-method :in (method wrap (cat)))))

;;; Programs that call each other through generic functions only are no cycle.

(defgeneric outer (x))
(defgeneric inner (x))
(defmethod outer ((x animal)) (keep (inner x)))
(defmethod outer :after ((x animal)) (keep (inner x)))
(defmethod inner ((x cat)) (keep (cells 1)) (call-next-method))
(defmethod inner ((x animal)) (cells 2))

(defun both-ways (n)
  (dotimes (i n)
    (outer *cat*)
    (keep (inner *cat*))))

(both-ways 1)

(measuring ("generic functions that call each other") (both-ways 10)
  (calls '(method inner (cat)) 30)
  (dolist (caller '((method outer (animal)) (method outer :after (animal))
                    both-ways))
    (apply #'arc caller '(method inner (cat)) 10
           (plus-conses (* 10 (+ 3 (v 2))) (next-methods 10 10))))
  (in-no-cycle 'both-ways '(method inner (cat)) '(method inner (animal)))
  (if (by-release t nil)
      (absent "APPLY")
      (arc '(method inner (cat)) 'apply 30)))

;;; Method combinations of one's own.  Their effective methods are
;;; byte-compiled in both variants; the arguments are a special variable,
;;; which costs nothing.

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
  ;; APPEND copies the first list of two
  (conses '(method joined append (animal)) (* 10 (+ 1 (v 1))))
  (conses '(method joined append (cat)) (* 10 (+ 2 (v 1))))
  (conses-of 'combine-all '(method-combination joined) 10
             (* 10 (+ 2 (b 1) 3 (v 2))))
  ;; one variable, the methods that are left
  (conses '(method-combination joined) (b 10))
  (conses-of '(method-combination joined) 'append 10 (* 10 2))
  (conses-of '(method-combination joined) '(method joined append (cat)) 10
             (* 10 (+ 2 (v 1))))
  (apply #'arc 'combine-all '(method parts :around (cat)) 10
         (plus-conses (* 10 (+ 5 2 7 (v 3))) (next-methods 10 10)))
  ;; a list of two; the methods that are left are special too
  (conses '(method-combination parts) (* 10 2))
  (conses-of '(method parts :around (cat))
             '(method-combination parts) 10 (* 10 (+ 2 7 (v 2))))
  (conses-of '(method-combination parts) '(method parts (animal)) 10
             (* 10 (+ 3 (v 1))))
  (in-no-cycle '(method-combination joined) '(method-combination parts)
               'combine-all)
  (no-arc 'combine-all "(LAMBDA)")
  (when (by-release t nil)
    (absent "APPLY")))

;;; Lambda lists.

(defgeneric with-rest (x &rest more))
(defmethod with-rest ((x animal) &rest more) more)
(defgeneric with-key (x &key size colour))
(defmethod with-key ((x animal) &key (size (cells 1)) colour)
  (cons size colour))
(defgeneric with-optional (x &optional y))
(defmethod with-optional ((x animal) &optional (y (cells 2))) (cons x y))
(defgeneric (setf mood) (new x))
(defmethod (setf mood) (new (x animal)) (keep (cons new x)))

(defun call-with-all (n)
  (dotimes (i n)
    (keep (with-rest *cat* 1 2 3))
    (keep (with-key *cat* :colour 1))
    (keep (with-key *cat* :size 1))
    (keep (with-optional *cat*))
    (keep (with-optional *cat* 1))
    (setf (mood *cat*) i)))

(call-with-all 1)

(measuring ("lambda lists") (call-with-all 10)
  (conses '(method with-rest (animal)) (* 10 (+ 3 (v 2))))
  ;; the default of SIZE, and a cons in each call
  (conses '(method with-key (animal)) (* 10 (+ 3 (v 6))))
  (conses '(method with-optional (animal)) (* 10 (+ 4 (v 4))))
  (conses '(method (setf mood) (t animal)) (* 10 (+ 1 (v 2))))
  (arc 'call-with-all '(method (setf mood) (t animal)) 10)
  (calls '(method with-key (animal)) 20)
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
  (conses '(method fresh (animal)) (+ 1 (v 1)))
  (calls '(method fresh (animal)) 1)
  (conses-of 'call-fresh "CLOS:STD-COMPUTE-APPLICABLE-METHODS" 1
             (by-release 5 7))
  (arc 'call-fresh "CLOS:STD-COMPUTE-EFFECTIVE-METHOD" 1 5
       (+ (* 4 +cons+) +closure+))
  (arc 'call-fresh 'copy-seq 1 1 (+ +vector+ (* 2 +word+)))
  (conses 'call-fresh 1)
  (let ((conses (+ (by-release 11 13) (v 1))))
    (total (+ conses 2) (+ (* conses +cons+) +closure+ +vector+
                           (* 2 +word+))))
  (in-no-cycle 'call-fresh "CLOS:STD-COMPUTE-APPLICABLE-METHODS"))

(measuring ("the second call of a generic function") (call-fresh)
  (conses '(method fresh (animal)) (+ 1 (v 1)))
  (total (+ 1 (v 1)) (* (+ 1 (v 1)) +cons+)))
