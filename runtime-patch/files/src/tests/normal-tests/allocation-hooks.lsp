;;;; -*- Mode: Lisp; Syntax: Common-Lisp; indent-tabs-mode: nil -*-
;;;; vim: set filetype=lisp tabstop=8 shiftwidth=2 expandtab:

;;;; Contains: Tests of the events that allocation_monitor.h describes; only
;;;;           when ECL is configured with --enable-allocation-hooks

(in-package :cl-test)

(suite 'allocation-hooks)

(let ((fas (merge-pathnames "ecl-allocation-hooks.fas"
                            *default-pathname-defaults*)))
  (load (compile-file (merge-pathnames "allocation-hooks.lsp" *aux-dir*)
                      :output-file fas))
  (delete-file fas))

;;; The monitor is compiled against the header of the runtime that it is in.
(test hooks.0001.version
  (is-true (monitor-version-matches)))

;;; Nothing is announced that was not allocated.
(test hooks.0002.nothing
  (is-equal '(0 0 0) (allocate-nothing)))

;;; Each allocator of conses, 50 times: the events, the conses' worth of bytes
;;; and the frame addresses that lie above the hook's.
(test hooks.0003.conses
  (is-equal '(100 100 100) (allocate-conses 50)))

;;; Constructors of floats are allocators to those who call them.
(test hooks.0004.floats
  (is-equal '(2 2 1 3) (allocate-floats)))

;;; The body of a vector names its owner, and is no object of its own; a base
;;; string of 9 characters has a zero behind them.
(test hooks.0005.vectors
  (is-equal '(1 t 1 10 1 10 0) (allocate-vectors)))

(test hooks.0006.hash-table
  (is-equal '(1 1 0) (allocate-hash-table)))

;;; One event for an instance and its slots, with object and class.
(test hooks.0007.instance
  (let ((class (find-class 'standard-object)))
    (is-equal '(1 2 t t)
              (allocate-instance-of
               class (lambda () (si:allocate-raw-instance nil class 2))))))

(defstruct counted-structure a b c)

(test hooks.0008.structure
  (let ((class (find-class 'counted-structure)))
    (is-equal '(1 3 t t)
              (allocate-instance-of
               class (lambda () (si:make-structure class 1 2 3))))))

;;; Threads are announced when they begin and when they end; the hooks of one
;;; count nothing of another.
#+threads
(test hooks.0009.threads
  (is-equal '(3 3 (10 10 10)) (run-threads 3)))

;;; What is freed explicitly, an object and its body.
(test hooks.0010.free
  (is-equal '(2 1) (free-vector)))
