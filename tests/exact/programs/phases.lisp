;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Phases: one function makes known numbers of conses while the program
;;;; compiles, loads, evaluates and runs, in turns and nested.

(in-package #:exact)

(require :cmp) ; now, and not in what is measured

;; What the compiler allocates depends on its caches; what it calls does not.
(setf *dump-only* "EXACT::CONSES")

(defun conses (n)
  (dotimes (i n)
    (keep (cons i i))))

(defvar *expansions* 0)

(defmacro expanding (n)
  "Makes N conses each time that it is expanded."
  (incf *expansions*)
  (conses n)
  nil)

(defun write-source (file &rest forms)
  (with-open-file (out file :direction :output :if-exists :supersede)
    (with-standard-io-syntax
      (format out "(in-package #:exact)~%~{~S~%~}" forms)))
  file)

(defvar *folder*
  (let ((name (format nil "~A-~D/" *dump* (ext:getpid))))
    (ensure-directories-exist name)
    name))

(defun source (name)
  (format nil "~A~A.lisp" *folder* name))

(defun phase-conses (phase n)
  "CONSES made N conses in PHASE, and the table of phases has all of it."
  (let ((row (mprof.data:row :phases phase *profile*))
        (*profile* (mprof:load-profile nil :phase phase)))
    (if (zerop n)
        (absent 'conses)
        (self 'conses n (* n +cons+)))
    (total (if row (mprof.data:figure :allocations row) 0)
           (if row (mprof.data:figure :bytes row) 0))))

(defun conses-by-phase (&key (compile 0) (load 0) (eval 0) (run 0))
  (phase-conses :compile compile)
  (phase-conses :load load)
  (phase-conses :eval eval)
  (phase-conses :run run)
  (let ((n (+ compile load eval run)))
    (self 'conses n (* n +cons+))))

;;; This file is loaded while all this happens; a profiled body begins anew.

(defmacro measuring-body ((title) form &body checks)
  `(progn
     (setf *title* ,title
           *expansions* 0)
     (mprof:with-profiling (:report nil :full-walk *full-walk*)
       ,form)
     (take-profile)
     ,@checks))

(defun byte-compiled (definition)
  (eval definition))

(byte-compiled '(defun by-bytes (n) (mapc #'conses (list n n))))

(measuring-body ("running, byte-compiled code too")
    (progn (conses 10) (by-bytes 10))
  (conses-by-phase :run 30)
  (check "no other phase" '(:run)
         (mapcar (mprof.data:reader :name)
                 (mprof.data:figure :phases *profile*))))

;;; EVAL compiles to byte code, which expands the macro; then it runs that.

(measuring-body ("evaluating in what is evaluated")
    (eval '(progn (conses 1) (eval '(progn (conses 2) (expanding 40)))))
  (check "expanded once" 1 *expansions*)
  (conses-by-phase :eval 40 :run 3)
  (check "EVAL itself is evaluation" t
         (< 40 (mprof.data:figure :allocations
                (mprof.data:row :phases :eval *profile*)))))

(measuring-body ("a lambda expression becomes a function, and runs")
    (funcall (coerce '(lambda () (expanding 5) (conses 7)) 'function))
  (check "expanded once" 1 *expansions*)
  (conses-by-phase :eval 5 :run 7))

;;; COMPILE loads what it has compiled.  The compiler may expand a macro more
;;; often than once.

(measuring-body ("compiling at run time, then running")
    (progn
      (conses 1)
      (funcall (compile nil '(lambda () (expanding 100) (conses 10)))))
  (check "expanded" t (< 0 *expansions*))
  (conses-by-phase :compile (* 100 *expansions*) :run 11)
  (check "what was compiled is loaded" t
         (< 0 (mprof.data:figure :allocations
               (mprof.data:row :phases :load *profile*)))))

(write-source (source "plain")
              '(eval-when (:compile-toplevel) (conses 1000))
              '(eval-when (:load-toplevel) (conses 100))
              '(eval-when (:execute) (conses 10))
              '(defun from-plain () (conses 1)))

(measuring-body ("loading source, compiling it, loading that, running it")
    (progn
      (load (source "plain"))
      (compile-file (source "plain"))
      (load (concatenate 'string *folder* "plain.fas"))
      (funcall 'from-plain))
  (conses-by-phase :compile 1000 :load 110 :run 1))

(write-source (source "nested")
              '(conses 3)
              '(compile-file (source "plain"))
              '(eval '(progn (conses 4) (expanding 5)))
              '(load (concatenate 'string *folder* "plain.fas"))
              '(conses 6))

(measuring-body ("a file that compiles and loads another")
    (progn (conses 2) (load (source "nested")) (conses 2))
  (check "expanded once" 1 *expansions*)
  (conses-by-phase :compile 1000 :load (+ 3 4 5 100 6) :run 4))

(write-source (source "compiling")
              `(eval-when (:compile-toplevel)
                 (conses 3)
                 (load ,(source "plain"))
                 (conses 4)))

(measuring-body ("a file that loads another while it is compiled")
    (compile-file (source "compiling"))
  (conses-by-phase :compile 7 :load 10))

;;; Loading and compiling in turns: recursion is folded within a phase only,
;;; so the phases of folded chains are those of whole ones.

(defvar *turns* 0)

(defun turn ()
  (when (< (incf *turns*) 6)
    (if (oddp *turns*)
        (load (source "turns") :verbose nil)
        (compile-file (source "turns") :verbose nil :print nil))))

(write-source (source "turns")
              '(eval-when (:compile-toplevel :load-toplevel :execute)
                 (conses 100)
                 (turn)))

(defun conses-of-turns (unfolded)
  (mprof:reset)
  (setf *turns* 0)
  (mprof:start :full-walk *full-walk* :unfolded unfolded)
  (turn)
  (mprof:stop)
  (loop for phase in '(:load :compile)
        for profile = (mprof:load-profile nil :phase phase)
        collect (mprof.data:figure :self-allocations
                 (mprof.data:row :functions 'conses profile))))

;; three turns load, two compile
(setf *title* "loading and compiling in turns")
(check "conses by phase, of whole chains" '(300 200) (conses-of-turns t))
(check "conses by phase, of folded chains" '(300 200) (conses-of-turns nil))

(mapc #'delete-file (directory (concatenate 'string *folder* "*.*")))
(si:rmdir *folder*)
