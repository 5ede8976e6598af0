;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; allocators.lisp -- interrupt a thread while it allocates: all interrupts
;;;; arrive, the thread goes on, and what it makes is right; where mprof is
;;;; loaded, what is counted is right, too.  It runs on any ECL.
;;;;
;;;; Not here: symbols and weak pointers.  ECL has the collector register them
;;;; with interrupts enabled; a thread that is interrupted there may wait for a
;;;; lock that it holds itself.

(defpackage #:allocators
  (:use #:common-lisp))

(in-package #:allocators)

(defvar *count* (parse-integer (or (ext:getenv "COUNT") "20"))
  "How often each thread is interrupted.")

(defvar *kept* nil "What a compiler that knows too much would leave out.")

;;; Each of these takes an integer, and is true when what it made is right.

(defvar *allocators* '())

(defmacro define-allocator (name (i) &body body)
  `(progn
     (defun ,name (,i) ,@body)
     (setf *allocators* (append *allocators* '(,name)))))

(defstruct thing a b)

(defclass item ()
  ((a :initarg :a :reader item-a)
   (b :initform nil)))

(defvar *thing* (make-thing :a 1 :b 2))
(defvar *item* (find-class 'item))
(defvar *large* (expt 3 100))
(defvar *single* 1.5)
(defvar *double* 1.5d0)
(defvar *interpreted* (eval '(lambda (i)
                              (let ((x (vector i)))
                                (lambda () (list (aref x 0) i))))))
(defvar *finalized* (list 0))

;; They call generic functions, whose caches of methods ECL may fill again.
(defvar *dispatching* '(instances conditions))

(define-allocator structures (i)
  (eql i (thing-a (setf *kept* (make-thing :a i)))))

(define-allocator copied-structures (i)
  (let ((copy (copy-thing *thing*)))
    (setf (thing-b copy) i)
    (equal (list 1 i 1 2) (list (thing-a copy) (thing-b copy)
                                (thing-a *thing*) (thing-b *thing*)))))

(define-allocator raw-instances (i)
  (let ((item (si:allocate-raw-instance nil *item* 2)))
    (si:instance-set item 0 i)
    (eql i (si:instance-ref item 0))))

(define-allocator instances (i)
  (eql i (item-a (make-instance 'item :a i))))

(define-allocator object-vectors (i)
  (let ((vector (make-array 10 :initial-element i)))
    (every (lambda (x) (eql x i)) (setf *kept* vector))))

(define-allocator byte-vectors (i)
  (let ((vector (make-array 9 :element-type '(unsigned-byte 8)
                              :initial-element (mod i 256))))
    (every (lambda (x) (eql x (mod i 256))) vector)))

(define-allocator arrays (i)
  (let ((array (make-array '(3 4) :initial-element i)))
    (eql i (aref array 2 3))))

(define-allocator adjustable-vectors (i)
  (let ((vector (make-array 2 :fill-pointer 0 :adjustable t)))
    (dotimes (j 9)
      (vector-push-extend (+ i j) vector))
    (eql (+ i 8) (aref vector 8))))

(define-allocator character-strings (i)
  (let* ((character (code-char (+ 65 (mod i 20))))
         (string (make-string 10 :initial-element character)))
    (eql character (char (concatenate 'string string "x") 9))))

(define-allocator base-strings (i)
  (eql 10 (length (setf *kept* (make-string (+ 10 (* 0 i))
                                            :element-type 'base-char)))))

(define-allocator bit-vectors (i)
  (eql (mod i 2) (bit (make-array 99 :element-type 'bit
                                     :initial-element (mod i 2))
                      98)))

(define-allocator bignums (i)
  (let ((i (+ 2 (mod i 7))))            ; once it is *LARGE* itself
    (eql i (/ (* i *large*) *large*))))

(define-allocator ratios (i)
  (let ((ratio (/ (1+ (* 2 i)) 2)))
    (eql (complex ratio 1) (+ (complex i 1) 1/2))))

(define-allocator closures (i)
  (let ((f (let ((x i)) (setf *kept* (lambda () (incf x))))))
    (funcall f)
    (eql (+ i 2) (funcall f))))

(define-allocator hash-tables (i)
  (let ((table (make-hash-table :size 4)))
    (dotimes (j 40)
      (setf (gethash j table) (+ i j)))
    (and (eql 40 (hash-table-count table))
         (eql (+ i 39) (gethash 39 table)))))

(define-allocator output-streams (i)
  (equal (code-char (+ 65 (mod i 20)))
         (char (with-output-to-string (out)
                 (write-char (code-char (+ 65 (mod i 20))) out))
               0)))

(define-allocator input-streams (i)
  (eql (mod i 9) (with-input-from-string (in "012345678" :start (mod i 9))
                   (digit-char-p (read-char in)))))

(define-allocator conditions (i)
  (handler-case (error 'simple-error :format-control "~D"
                                     :format-arguments (list i))
    (simple-error (condition)
      (eql i (first (simple-condition-format-arguments condition))))))

(define-allocator conses (i)
  (equal (list i (1+ i)) (cons i (setf *kept* (cons (1+ i) nil)))))

(define-allocator floats (i)
  (let ((i (* 2 (1+ (mod i 1000)))))    ; neither zeros nor ratios
    (and (= (* i *double*) (* 3/2 i))
         (= (* i *single*) (* 3/2 i)))))

(define-allocator foreign-objects (i)
  (let ((data (si:allocate-foreign-data :void 16)))
    (si:foreign-data-set-elt data 8 :int (mod i 1000))
    (eql (mod i 1000) (si:foreign-data-ref-elt data 8 :int))))

(define-allocator new-byte-code (i)
  (equal (list i 1) (funcall (eval (list 'lambda '(x) (list 'list i 'x))) 1)))

(define-allocator old-byte-code (i)
  (equal (list i i) (funcall (funcall *interpreted* i))))

;; Without the patch a thread ends that is interrupted while it collects and
;; then runs a finalizer.
(define-allocator finalized-structures (i)
  (let ((thing (make-thing :a i)))
    (ext:set-finalizer thing (lambda (thing)
                               (declare (ignore thing))
                               (mp:atomic-incf (car *finalized*))))
    (eql i (thing-a thing))))

;;; The thread

(defvar *done* nil "Whether threads are to end.")
(defvar *rounds* 0 "How many the thread has made.")
(defvar *wrong* 0 "In how many of them something was wrong.")
(defvar *taken* (list 0) "How many interrupts.")

(defun work (allocator rounds)
  "Until there were so many ROUNDS, or else until it is done."
  (loop until (if rounds (= *rounds* rounds) *done*)
        do (unless (funcall allocator *rounds*)
             (incf *wrong*))
           (incf *rounds*)))

(defun run-thread (allocator &optional rounds)
  (setf *done* nil *rounds* 0 *wrong* 0 *taken* (list 0))
  (mp:process-run-function allocator #'work allocator rounds))

(defun wait-until (function thread)
  "Until FUNCTION says so, or THREAD has ended, or it has been too long."
  (loop with end = (+ (get-universal-time) 60)
        until (or (funcall function)
                  (not (mp:process-active-p thread))
                  (> (get-universal-time) end))
        do (mp:process-yield)))

(defun take-one ()
  (mp:atomic-incf (car *taken*)))

;; ECL may lose an interrupt that comes while another one waits.
(defun interrupt (thread)
  (wait-until (lambda () (plusp *rounds*)) thread)
  (loop for n from 1 to *count*
        do (ignore-errors (mp:interrupt-process thread #'take-one))
           (wait-until (lambda () (= (car *taken*) n)) thread)
        while (= (car *taken*) n))
  (setf *done* t)
  (mp:process-join thread))

;;; What is counted

(defun mprof (name &rest arguments)
  (apply (find-symbol name "MPROF") arguments))

(defun data (name &rest arguments)
  (apply (find-symbol name "MPROF.DATA") arguments))

(defun counts ()
  "Whether allocations are counted at all."
  (and (find-package "MPROF") t))

(defun figures (allocator)
  "How many allocations and bytes there were in ALLOCATOR and below."
  (let ((row (data "ROW" :functions allocator (mprof "LOAD-PROFILE"))))
    (list (data "FIGURE" :allocations row) (data "FIGURE" :bytes row))))

(defmacro counting (allocator &body body)
  `(progn
     (when (counts)
       (mprof "RESET")
       (mprof "START"))
     ,@body
     (when (counts)
       (mprof "STOP")
       (figures ,allocator))))

;;; The tests

(defun result (good allocator control &rest arguments)
  (format t "~:[not ok~;ok~] - ~(~A~), ~:[not ~;~]counted: ~?~%" good allocator
          (counts) control arguments)
  (finish-output))

(defun undisturbed (allocator rounds)
  (counting allocator
    (mp:process-join (run-thread allocator rounds))))

(defun test (allocator)
  (let* ((dispatches (member allocator *dispatching*))
         (few (progn (undisturbed allocator 1)
                     (undisturbed allocator 100)))
         (more (undisturbed allocator 200)) ; less what a first round makes
         (disturbed (counting allocator
                      (interrupt (run-thread allocator)))))
    (result (= (car *taken*) *count*) allocator "~D of ~D interrupts arrive"
            (car *taken*) *count*)
    (result (zerop *wrong*) allocator "what is made is right")
    (when (and (counts) (not dispatches))
      (let ((expected (loop for n in few
                            for m in more
                            collect (+ n (* (- m n) (/ (- *rounds* 100)
                                                       100))))))
        (result (equal disturbed expected) allocator
                "what is made is counted: ~{~D objects, ~D bytes~} of ~{~D, ~D~}"
                disturbed expected)))))

(defun test-all ()
  (mapc #'test *allocators*)
  (ext:quit 3))
