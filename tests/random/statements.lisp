;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; statements.lisp -- the statements of random programs.
;;;;
;;;; Each function here gives a list of forms: a statement and what the oracle
;;;; is told of it.  Which functions of the runtime are in the chain, and how
;;;; many objects of which size ECL 21.2.1 makes, was read from its source and
;;;; seen in profiles of these forms alone.  FUELED forms call functions of
;;;; the program; what calls a lambda needs no fuel, since lambdas are nested
;;;; only so deep.

(in-package #:generator)

;;; Allocations

(defun allocation ()
  (flet ((making (names form &rest counts)
           `(,@(apply #'via names) (rp::keep ,form) ,@counts
             (oracle:back d))))
    (case (pick 14)
      (0 (let ((n (+ 2 (pick 4))))
           (apply #'making (by-mode '(list) (forced 'list))
                  `(list ,@(loop repeat n collect 1))
                  (conses n))))
      (1 (making (by-mode '() '(*)) '(* 1.5d0 rp::*float*)
                 ;; the function * begins with 1 * 1.5d0; what 24.5.10
                 ;; compiles makes 1.5d0 each time
                 (if (or *newer* (not *compiled*))
                     (made 'double-float 2 32)
                     (made 'double-float 1 16))))
      (2 (making (by-mode '() '(1+)) '(1+ rp::*largest*) (made 'bignum 1 32)))
      (3 (let ((n (1+ (pick 40))))
           (making '(make-string) `(make-string ,n)
                   (made 'string 1 (+ 40 (* 4 n))))))
      (4 (making '(rp::make-record) '(rp::make-record 1 2)
                 (made 'rp::record 1 (+ 64 16))))
      (5 (apply #'making '(copy-list) '(copy-list '(1 2 3)) (conses 3)))
      (6 (setf (program-rehearsed *program*) t)
         (making '((method make-instance (symbol))
                   apply (method make-instance (class))
                   apply (method allocate-instance (class))
                   si:allocate-raw-instance)
                 '(make-instance 'rp::base)
                 (made 'rp::base 1 (if *newer* 64 (+ 64 8)))))
      (7 (let ((n (1+ (pick 300))))
           (making (if (and *compiled* (not *forced*))
                       '(si:make-vector)
                       '(make-array si:make-pure-array si:make-vector))
                   `(make-array ,n :element-type 'double-float)
                   (made "(SIMPLE-ARRAY DOUBLE-FLOAT)" 1 (+ 48 (* 8 n))))))
      (8 (destructuring-bind (n name . arguments)
             (one-of '(3 append rp::*three* 1) '(2 butlast rp::*three*)
                     '(3 copy-seq rp::*three*))
           (apply #'making (by-mode (forced name) (list name))
                  (cons name arguments) (conses n))))
      (t (apply #'making (forced 'cons) '(cons 1 2) (conses 1))))))

;;; Calls

(defun arguments (parameters)
  (loop for nil in parameters collect (pick 100)))

(defun fueled (&rest forms)
  `((when (oracle:fuel-p) ,@forms (oracle:back d))))

(defun plain-call (symbol parameters)
  "A form that calls a plain function, and what is told before it."
  (let ((arguments (arguments parameters)))
    (case (pick 8)
      (0 `((locally (declare (notinline ,symbol))
             (,symbol ,@arguments))))
      (1 `((funcall ',symbol ,@arguments)))
      (2 `((funcall #',symbol ,@arguments)))
      (3 `(,@(via 'apply) (apply ',symbol ',arguments)))
      (t `((,symbol ,@arguments))))))

(defun call ()
  "Call a function of the program."
  (destructuring-bind (kind symbol parameters)
      (nth (pick (length *functions*)) *functions*)
    (ecase kind
      (:generic
       (fueled `(,symbol (if (zerop (oracle:pick 2))
                             rp::*base*
                             rp::*derived*))))
      (:deep
       (fueled `(,symbol ,(1+ (pick (one-of 5 5 5 20 150))))))
      (:plain
       (let ((forms (plain-call symbol parameters)))
         (apply #'fueled
                (if (chance 88)
                    forms
                    `((multiple-value-prog1 (progn ,@forms)
                        (oracle:back d)
                        ,@(allocation))))))))))

(defun tail-call ()
  "A call of another plain function, for the end of a function.  (ECL makes a
loop of one of the same.)"
  (destructuring-bind (kind symbol parameters)
      (nth (pick (length *functions*)) *functions*)
    (and (eq kind :plain)
         (not (eq symbol *here*))
         `(progn ,@(plain-call symbol parameters)))))

(defun caller ()
  "A function of the library that calls what it is given."
  (let ((symbol (one-of 'rp::c-call 'rp::b-call
                        'rp::c-call-twice 'rp::b-call-twice
                        'rp::c-call-and-cons 'rp::b-call-and-cons
                        'rp::c-call-protected 'rp::b-call-protected
                        'rp::c-catch-and-call 'rp::b-catch-and-call
                        'rp::c-call-back)))
    (when (eq symbol 'rp::c-call-back)
      (setf (program-rehearsed *program*) t))
    symbol))

(defun call-of-lambda ()
  `(,@(function-object)
    (,(caller) ,(lambda-form '()))
    (oracle:back d)))

(defun mapping ()
  "A function of the runtime calls a lambda."
  (flet ((form (names form)
           `(,@(function-object) ,@(apply #'via names) ,form
             (oracle:back d))))
    (ecase (pick 6)
      (0 (form '(mapcar)
               `(locally (declare (notinline mapcar))
                  (mapcar ,(lambda-form '(x) :after (conses 1)) '(1 2)))))
      (1 (form '(mapc)
               `(locally (declare (notinline mapc))
                  (mapc ,(lambda-form '(x)) '(1 2 3)))))
      (2 (form '(reduce)
               `(reduce ,(lambda-form '(x y) :value 'x) '(1 2 3))))
      (3 (form '(find-if find)
               `(find-if ,(lambda-form '(x)
                                       :before (via 'si::unsafe-funcall1)
                                       :after '((oracle:end)))
                         '(1 2))))
      (4 `(,@(apply #'via (by-mode '(list) (forced 'list)))
           (rp::keep (list 3 1 2))
           ,@(conses 3)
           (oracle:back d)
           ,@(form '(sort si::list-merge-sort si::list-merge-sort)
                   `(sort rp::*kept* #'<
                          :key ,(lambda-form '(x) :value 'x
                                             :before
                                             '((oracle:merge-turn)))))))
      (5 `(,@(via 'vector)
           (rp::keep (vector 3 1 2))
           ,@(conses 3)
           ,@(via 'si::fill-array-with-seq 'array-dimensions)
           ,@(conses 1)
           (oracle:back (1+ d))         ; to VECTOR
           ,@(via 'si:make-vector)
           ,(made "(SIMPLE-ARRAY T)" 1 (+ 48 (* 3 8)))
           (oracle:back d)
           ,@(form '(sort si::quick-sort)
                   `(sort rp::*kept* #'<
                          :key ,(lambda-form '(x) :value 'x))))))))

(defun local-functions ()
  "FLET or LABELS, and statements that call what it defines."
  (let* ((operator (one-of 'flet 'labels))
         (symbol (new-symbol "L"))
         (parameters (one-of '() '(x) '(x y)))
         (call `(,symbol ,@(arguments parameters)))
         (body (let ((*handling* nil)
                     (*no-handler* 0)
                     (*local-calls* (if (eq operator 'labels)
                                        (list call)
                                        '())))
                 (statements)))
         (*local-calls* (cons call *local-calls*)))
    `(,@(by-mode '() `(,@(conses 1) ,@(function-object)))
      (,operator ((,symbol ,parameters
                    (declare (ignorable ,@parameters))
                    ,(activation `(,operator ,symbol :in ,*here*)
                                 parameters body)))
        (declare (notinline ,symbol))
        ,call
        (oracle:back d)
        ,@(statements)))))

(defun local-call ()
  (if *local-calls*
      (fueled (nth (pick (length *local-calls*)) *local-calls*))
      (call)))

(defun make-closure ()
  "A closure for others to call."
  (let ((variable (new-symbol "V")))
    `((let ((,variable 0))
        ,@(conses (by-mode 1 2))
        ,@(function-object t)
        (setf rp::*closure*
              ,(lambda-form '()
                            :forms `(,@(apply #'via (forced 'cons))
                                     (setf ,variable (cons 1 2))
                                     ,@(conses 1)
                                     (oracle:back d)
                                     ,@(in-new-activation (statements)))))))))

(defun call-closure ()
  `((when rp::*closure*
      ,@(fueled '(funcall rp::*closure*)))))

;;; Jumps

(defun tag ()
  (one-of ''rp::first-tag ''rp::second-tag ''rp::third-tag))

(defun sometimes (n &rest forms)
  `((when (zerop (oracle:pick ,n)) ,@forms)))

(defun catching ()
  `(,@(conses (by-mode 0 2))
    (catch ,(tag) ,@(statements))
    ,@(come-back)))

(defun throwing ()
  (sometimes 4 `(throw ,(tag) nil)))

(defun protecting ()
  `((unwind-protect (progn ,@(statements))
      ,@(come-back)
      ,@(statements))))

(defun jumping-lambda (jump)
  "A call of a lambda that may leave by the form JUMP."
  `(,@(conses (by-mode 1 2))            ; for the block or tag
    ,@(function-object t)
    (,(caller)
     ,(lambda-form '() :forms (in-new-activation
                                `(,@(statements)
                                  ,@(sometimes 2 jump)
                                  ,@(statements)))))
    ,@(come-back)))

(defun block-and-return ()
  (let ((block (new-symbol "B")))
    `((block ,block
        ,@(jumping-lambda `(return-from ,block nil))
        ,@(statements))
      ,@(come-back))))

(defun tagbody-and-go ()
  (let ((tag (new-symbol "T")))
    `((tagbody
         ,@(jumping-lambda `(go ,tag))
         ,@(statements)
         ,tag
         ,@(come-back)
         ,@(statements)))))

(defun handling-errors ()
  (if (or *handling* *forced*)
      (handling-notes)
      (let ((*handling* t))
        `(,@(function-object t)
          ,@(conses (by-mode 4 9))
          (oracle:handle d ,(by-mode -1 (name `(lambda :in ,*here*))))
          (handler-case (progn ,@(statements))
            (rp::trouble ()
              (oracle:back d)
              (oracle:handle d ,*no-handler*)
              ,@(statements)))
          (oracle:back d)
          (oracle:handle d ,*no-handler*)))))

(defun signalling-error ()
  `((unless (zerop (oracle:handler))
      ,@(sometimes 3
                   `(progn
                      ,@(via 'error 'funcall 'si:universal-error-handler)
                      ,@(conses 2)
                      (oracle:reach-handler ,(name 'signal))
                      (error rp::*trouble*))))))

(defun note-handler ()
  "The body of a handler.  While it runs, the handlers that were established
later are not in effect; so no errors here but those that are handled here."
  (in-new-activation
    (let ((*no-handler* -2))
      `((oracle:handle d -2)
        ,@(statements)))))

(defun handling-notes ()
  "HANDLER-BIND makes its lists in the function, where nothing is FORCED."
  (if *forced*
      (call-of-lambda)
      `(,@(function-object)
        ,@(conses 3)
        (handler-bind ((rp::note ,(lambda-form '(c) :forms (note-handler))))
          ,@(statements)))))

(defun signalling-note ()
  (apply #'fueled `(,@(via 'signal) (signal rp::*note*))))

(defun interrupting ()
  "An interrupt, which may throw, waits for the end of WITHOUT-INTERRUPTS.  Only
compiled: for the interpreter that form has variables of its own."
  (setf (program-rehearsed *program*) t)
  (if *compiled*
      `(,@(function-object)
        (mp:without-interrupts
          ,@(via 'mp:interrupt-process)
          (mp:interrupt-process mp:*current-process* ,(lambda-form '()))
          ,@(conses 1)
          (oracle:back d)
          ,@(allocation)
          ,@(via 'si:check-pending-interrupts))
        ,@(come-back))
      (call-of-lambda)))

;;; The rest

(defun binding-variable ()
  (let ((variable (new-symbol "V")))
    `(,@(apply #'via (forced 'cons))
      (let ((,variable (cons 1 2)))
        ,@(conses 1)
        (oracle:back d)
        ,@(conses (by-mode 0 2))
        (rp::keep ,variable)
        ,@(statements)))))

(defun binding-special ()
  `((let ((rp::*special* ,(pick 10)))
      ,@(statements))))

(defun choosing ()
  `((if (zerop (oracle:pick 2))
        (progn ,@(statements))
        (progn ,@(statements)))))

(defun redefining ()
  "Two functions of the program exchange their definitions."
  (let* ((plain (remove :plain *functions* :key #'first :test-not #'eq))
         (one (nth (pick (length plain)) plain))
         (other (find (length (third one)) (remove one plain)
                      :key (lambda (function) (length (third function))))))
    (if other
        `((rp::exchange ',(second one) ',(second other)))
        '())))

(defun collecting ()
  (if *collect*
      (sometimes 3 '(ext:gc))
      '()))

(defparameter *simple-statements*
  '(allocation allocation allocation call call call local-call call-closure
    throwing signalling-error signalling-note redefining collecting))

(defparameter *nesting-statements*
  '(call-of-lambda call-of-lambda mapping local-functions make-closure catching
    protecting block-and-return tagbody-and-go handling-errors handling-notes
    interrupting binding-variable binding-special choosing))

(defun statement ()
  (funcall (if (chance (case *nesting* (1 45) (2 30) (3 15) (t 0)))
               (nth (pick (length *nesting-statements*))
                    *nesting-statements*)
               (nth (pick (length *simple-statements*))
                    *simple-statements*))))

(defun statements ()
  "Forms of a few statements."
  (let ((*nesting* (1+ *nesting*)))
    (loop repeat (if (= *nesting* 1) (+ 2 (pick 4)) (pick 4))
          append (statement))))
