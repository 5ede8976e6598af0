;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; programs.lisp -- a whole program from a seed.

(in-package #:generator)

;;; Functions

(defun definition (form)
  "FORM as a top-level form."
  (if *compiled* form `(eval ',form)))

(defun plain-definition (symbol parameters)
  (let* ((*here* symbol)
         (*forced* (chance 25))
         (body (activation symbol parameters (statements)
                           :tail-call (and (chance 30) (tail-call)))))
    (definition `(defun ,symbol ,parameters
                   (declare (ignorable ,@parameters)
                            (optimize (speed ,(pick 4)) (safety ,(pick 4))
                                      (debug ,(pick 4))))
                   ,(if *forced* `(mprof:out-of-line () ,body) body)))))

(defun deep-definition (symbol)
  "Recursion, as deep as its argument says and the fuel allows."
  (let ((*here* symbol))
    (definition
     `(defun ,symbol (n)
        ,(activation symbol '(n)
                     `(,@(if (chance 50) (allocation) '())
                       (if (and (plusp n) (oracle:fuel-p))
                           (,symbol (1- n))
                           (progn ,@(statements)))
                       ,@(come-back)
                       ,@(statements)))))))

(defun method-definition (generic qualifiers class next)
  "A method.  With NEXT, it calls the next one: in 24.5.10 by a local function,
which does not show, and for which the :FIRST method makes a list of the
arguments."
  (let ((*here* `(method ,generic ,@qualifiers (,class))))
    (flet ((next ()
             `((call-next-method)
               (oracle:back d))))
      (definition
       `(defmethod ,generic ,@qualifiers ((x ,class))
          ,(activation *here* '(x)
                       `(,@(when (and *newer* (eq next :first))
                             `(,@(via 'apply 'list)
                               ,@(conses 1)
                               (oracle:back d)))
                         ,@(statements)
                         ,@(if next (next) '())
                         ,@(statements))))))))

(defun generic-definition (symbol)
  (let* ((around (chance 50))
         (before (and around (chance 50)))
         (after (and around (chance 50))))
    (setf (program-rehearsed *program*) t)
    `(progn
       ,(definition `(defgeneric ,symbol (x)))
       ,(method-definition symbol '() 'rp::base nil)
       ,@(when (chance 70)
           (list (method-definition symbol '() 'rp::derived
                                    (if around t :first))))
       ,@(when around
           (list (method-definition symbol '(:around) 'rp::base :first)))
       ,@(when before
           (list (method-definition symbol '(:before) 'rp::base nil)))
       ,@(when after
           (list (method-definition symbol '(:after) 'rp::base nil))))))

(defun make-program (seed &key compiled collect functions fuel)
  "The program of SEED, an integer.

COMPILED (boolean): whether some of its functions are for the compiler.
COLLECT (boolean): whether it calls the collector.
FUNCTIONS, FUEL (integers): take so many instead of a random number."
  (let* ((*random* (+ seed (if compiled (ash 1 40) 0)))
         (*collect* collect)
         (names (make-array 60 :adjustable t :fill-pointer 0))
         (*program* (%make-program :seed seed :compiled compiled
                                   :names names)))
    (loop for name across *fixed-names*
          do (vector-push-extend name names))
    (loop repeat 20 do (pick 2))        ; small seeds look alike at first
    (let* ((n (let ((n (+ 2 (pick (one-of 3 6 12))))) (or functions n)))
           (*functions*
             (loop for i below n
                   for kind = (case (if (zerop i) 9 (pick 10))
                                ((0 1) :generic)
                                (2 :deep)
                                (t :plain))
                   collect (list kind (new-symbol "F")
                                 (if (and (eq kind :plain) (plusp i))
                                     (one-of '() '(a) '(a b) '(a b c))
                                     '())))))
      (setf (program-functions *program*) n
            (program-entry *program*) (second (first *functions*))
            (program-threads *program*) (if (chance 8) (1+ (pick 3)) 0)
            (program-fuel *program*)
            (let ((random (one-of 5 10 10 15 15 20 20 30 40 150)))
              (or fuel random))
            (program-definitions *program*)
            (loop for (kind symbol parameters) in *functions*
                  for *compiled* = (and compiled (or (chance 70) *newer*))
                  collect (ecase kind
                            (:plain (plain-definition symbol parameters))
                            (:deep (deep-definition symbol))
                            (:generic (generic-definition symbol)))))
      *program*)))
