;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; boyer.lisp -- a theorem prover by rewriting, after the one of Boyer and
;;;; Moore that Gabriel's benchmarks have.
;;;;
;;;; Terms are symbols and lists (OPERATOR ARGUMENT...).  Each operator has
;;;; lemmas, equations whose left side begins with it.  REWRITE applies them
;;;; from the inside out until none fits; what comes out, nested IFs, is a
;;;; tautology or not.  Nearly all it allocates are conses for new terms.

(in-package #:bench)

(declaim (optimize (speed 3) (safety 1) (debug 0)))

;;; Lemmas: (LEFT RIGHT), where symbols that are no operators are variables.

(defvar *lemmas*
  '(;; logic, as IF
    ((and p q) (if p (if q (true) (false)) (false)))
    ((or p q) (if p (true) (if q (true) (false))))
    ((not p) (if p (false) (true)))
    ((implies p q) (if p (if q (true) (false)) (true)))
    ((iff p q) (and (implies p q) (implies q p)))
    ((if (if a b c) d e) (if a (if b d e) (if c d e)))
    ;; numbers
    ((plus (plus i j) k) (plus i (plus j k)))
    ((plus i (zero)) (fix i))
    ((plus (remainder i j) (times j (quotient i j))) (fix i))
    ((times i (plus j k)) (plus (times i j) (times i k)))
    ((times (times i j) k) (times i (times j k)))
    ((times i (difference j k)) (difference (times j i) (times k i)))
    ((times i (add1 j)) (if (numberp j) (plus i (times i j)) (fix i)))
    ((difference i i) (zero))
    ((difference (plus i j) i) (fix j))
    ((difference (plus j i) i) (fix j))
    ((difference (plus i j) (plus i k)) (difference j k))
    ((difference (add1 (plus j k)) k) (add1 j))
    ((remainder i 1) (zero))
    ((remainder i i) (zero))
    ((remainder (times i j) i) (zero))
    ((remainder (times i j) j) (zero))
    ((lessp (remainder i j) j) (not (zerop j)))
    ((lessp (remainder i j) i)
     (and (not (zerop j)) (not (zerop i)) (not (lessp i j))))
    ((lessp (plus i j) (plus i k)) (lessp j k))
    ((lessp (times i k) (times j k)) (and (not (zerop k)) (lessp i j)))
    ((lessp j (plus i j)) (not (zerop i)))
    ((lesseqp i j) (not (lessp j i)))
    ((greaterp i j) (lessp j i))
    ((greatereqp i j) (not (lessp i j)))
    ((even i) (if (zerop i) (true) (odd (sub1 i))))
    ((exponent i (plus j k)) (times (exponent i j) (exponent i k)))
    ((exponent i (times j k)) (exponent (exponent i j) k))
    ((gcd (times i k) (times j k)) (times k (gcd i j)))
    ((zerop i) (or (equal i (zero)) (not (numberp i))))
    ;; equations
    ((equal (plus i j) (zero)) (and (zerop i) (zerop j)))
    ((equal (plus i j) (plus i k)) (equal (fix j) (fix k)))
    ((equal (zero) (difference i j)) (not (lessp j i)))
    ((equal i (difference i j))
     (and (numberp i) (or (equal i (zero)) (zerop j))))
    ((equal (times i j) (zero)) (or (zerop i) (zerop j)))
    ((equal (append p q) (append p r)) (equal q r))
    ((equal (difference i j) (difference k j))
     (if (lessp i j) (not (lessp j k))
         (if (lessp k j) (not (lessp j i)) (equal (fix i) (fix k)))))
    ((equal (lessp i j) k)
     (if (lessp i j) (equal (true) k) (equal (false) k)))
    ;; lists
    ((append (append p q) r) (append p (append q r)))
    ((reverse (append p q)) (append (reverse q) (reverse p)))
    ((reverse (reverse p)) p)
    ((length (reverse p)) (length p))
    ((length (append p q)) (plus (length p) (length q)))
    ((member a (append p q)) (or (member a p) (member a q)))
    ((member a (reverse p)) (member a p))
    ((member a (intersect p q)) (and (member a p) (member a q)))
    ((nth (zero) i) (zero))
    ((nth (nil) i) (if (zerop i) (nil) (zero)))
    ((flatten (cons-tree p q)) (append (flatten p) (flatten q)))
    ((sum-list (append p q)) (plus (sum-list p) (sum-list q)))
    ((assignment a (append p q))
     (if (assigned a p) (assignment a p) (assignment a q)))))

(loop for (left right) in *lemmas*
      do (setf (get (first left) 'lemmas)
               (append (get (first left) 'lemmas) (list (list left right)))))

;;; Rewriting

(defvar *bindings* '()
  "An association list: variables of a lemma, and the terms they stand for.")

(defun matches (pattern term)
  "Does TERM have the form of PATTERN?  Adds to *BINDINGS*."
  (cond ((symbolp pattern)
         (let ((binding (assoc pattern *bindings* :test #'eq)))
           (cond (binding (equal term (cdr binding)))
                 (t (push (cons pattern term) *bindings*)
                    t))))
        ((atom pattern) (eql pattern term))
        ((atom term) nil)
        ((eq (first pattern) (first term))
         (loop for p in (rest pattern)
               for rest = (rest term) then (rest rest)
               always (and rest (matches p (first rest)))))))

(defun instance (pattern bindings)
  "PATTERN with its variables replaced."
  (cond ((symbolp pattern)
         (let ((binding (assoc pattern bindings :test #'eq)))
           (if binding (cdr binding) pattern)))
        ((atom pattern) pattern)
        (t (cons (first pattern)
                 (mapcar (lambda (p) (instance p bindings)) (rest pattern))))))

(defvar *rewrites* 0)

(defun rewrite-top (term)
  "TERM, whose arguments are rewritten, by the first lemma that fits."
  (loop for (left right) in (get (first term) 'lemmas)
        do (setf *bindings* '())
           (when (matches left term)
             (incf (the fixnum *rewrites*))
             (return (rewrite (instance right *bindings*))))
        finally (return term)))

(defun rewrite (term)
  (if (atom term)
      term
      (rewrite-top (cons (first term) (mapcar #'rewrite (rest term))))))

(defun known (term facts)
  (member term facts :test #'equal))

(defun tautology-p (term true false)
  "Is TERM, of IFs, true whenever all of TRUE are and none of FALSE is?"
  (cond ((or (equal term '(true)) (known term true)) t)
        ((or (equal term '(false)) (known term false)) nil)
        ((or (atom term) (not (eq (first term) 'if))) nil)
        (t
         (destructuring-bind (test then else) (rest term)
           (cond ((or (equal test '(true)) (known test true))
                  (tautology-p then true false))
                 ((or (equal test '(false)) (known test false))
                  (tautology-p else true false))
                 (t (and (tautology-p then (cons test true) false)
                         (tautology-p else true (cons test false)))))))))

(defvar *theorem*
  (instance
   '(implies (and (implies x y)
                  (and (implies y z) (and (implies z u) (implies u w))))
             (implies x w))
   '((x . (f (plus (plus a b) (plus c (zero)))))
     (y . (f (times (times a b) (plus c d))))
     (z . (f (reverse (append (append a b) (nil)))))
     (u . (equal (plus a b) (difference x y)))
     (w . (lessp (remainder a b) (member a (length b)))))))

(define-program boyer (n :size 18 :result '(t 961))
  "Prove a theorem about implications N times."
  (repeat n
    (setf *rewrites* 0)
    (list (tautology-p (rewrite *theorem*) '() '()) *rewrites*)))
