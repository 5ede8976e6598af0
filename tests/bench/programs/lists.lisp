;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; lists.lisp -- browse, deriv, destructive and div2 of Gabriel's
;;;; benchmarks, written anew: programs of the seventies, which make conses
;;;; and little else.

(in-package #:bench)

(declaim (optimize (speed 3) (safety 1) (debug 0)))

;;; A generator of numbers that is the same everywhere.

(defun next-number (state)
  (declare (type (unsigned-byte 31) state))
  (logand (+ (* state 1103515245) 12345) #x7FFFFFFF))

;;; browse: match patterns against trees that symbols have on their lists of
;;; properties.  ? matches anything, a symbol ?X too, but the same each time;
;;; * matches any number of elements, and so does *X.

(defun variable-kind (symbol)
  (and (symbolp symbol) symbol
       (char (symbol-name symbol) 0)))

(defun matching (pattern data bindings)
  "T and the bindings, when DATA, a list, matches PATTERN."
  (if (null pattern)
      (values (null data) bindings)
      (let* ((first (first pattern))
             (binding (assoc first bindings)))
        (case (variable-kind first)
          (#\*
           (if binding
               (matching (append (cdr binding) (rest pattern)) data bindings)
               (loop for tail on (cons nil data)
                     for bound = (cons (cons first (ldiff data (rest tail)))
                                       bindings)
                     do (multiple-value-bind (yes all)
                            (matching (rest pattern) (rest tail) bound)
                          (when yes
                            (return (values t all)))))))
          (#\?
           (cond ((null data) nil)
                 (binding
                  (and (equal (cdr binding) (first data))
                       (matching (rest pattern) (rest data) bindings)))
                 (t
                  (matching (rest pattern) (rest data)
                            (if (eq first '?)
                                bindings
                                (acons first (first data) bindings))))))
          (t
           (cond ((null data) nil)
                 ((consp first)
                  (and (consp (first data))
                       (multiple-value-bind (yes all)
                           (matching first (first data) bindings)
                         (and yes (matching (rest pattern) (rest data) all)))))
                 (t
                  (and (eql first (first data))
                       (matching (rest pattern) (rest data) bindings)))))))))

(defvar *shapes*
  '((a a a b b b b a a a a a b b a a a)
    (a a b b b b a a (a a) (b b))
    (a a a b (b a) b a b a)))

(defun units (count)
  "So many fresh symbols, each with its shapes, rotated, and fillers."
  (let ((state 21))
    (loop repeat count
          collect (let ((unit (make-symbol "UNIT")))
                    (dotimes (i 4)
                      (setf (get unit (make-symbol "FILLER")) i))
                    (setf state (next-number state)
                          (get unit 'shapes)
                          (loop for shape in *shapes*
                                for by = (mod (ash state -8) (length shape))
                                collect (append (nthcdr by shape)
                                                (ldiff shape
                                                       (nthcdr by shape)))))
                    unit))))

(defun investigate (units patterns)
  "How many shapes of UNITS match how many of PATTERNS."
  (let ((count 0))
    (declare (fixnum count))
    (dolist (unit units count)
      (dolist (pattern patterns)
        (dolist (shape (get unit 'shapes))
          (when (matching pattern shape '())
            (incf count)))))))

(define-program browse (n :size 16 :result 12)
  "Build a database of symbols and match patterns in it N times."
  (repeat n
    (investigate (units 60)
                 '((*a ?b *b ?b a *a a *b *a)
                   (*a *b *b *a (*a) (*b))
                   (? ? * (b a) * ? ?)))))

;;; deriv: symbolic derivatives.

(defun derivative (term)
  "The derivative by X, not simplified."
  (if (atom term)
      (if (eq term 'x) 1 0)
      (case (first term)
        (+ (cons '+ (mapcar #'derivative (rest term))))
        (- (cons '- (mapcar #'derivative (rest term))))
        (* (list '* term
                 (cons '+ (mapcar (lambda (factor)
                                    (list '/ (derivative factor) factor))
                                  (rest term)))))
        (/ (list '-
                 (list '/ (derivative (second term)) (third term))
                 (list '/ (second term)
                       (list '* (third term) (third term)
                             (derivative (third term))))))
        (t (error "no derivative of ~S" term)))))

(define-program deriv (n :size 140000
                       :result '(+ (* (* 3 x x) (+ (/ 0 3) (/ 1 x) (/ 1 x)))
                                   (* (* a x x) (+ (/ 0 a) (/ 1 x) (/ 1 x)))
                                   (* (* b x) (+ (/ 0 b) (/ 1 x)))
                                   0))
  "The derivative of a polynomial N times."
  (repeat n
    (derivative '(+ (* 3 x x) (* a x x) (* b x) 5))))

;;; destructive: a row of queues that are filled, cut and joined in place.

(defun cells (n value)
  (let ((list '()))
    (dotimes (i n list)
      (declare (ignorable i))
      (push value list))))

(defun cut (queues i)
  "Take the second half of queue I off it, and give it back."
  (let* ((queue (svref queues i))
         (half (floor (length queue) 2)))
    (if (zerop half)
        (shiftf (svref queues i) '())
        (let ((last (nthcdr (1- half) queue)))
          (shiftf (rest last) '())))))

(defun shuffle-queues (count fill turns)
  "COUNT queues.  At each turn half of each goes to the front of the next, all
its cells marked anew, and one queue is made anew with FILL cells."
  (let ((queues (make-array count :initial-element '())))
    (dotimes (turn turns queues)
      (setf (svref queues (mod turn count)) (cells fill turn))
      (dotimes (i count)
        (let ((half (cut queues i))
              (next (mod (1+ i) count)))
          (loop for cell on half
                do (setf (first cell) turn))
          (setf (svref queues next) (nconc half (svref queues next))))))))

(define-program destructive (n :size 400 :result 411)
  "Shuffle ten queues N times."
  (repeat n
    (reduce #'+ (shuffle-queues 10 40 100) :key #'length)))

;;; div2: halve the length of a list.

(defun halve-iteratively (list)
  (do ((rest list (cddr rest))
       (half '() (cons (first rest) half)))
      ((null rest) half)))

(defun halve-recursively (list)
  (if (null list)
      '()
      (cons (first list) (halve-recursively (cddr list)))))

(defvar *two-hundred* (cells 200 nil))

(define-program div2-iterative (n :size 100000 :result 100)
  "Halve a list of 200 elements N times, by a loop."
  (length (the list (repeat n (halve-iteratively *two-hundred*)))))

(define-program div2-recursive (n :size 80000 :result 100)
  "Halve a list of 200 elements N times, by a recursion that conses on its way
back."
  (length (the list (repeat n (halve-recursively *two-hundred*)))))
