;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Compiled code: every function that the source calls out of line is in the
;;;; chain, whatever the C compiler would like to do with it.

(in-package #:exact)

;;; Tail calls: direct, through a symbol, by FUNCALL and by APPLY.  LEAF makes
;;; one cons a call, and each function before it only calls on.

(defun leaf (x) (cons x x))

(defun direct-call (x) (leaf x))

(defun symbol-call (x)
  (declare (notinline direct-call))
  (direct-call x))

(defun funcall-call (f x) (funcall f x))

(defun apply-call (f list)
  (declare (notinline apply))
  (apply f list))

(defvar *one-argument* (list 1))

(defun tail-calls (n)
  (dotimes (i n)
    (keep (direct-call i))
    (keep (symbol-call i))
    (keep (funcall-call 'direct-call i))
    (keep (funcall-call #'symbol-call i))
    (keep (apply-call 'leaf *one-argument*))))

(measuring ("tail calls") (tail-calls 100)
  (chains `((tail-calls direct-call leaf) 100 ,(* 100 +cons+))
          `((tail-calls symbol-call direct-call leaf) 100 ,(* 100 +cons+))
          `((tail-calls funcall-call direct-call leaf) 100 ,(* 100 +cons+))
          `((tail-calls funcall-call symbol-call direct-call leaf)
            100 ,(* 100 +cons+))
          `((tail-calls apply-call apply leaf) 100 ,(* 100 +cons+)))
  (total 500 (* 500 +cons+))
  (calls 'leaf 500)
  (calls 'direct-call 400)
  (calls 'symbol-call 200)
  (arc 'tail-calls 'funcall-call 200)
  (calls 'tail-calls 1))

;;; What GCC would inline: called once; small; with an early way out (a .part
;;; of it would be split off); with an argument that is the same in each call
;;; (a .constprop clone) or not used (an .isra one).

(defun called-once (x)
  (let ((sum 0))
    (declare (fixnum sum))
    (dotimes (i 20)
      (when (oddp i) (incf sum i)))
    (list x sum)))

(defun early-out (x)
  (if (null x)
      nil
      (let ((a (list x)))
        (keep (list a a x))
        a)))

(defun same-argument (x flag)
  (if flag (list x) (list x x x)))

(defun unused-argument (x y)
  (declare (ignore y))
  (list x))

(defun would-be-inlined (n)
  (dotimes (i n)
    (keep (called-once i))
    (keep (early-out nil))
    (keep (early-out i))
    (keep (same-argument i nil))
    (keep (unused-argument i n))))

(measuring ("what GCC would inline or split") (would-be-inlined 50)
  (chains `((would-be-inlined called-once list) 100 ,(* 100 +cons+))
          `((would-be-inlined early-out) 50 ,(* 50 +cons+))
          `((would-be-inlined early-out list) 150 ,(* 150 +cons+))
          `((would-be-inlined same-argument list) 150 ,(* 150 +cons+))
          `((would-be-inlined unused-argument) 50 ,(* 50 +cons+)))
  (calls 'called-once 50)
  (calls 'early-out 50)
  (calls 'same-argument 50)
  (calls 'unused-argument 50))

;;; Identical bodies, which GCC could fold into one (identical code folding):
;;; two functions keep two names.

(defun twin-a (x) (list x x x))
(defun twin-b (x) (list x x x))

(defun twins (n)
  (dotimes (i n)
    (keep (twin-a i))
    (keep (twin-b i))
    (keep (twin-b i))))

(measuring ("identical functions") (twins 10)
  (chains `((twins twin-a list) 30 ,(* 30 +cons+))
          `((twins twin-b list) 60 ,(* 60 +cons+)))
  (calls 'twin-a 10)
  (calls 'twin-b 20))

;;; Optional, keyword and rest arguments: the list of the rest is made in the
;;; function that asks for it; what a default needs too.

(defun optional-arguments (x &optional (y (list x))) (cons x y))
(defun key-arguments (x &key (y (list x x))) (cons x y))
(defun rest-arguments (&rest list) list)
(defun takes-many (f n)
  (dotimes (i n)
    (funcall f i i i)))

(defun argument-lists (n)
  (dotimes (i n)
    (keep (optional-arguments i))
    (keep (optional-arguments i i))
    (keep (key-arguments i))
    (keep (key-arguments i :y i))
    (keep (rest-arguments i i i i)))
  (takes-many #'rest-arguments n)
  (takes-many 'rest-arguments n))

(measuring ("optional, keyword and rest arguments") (argument-lists 20)
  (chains `((argument-lists optional-arguments) 60 ,(* 60 +cons+))
          `((argument-lists key-arguments) 40 ,(* 40 +cons+))
          `((argument-lists key-arguments list) 40 ,(* 40 +cons+))
          `((argument-lists rest-arguments) 80 ,(* 80 +cons+))
          `((argument-lists takes-many rest-arguments) 120 ,(* 120 +cons+)))
  (calls 'optional-arguments 40)
  (calls 'rest-arguments 60))

;;; Functions that call back.  The lambda is a function object, made where it
;;; stands.

(defvar *five* (list 1 2 3 4 5))
(defvar *table* (let ((table (make-hash-table)))
                  (dolist (i *five* table)
                    (setf (gethash i table) i))))

(defun map-with (f)
  (declare (notinline mapcar mapc maplist mapcan))
  (mapc f *five*)
  (mapcar f *five*)
  (maplist f *five*)
  (mapcan f *five*))

(defun mappers ()
  (map-with (lambda (x) (cons x nil))))

(measuring ("mapcar, mapc, maplist, mapcan") (mappers)
  (chains `((mappers) 1 ,+compiled-function+)
          `((mappers map-with mapc (lambda :in mappers)) 5 ,(* 5 +cons+))
          `((mappers map-with mapcar) 5 ,(* 5 +cons+))
          `((mappers map-with mapcar (lambda :in mappers)) 5 ,(* 5 +cons+))
          `((mappers map-with maplist) 5 ,(* 5 +cons+))
          `((mappers map-with maplist (lambda :in mappers)) 5 ,(* 5 +cons+))
          `((mappers map-with mapcan (lambda :in mappers)) 5 ,(* 5 +cons+)))
  (calls '(lambda :in mappers) 20))

(defun map-table ()
  (maphash (lambda (k v) (keep (cons k v))) *table*))

(defun map-symbol-table ()
  (maphash 'cons *table*))

(measuring ("maphash") (progn (map-table) (map-symbol-table))
  ;; MAPHASH is written in C and calls FUNCALL
  (chains `((map-table) 1 ,+compiled-function+)
          `((map-table maphash funcall (lambda :in map-table))
            5 ,(* 5 +cons+))
          `((map-symbol-table maphash funcall cons) 5 ,(* 5 +cons+)))
  (calls 'maphash 2))

(defun reduce-them ()
  (reduce (lambda (a b) (keep (list a)) (+ a b)) *five*
          :key (lambda (x) (keep (cons x nil)) x)))

(measuring ("reduce with a key") (reduce-them)
  ;; 5 keys, 4 calls of the function
  (chains `((reduce-them) 2 ,(* 2 +compiled-function+))
          `((reduce-them reduce (lambda :in reduce-them)) 9 ,(* 9 +cons+)))
  (calls '(lambda :in reduce-them) 9))

(defun remove-them ()
  (keep (remove-if (lambda (x) (keep (cons x nil)) (oddp x)) *five*)))

(measuring ("remove-if") (remove-them)
  (chains `((remove-them) 1 ,+compiled-function+)
          `((remove-them remove-if remove si::remove-list) 2 ,(* 2 +cons+))
          `((remove-them remove-if remove si::remove-list si::unsafe-funcall1
             (lambda :in remove-them))
            5 ,(* 5 +cons+))))

;;; Below each, what ECL's own Lisp code calls until it comes to the lambda.
;;; SOME and EVERY make a list of sequences, one of iterators with a head, and
;;; one of elements for APPLY.

(defun find-them ()
  (keep (find-if (lambda (x) (keep (cons x nil)) (= x 4)) *five*))
  (keep (position-if (lambda (x) (keep (cons x nil)) (= x 4)) *five*
                     :key (lambda (x) (keep (list x x)) x)))
  (keep (some (lambda (x) (keep (cons x nil)) nil) *five*))
  (keep (every (lambda (x) (keep (cons x nil)) t) *five*))
  (keep (count-if (lambda (x) (keep (cons x nil)) t) *five*)))

(measuring ("find-if, position-if, some, every, count-if") (find-them)
  (chains `((find-them) 6 ,(* 6 +compiled-function+))
          `((find-them find-if find si::unsafe-funcall1
             (lambda :in find-them))
            4 ,(* 4 +cons+))
          `((find-them position-if position (lambda :in find-them) list)
            8 ,(* 8 +cons+))
          `((find-them position-if position si::unsafe-funcall1
             (lambda :in find-them))
            4 ,(* 4 +cons+))
          `((find-them some) 3 ,(* 3 +cons+))
          `((find-them some copy-list) 1 ,+cons+)
          `((find-them some apply (lambda :in find-them)) 5 ,(* 5 +cons+))
          `((find-them every) 3 ,(* 3 +cons+))
          `((find-them every copy-list) 1 ,+cons+)
          `((find-them every apply (lambda :in find-them)) 5 ,(* 5 +cons+))
          `((find-them count-if count si::unsafe-funcall1
             (lambda :in find-them))
            5 ,(* 5 +cons+)))
  (calls '(lambda :in find-them) (+ 4 4 4 5 5 5)))

;;; Quick sort of #(3 1 2) takes the middle as the pivot, 1: its key, and the
;;; keys of 2 and 3 to compare with it.  The rest, (3 2), has the pivot 3: its
;;; key, and that of 2 to compare.  That makes 5 keys and 3 comparisons.

(defvar *vector* (vector 3 1 2))

(defun sort-vector ()
  (sort *vector* (lambda (a b) (keep (cons a b)) (< a b))
        :key (lambda (x) (keep (list x x)) x)))

(measuring ("sort of a vector") (sort-vector)
  (chains `((sort-vector) 2 ,(* 2 +compiled-function+))
          `((sort-vector sort si::quick-sort (lambda :in sort-vector))
            3 ,(* 3 +cons+))
          `((sort-vector sort si::quick-sort (lambda :in sort-vector) list)
            10 ,(* 10 +cons+)))
  (calls '(lambda :in sort-vector) 8))

;;; MAPCAR that ECL codes in line: a loop in the function itself, which makes
;;; the function object, the head of the list and its 5 conses.

(defun inline-mapcar ()
  (keep (mapcar (lambda (x) (list x x)) *five*)))

(measuring ("mapcar that ECL codes in line") (inline-mapcar)
  (chains `((inline-mapcar) 7 ,(+ +compiled-function+ (* 6 +cons+)))
          `((inline-mapcar (lambda :in inline-mapcar) list)
            10 ,(* 10 +cons+)))
  (calls '(lambda :in inline-mapcar) 5))

;;; What the user declares inline belongs to the function that it is put into.

(declaim (inline declared-inline))
(defun declared-inline (x) (list x x))
(defun use-inline (n)
  (dotimes (i n)
    (keep (declared-inline i)))
  (locally (declare (notinline declared-inline))
    (keep (declared-inline n))))

(measuring ("declared inline") (use-inline 10)
  (chains `((use-inline list) 20 ,(* 20 +cons+))
          `((use-inline declared-inline list) 2 ,(* 2 +cons+))))

(defun fast-leaf (x)
  (declare (optimize (speed 3) (safety 0) (debug 0)) (fixnum x))
  (list x x))
(defun fast (n)
  (declare (optimize (speed 3) (safety 0) (debug 0)) (fixnum n))
  (dotimes (i n)
    (declare (fixnum i))
    (keep (fast-leaf i))))
(defun safe-leaf (x)
  (declare (optimize (speed 0) (safety 3) (debug 3)))
  (list x x))
(defun safe (n)
  (declare (optimize (speed 0) (safety 3) (debug 3)))
  (dotimes (i n)
    (keep (safe-leaf i))))

(measuring ("optimized for speed, and for safety and debugging")
    (progn (fast 10) (safe 10))
  (chains `((fast fast-leaf list) 20 ,(* 20 +cons+))
          `((safe safe-leaf list) 20 ,(* 20 +cons+))))

(defun backends (n)
  (ext:with-backend
    :c/c++ (dotimes (i n) (keep (leaf i)))
    :bytecodes (keep (list n n n))))

(measuring ("with-backend") (backends 7)
  (chains `((backends leaf) 7 ,(* 7 +cons+))))

;;; COMPILE: a lambda, which has no name, and a function that was typed in.

(defvar *compiled-lambda*
  (let ((*compile-verbose* nil))
    (compile nil '(lambda (n)
                   (dotimes (i n)
                     (keep (leaf i))
                     (keep (list i i)))))))

(measuring ("compile") (funcall *compiled-lambda* 3)
  (chains `(((lambda) leaf) 3 ,(* 3 +cons+))
          `(((lambda) list) 6 ,(* 6 +cons+))))

(eval '(defun to-be-compiled (n)
        (labels ((make (i) (list i i)))
          (dotimes (i n)
            (keep (make i))))))
(let ((*compile-verbose* nil))
  (compile 'to-be-compiled))

(measuring ("compile a function by its name") (to-be-compiled 3)
  (chains `((to-be-compiled (labels make :in to-be-compiled) list)
            6 ,(* 6 +cons+)))
  (calls '(labels make :in to-be-compiled) 3))

;;; Values as arguments and arguments as lists.

(defun multiple-values (n)
  (multiple-value-call #'rest-arguments (values n n) (values n))
  (keep (multiple-value-list (truncate n 2)))
  (apply #'rest-arguments n n (rest-arguments n)))

(measuring ("multiple values") (multiple-values 3)
  (chains `((multiple-values rest-arguments) 4 ,(* 4 +cons+))
          `((multiple-values list) 2 ,(* 2 +cons+))
          `((multiple-values apply rest-arguments) 3 ,(* 3 +cons+)))
  (calls 'rest-arguments 3))
