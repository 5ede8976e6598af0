;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; checks.lisp -- compare profiles of a random program with the oracle's
;;;; figures, and with profiles by whole walks.  All comparisons are for
;;;; equality.
;;;;
;;;; A program is run once without the profiler, which fills the caches of
;;;; generic functions; then in these ways:
;;;;
;;;;   words, unfolded    each chain has the oracle's objects and bytes by type;
;;;;                      functions and arcs have its figures and calls
;;;;   words              functions and arcs have the same figures and calls
;;;;   walks              the chains are those of words
;;;;   walks, unfolded    the chains are those of words, unfolded
;;;;   small budget       totals are the oracle's
;;;;
;;;; and in each: functions and types add up to the plain counters, nothing is
;;;; unattributed, and the residual is 0.

(in-package #:random-tests)

(defvar *differences* '() "What was not equal, the latest first.")

(defun differ (control &rest arguments)
  (push (apply #'format nil control arguments) *differences*))

(defun check-equal (what expected actual)
  (unless (equal expected actual)
    (differ "~A: expected ~S, got ~S" what expected actual)))

(defun add-lines (lines table sign)
  "Add the figure at the end of each of LINES, times SIGN, to its chain's in
TABLE."
  (dolist (line lines table)
    (let ((space (position #\Space line :from-end t)))
      (incf (gethash (subseq line 0 space) table 0)
            (* sign (parse-integer line :start (1+ space)))))))

(defun check-lines (what table actual)
  "The chains and figures of the lines ACTUAL are those of TABLE, which is used
up."
  (add-lines actual table -1)
  (loop for chain being each hash-key of table using (hash-value n)
        unless (zerop n)
          do (differ "~A: ~D too ~:[many~;few~]: ~A" what (abs n) (plusp n)
                     chain)))

(defun check-same-chains (program what expected actual)
  "Two profiles of PROGRAM have the same chains, with all of the runtime's
functions."
  (flet ((lines (text)
           (let ((lines (text-lines text)))
             (if (zerop (program-threads program))
                 lines
                 (remove nil (mapcar #'below-root lines))))))
    (loop for expected-text in expected
          for actual-text in actual
          unless (string= expected-text actual-text)
            do (check-lines what
                            (add-lines (lines expected-text)
                                       (make-hash-table :test #'equal) 1)
                            (lines actual-text)))))

;;; The oracle's figures

(defun joined (chain name)
  "CHAIN;NAME.  (CONCATENATE is slow.)"
  (let* ((n (length chain))
         (string (make-string (+ n 1 (length name)) :initial-element #\;)))
    (replace string chain)
    (replace string name :start1 (1+ n))))

(defun chain-names (program)
  "A function from a state and a node to its chain, a string."
  (let ((names (program-names program)))
    (lambda (state)
      (let ((chains (make-hash-table)))
        (labels ((chain (node)
                   (or (gethash node chains)
                       (setf (gethash node chains)
                             (let ((parent (oracle:node-parent state node))
                                   (name (aref names (oracle:node-name
                                                      state node))))
                               (if (zerop parent)
                                   name
                                   (joined (chain parent) name)))))))
          #'chain)))))

(defun used-states (program)
  (subseq *states* 0 (1+ (program-threads program))))

(defun predicted-chains (program)
  "What must be below *ROOT*: two tables from chains to objects and to bytes."
  (let ((objects (make-hash-table :test #'equal))
        (bytes (make-hash-table :test #'equal))
        (chain-of (chain-names program)))
    (loop for state across (used-states program)
          for chain = (funcall chain-of state)
          do (oracle:map-nodes
              (lambda (node n b activations)
                (declare (ignore activations))
                (when (plusp n)
                  (let ((line (funcall chain node)))
                    (incf (gethash line objects 0) n)
                    (incf (gethash line bytes 0) b))))
              state))
    (values objects bytes)))

(defun check-chains (program what)
  "The unfolded chains of the profile are those of the oracle."
  (flet ((actual (&rest arguments)
           (loop for line in (text-lines (apply #'export-text arguments))
                 for below = (below-root line)
                 if below
                   collect below
                 else if (zerop (program-threads program))
                   do (differ "~A: outside of the program: ~A" what line))))
    (multiple-value-bind (objects bytes) (predicted-chains program)
      (check-lines (format nil "~A, objects" what) objects
                   (actual "--value=allocs"))
      (check-lines (format nil "~A, bytes" what) bytes (actual)))))

;;; Functions and arcs.  Keys are names, or lists of a caller's and a callee's
;;; name; values are lists of figures.

(defun add-figures (key table &rest figures)
  (let ((old (gethash key table)))
    (setf (gethash key table)
          (if old (mapcar #'+ old figures) figures))))

(defun predicted-figures (program)
  "Functions: objects and bytes of their own and with callees, calls.  Arcs:
objects and bytes below, calls."
  (let ((functions (make-hash-table :test #'equal))
        (arcs (make-hash-table :test #'equal))
        (names (program-names program)))
    (loop for state across (used-states program)
          do (flet ((name (node)
                      (if (zerop node)
                          *root*
                          (aref names (oracle:node-name state node)))))
               (oracle:map-nodes
                (lambda (node n b activations)
                  (let ((parent (oracle:node-parent state node)))
                    (when (plusp activations)
                      (add-figures (name node) functions 0 0 0 0 activations)
                      (add-figures (list (name parent) (name node)) arcs
                                   0 0 activations))
                    (when (plusp n)
                      (add-figures (name parent) functions n b 0 0 0)
                      (loop with seen = '()
                            with seen-arcs = '()
                            for callee = parent then caller
                            until (zerop callee)
                            for caller = (oracle:node-parent state callee)
                            for name = (name callee)
                            for arc = (cons (oracle:node-name state callee)
                                            (if (zerop caller)
                                                -1
                                                (oracle:node-name state
                                                                  caller)))
                            do (unless (member name seen :test #'eq)
                                 (push name seen)
                                 (add-figures name functions 0 0 n b 0))
                               (unless (member arc seen-arcs :test #'equal)
                                 (push arc seen-arcs)
                                 (add-figures (list (name caller) name) arcs
                                              n b 0))))))
                state)))
    (values functions arcs)))

(defun check-tables (what expected actual)
  (loop for key being each hash-key of expected using (hash-value figures)
        do (check-equal (format nil "~A: ~A" what key) figures
                        (gethash key actual)))
  (loop for key being each hash-key of actual using (hash-value figures)
        unless (gethash key expected)
          do (differ "~A: ~A: not expected, ~S" what key figures)))

(defun program-name-p (name)
  (search "RP::" name))

(defun names-above-root (text)
  "The functions that call the program in the main thread, by the chains TEXT;
they may be in it, too."
  (let ((end (search *root* text)))
    (loop with line = (1+ (or (position #\Newline text :end end
                                                       :from-end t)
                              -1))
          for start = line then (1+ semicolon)
          for semicolon = (position #\; text :start start :end end)
          while semicolon
          collect (subseq text start semicolon))))

(defun check-figures (program profile chains what)
  "Functions and arcs of PROFILE, which has CHAINS, are those of the oracle."
  (let ((functions (make-hash-table :test #'equal))
        (arcs (make-hash-table :test #'equal))
        (above (names-above-root (first chains)))
        (threaded (plusp (program-threads program))))
    (flet ((comparable (name)
             ;; the runtime's functions also serve to begin and end threads
             (cond ((string= name *root*) t)
                   (threaded (program-name-p name))
                   (t (not (member name above :test #'string=))))))
      (dolist (f (mprof.data:figure :functions profile))
        (setf (gethash (mprof.data:figure :name f) functions)
              (list (mprof.data:figure :self-allocations f)
                    (mprof.data:figure :self-bytes f)
                    (mprof.data:figure :allocations f)
                    (mprof.data:figure :bytes f)
                    (mprof.data:figure :calls f))))
      (dolist (a (mprof.data:figure :arcs profile))
        (setf (gethash (list (mprof.data:figure :caller a)
                             (mprof.data:figure :callee a)) arcs)
              (list (mprof.data:figure :allocations a)
                    (mprof.data:figure :bytes a)
                    (mprof.data:figure :calls a))))
      (multiple-value-bind (expected-functions expected-arcs)
          (predicted-figures program)
        (flet ((restrict (actual expected test)
                 (dolist (table (list actual expected))
                   (dolist (key (loop for key being each hash-key of table
                                      collect key))
                     (unless (funcall test key)
                       (remhash key table))))))
          (restrict functions expected-functions
                    (lambda (name)
                      (and (string/= name *root*) (comparable name))))
          (restrict arcs expected-arcs
                    (lambda (arc)
                      (and (comparable (second arc))
                           (comparable (first arc))))))
        (check-tables (format nil "~A, functions" what) expected-functions
                      functions)
        (check-tables (format nil "~A, arcs" what) expected-arcs arcs)))))

(defun check-sums (program profile what &key (unattributed "0"))
  (flet ((sum (key list) (reduce #'+ list :key key))
         (same (about expected actual)
           (check-equal (format nil "~A, ~A" what about) expected actual)))
    (let ((functions (mprof.data:figure :functions profile))
          (types (mprof.data:figure :types profile))
          (counters (list (mprof::allocations) (mprof::bytes))))
      (same "sum over functions" counters
            (list (sum (mprof.data:reader :self-allocations) functions)
                  (sum (mprof.data:reader :self-bytes) functions)))
      (same "sum over types" counters
            (list (sum (mprof.data:reader :allocations) types)
                  (sum (mprof.data:reader :bytes) types)))
      (when unattributed
        (same "unattributed" unattributed
              (mprof.data:comment "mprof.unattributed_allocations"
                                     profile)))
      (same "residual and its reasons" '("0")
            (cons (mprof.data:comment "mprof.residual_bytes" profile)
                  (nth-value 1 (mprof.data:comment "mprof.residual_note"
                                                   profile))))
      (when (zerop (program-threads program))
        (same "plain counters" (predicted-total program) counters)))))

(defun predicted-total (program)
  (let ((objects 0) (bytes 0))
    (loop for state across (used-states program)
          do (oracle:map-nodes (lambda (node n b activations)
                                 (declare (ignore node activations))
                                 (incf objects n)
                                 (incf bytes b))
                               state))
    (list objects bytes)))

;;; All of it

(defparameter *longest* 4000
  "Chains are compared one by one, unfolded, when they have no more functions
than this in all.  (A recursion 200 deep has 20,000.)")

(defun check-unfolded (program)
  (measure program :unfolded t)
  (let ((chains (all-chains))
        (profile (mprof:load-profile *file*)))
    (check-chains program "words, unfolded")
    (check-figures program profile chains "words, unfolded")
    (check-sums program profile "words, unfolded")
    (measure program :unfolded t :full-walk t)
    (check-same-chains program "whole walks, unfolded" chains
                       (all-chains))))

(defun check-folded (program)
  (measure program)
  (let ((chains (all-chains))
        (profile (mprof:load-profile *file*)))
    (check-figures program profile chains "words")
    (check-sums program profile "words")
    (measure program :full-walk t)
    (check-same-chains program "whole walks" chains (all-chains))
    (check-sums program (mprof:load-profile *file*) "walks")))

(defun check-small-budget (program)
  (measure program :max-contexts (+ 16 (mod (program-seed program) 50)))
  (check-sums program (mprof:load-profile *file*) "small budget"
              :unattributed nil))

(defun definitions (program)
  (loop for symbol in (program-symbols program)
        when (fboundp symbol)
          collect (cons symbol (fdefinition symbol))))

(defun check-program (program)
  "The differences that PROGRAM, which is defined, shows; strings.  The second
value is true when its chains were compared one by one."
  (let ((*differences* '())
        (unfolded nil)
        (rp::*definitions* (if (zerop (program-threads program))
                               (definitions program)
                               '())))
    (handler-case
        (progn
          (call-in-main-thread program)
          (setf unfolded (<= (oracle:weight (aref *states* 0)) *longest*))
          (when unfolded
            (check-unfolded program))
          (check-folded program)
          (when (or (plusp (program-threads program))
                    (zerop (mod (program-seed program) 4)))
            (check-small-budget program)))
      (error (condition)
        (when (getf (mprof:status) :active)
          (mprof:stop))
        (differ "an error: ~A" condition)))
    (values (nreverse *differences*) unfolded)))
