;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; holders.lisp -- programs of which it is known what holds what they leave.
;;;; It is compiled behind following.lisp, in one file with it.

(defpackage #:held
  (:use #:common-lisp #:following))

(in-package #:held)

(defun sum (reader contexts)
  (reduce #'+ contexts :key reader))

(defun held (root)
  "What the root of that name holds: (HOLDERS OBJECTS BYTES) for each chain,
without the root, the largest first.  All roots together hold all."
  (let* ((profile (mprof:load-profile nil :holders t))
         (contexts (mprof.data:figure :contexts
                                      (mprof.data:figure :holders profile))))
    (unless (and (eql (mprof.data:figure :live-allocations profile)
                      (sum (mprof.data:reader :allocations) contexts))
                 (eql (mprof.data:figure :live-bytes profile)
                      (sum (mprof.data:reader :bytes) contexts)))
      (same (format nil "all that is alive is held, once; ~A" root) t nil))
    (loop for context in contexts
          when (string= root (first (mprof.data:figure :chain context)))
            collect (list (rest (mprof.data:figure :chain context))
                          (mprof.data:figure :allocations context)
                          (mprof.data:figure :bytes context)))))

;;; One root

(defvar *list* '())
(defvar *table* (make-hash-table))
(defvar *other* '())

(defun conses (n) (loop repeat n do (push nil *list*)))
(defun entries (n)
  (dotimes (i n)
    (setf (gethash i *table*) (list 'entry i))))
(defun properties (n)
  (setf (get 'properties 'all) (make-list n)))
(defstruct point x y)
(defun points (n) (dotimes (i n) (push (make-point :x (list i)) *list*)))

(following "a variable"
  (in-thread #'conses 1000)
  (same "a list is one holder, however long"
        '((("CONS by HELD::CONSES") 1000 16000)) (held "HELD::*LIST*"))
  (setf *list* '())
  (same "nothing any more" '() (held "HELD::*LIST*"))
  (in-thread #'conses 200000)
  (same "however long it is" '((("CONS by HELD::CONSES") 200000 3200000))
        (held "HELD::*LIST*"))
  (setf *list* '())
  (in-thread #'points 10)
  (same "structures in a list, and lists in these"
        '((("CONS by HELD::POINTS" "HELD::POINT by HELD::MAKE-POINT") 10 800)
          (("CONS by HELD::POINTS") 20 320))
        (held "HELD::*LIST*"))
  (setf *list* '()))

;; More ways than there is room for.

(defun way (bits n)
  (cond ((zerop n) (push nil *list*))
        ((logbitp n bits) (left-way bits (1- n)))
        (t (right-way bits (1- n)))))

(defun left-way (bits n) (way bits n))
(defun right-way (bits n) (way bits n))
(defun ways (n) (dotimes (i n) (way i 8)))

(following ("what is over the budget" :max-contexts 300 :unfolded t)
  (in-thread #'ways 512)
  (let ((held (held "HELD::*LIST*")))
    (same "objects" '(512 8192) (list (reduce #'+ held :key #'second)
                                      (reduce #'+ held :key #'third)))
    (same "made by functions, the callers where these are not known" '()
          (loop for (holders) in held
                append (remove-if-not (lambda (holder)
                                        (search "[over the budget]" holder))
                                      holders)))
    (same "something is" t
          (stringp (mprof.data:comment "mprof.unattributed_note"
                                       (mprof:load-profile)))))
  (setf *list* '()))

;; What a thread leaves that is stopped while it makes the table of classes
;; larger, which is known by the name of its variable.

(defvar *class-name-hash-table* (make-hash-table))

(defun half-made (stage table)
  (ecase stage
    (:larger (ffi:c-inline (table) (:object) :void
                           "(#0)->hash.size = (cl_index)1 << 40;"))
    (:without-body (ffi:c-inline (table) (:object) :void
                                 "(#0)->hash.data = NULL;"))))

(following "a table that is being made larger"
  (dolist (stage '(:larger :without-body))
    (setf *class-name-hash-table* (make-hash-table))
    (half-made stage *class-name-hash-table*)
    (in-thread #'conses 10)
    (same (format nil "~(~A~)" stage)
          '((("CONS by HELD::CONSES") 10 160)) (held "HELD::*LIST*"))
    (setf *list* '()
          *class-name-hash-table* nil)))

(following "a table from before"
  (in-thread #'entries 5)
  (same "its entries"
        '((("HASH-TABLE (from before)" "CONS by HELD::ENTRIES") 10 160))
        (held "HELD::*TABLE*"))
  (clrhash *table*)
  (same "emptied" '() (held "HELD::*TABLE*")))

(following "a property list"
  (in-thread #'properties 20)
  (same "of a symbol: the list, and two conses for the property"
        '((("CONS by HELD::PROPERTIES") 22 352)) (held "HELD::PROPERTIES"))
  (remprop 'properties 'all))

(let ((count '()))
  (defun remember (n) (dotimes (i n) (push i count)))
  (defun forget () (setf count '())))

(following "a closure"
  (in-thread #'remember 30)
  (same "of two functions"
        '((("CONS (from before)" "CONS by HELD::REMEMBER") 30 480))
        (held "HELD::FORGET and HELD::REMEMBER"))
  (forget))

(defclass pool () ((all :allocation :class :initform '())))

(defun fill-pool (n)
  (setf (slot-value (make-instance 'pool) 'all) (make-list n)))

(fill-pool 1)                           ; what a class needs, once

(following "a slot of a class"
  (in-thread #'fill-pool 15)
  (same "is held by the class" '("class HELD::POOL" 15)
        (let ((row (find "CONS by HELD::FILL-POOL" (held "class HELD::POOL")
                         :key (lambda (row) (first (last (first row))))
                         :test #'equal)))
          (and row (list "class HELD::POOL" (second row)))))
  (fill-pool 0))

;;; Several roots

(defun both (n)
  (setf *other* (setf *list* (make-list n))))

(defun ends-in-one (n)
  (let ((end (make-list n)))
    (setf *list* (cons 1 end)
          *other* (list* 1 2 end))))

(following "two variables"
  (in-thread #'both 10)
  (same "one list" '((("CONS by HELD::BOTH") 10 160))
        (held "HELD::*LIST* and HELD::*OTHER*"))
  (setf *other* '())
  (same "one of them is enough" '((("CONS by HELD::BOTH") 10 160))
        (held "HELD::*LIST*"))
  (in-thread #'ends-in-one 10)
  (same "one end" '((("CONS by HELD::ENDS-IN-ONE") 10 160))
        (held "HELD::*LIST* and HELD::*OTHER*"))
  (same "the beginning of the one" '((("CONS by HELD::ENDS-IN-ONE") 1 16))
        (held "HELD::*LIST*"))
  (same "and of the other" '((("CONS by HELD::ENDS-IN-ONE") 2 32))
        (held "HELD::*OTHER*"))
  (setf *list* '() *other* '()))

;;; What holds nothing

(defvar *weak* nil)

(defun weak (n)
  (let ((list (make-list n)))
    (setf *weak* (ext:make-weak-pointer list)
          *list* list)))

(defun circle (n)
  (let ((list (make-list n)))
    (setf *list* (nconc list list))))

(following "weak pointers and circles"
  (in-thread #'weak 10)
  (same "the variable, not the weak pointer"
        '((("CONS by HELD::WEAK") 10 160)) (held "HELD::*LIST*"))
  (in-thread #'circle 10)
  (same "a circle" '((("CONS by HELD::CIRCLE") 10 160)) (held "HELD::*LIST*"))
  (setf *list* '() *weak* nil))

;;; Threads

(defvar *bound* '())
(defvar *go* (mp:make-semaphore))
(defvar *ready* (mp:make-semaphore))

(defun wait ()
  (mp:signal-semaphore *ready*)
  (mp:wait-on-semaphore *go*))

(defun with-binding (n)
  (let ((*bound* (make-list n)))
    (wait)))

(defun with-local (n)
  (let ((list (make-list n)))
    (wait)
    (length list)))

(defun while-waiting (name function root holder)
  "What ROOT holds of HOLDER while FUNCTION waits in the thread NAME."
  (let ((thread (mp:process-run-function name function 10)))
    (mp:wait-on-semaphore *ready*)
    (prog1 (remove holder (held root) :key #'caar :test-not #'equal)
      (mp:signal-semaphore *go*)
      (mp:process-join thread))))

(following "threads"
  (same "a binding" '((("CONS by HELD::WITH-BINDING") 10 160))
        (while-waiting "binds" #'with-binding "HELD::*BOUND* in binds"
                       "CONS by HELD::WITH-BINDING"))
  (same "a stack" '((("CONS by HELD::WITH-LOCAL") 10 160))
        (while-waiting "waits" #'with-local "stack of waits"
                       "CONS by HELD::WITH-LOCAL")))

(defun wait-for (semaphore)
  (mp:signal-semaphore *ready*)
  (mp:wait-on-semaphore semaphore))

(following "threads of which the first one ends"
  (let* ((semaphores (loop repeat 4 collect (mp:make-semaphore)))
         (threads (loop for semaphore in semaphores
                        collect (mp:process-run-function "each" #'wait-for
                                                         semaphore))))
    (loop repeat 4 do (mp:wait-on-semaphore *ready*))
    (loop for semaphore in semaphores
          for thread in threads
          do (mp:signal-semaphore semaphore)
             (mp:process-join thread)
             (same "what is alive is held once" '() (held "HELD::*LIST*")))))

;;; While others run

(defun garbage (n)
  (let ((list '()))
    (dotimes (i n list) (push (list i (make-string 3)) list))))

(following "while others allocate"
  (let* ((go-on t)
         (others (loop repeat 3
                       collect (mp:process-run-function
                                "other" (lambda ()
                                          (loop while go-on
                                                do (garbage 1000)))))))
    (loop repeat 6
          for n from 100 by 100
          do (in-thread #'conses 100)
             (same (format nil "~D conses" n)
                   (list (list '("CONS by HELD::CONSES") n (* 16 n)))
                   (held "HELD::*LIST*")))
    (setf go-on nil)
    (mapc #'mp:process-join others))
  (setf *list* '()))

;;; In a budget

;;; Without a thread: one that was joined may not have ended yet, and its
;;; stacks hold more than any line that is printed.

(defun call-with-budget (live)
  "What a budget says that CONSES breaks by 3: words of each line."
  (handler-case (mprof:with-allocation-budget (:live live)
                  (conses 3))
    (mprof:allocation-budget-exceeded (condition)
      (loop for context in (mprof.data:figure :contexts
                            (mprof.data:figure :holders condition))
            when (find "HELD::*LIST*" (mprof.data:figure :chain context)
                       :test #'string=)
              collect (list (mprof.data:figure :chain context)
                            (mprof.data:figure :allocations context)
                            (not (null
                                  (search "3 objects held by HELD::*LIST* > "
                                          (princ-to-string condition)))))))))

(mprof:stop)
(mprof:reset)
(same "a budget says what holds what is left"
      '((("HELD::*LIST*" "CONS by HELD::CONSES") 3 t))
      (call-with-budget 0))
