;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; generator.lisp -- what a random program is made of.
;;;;
;;;; A program is a list of functions (plain or generic) that call each other
;;;; in any way.  What a call does is decided when the program runs, by the
;;;; oracle's random numbers; the same seed there gives the same run.  A
;;;; program ends because each call of one of its functions takes a unit of
;;;; fuel, and all loops are counted.
;;;;
;;;; Each statement comes with what it tells the oracle (see oracle.lisp).
;;;; How many objects ECL makes for it depends on who compiled the function:
;;;; the interpreter takes two conses for each variable, block and catch tag,
;;;; and makes a closure of each lambda; the compiler takes none, and makes a
;;;; function object of a lambda that captures nothing.
;;;;
;;;; Invariants of the code that is made: the variable D of each function
;;;; holds the depth of its activation; when control comes back to a function,
;;;; (BACK
;;;; D) is said before it allocates again.  Only the lambda directly inside a
;;;; BLOCK or TAGBODY captures anything, so that the number of cells is known.
;;;; In one activation handlers for errors are not nested.
;;;;
;;;; Here are names, random numbers and function bodies; statements.lisp has
;;;; the statements, and programs.lisp puts functions and programs together.

(defpackage #:generator
  (:use #:common-lisp)
  (:export #:fixed-name #:make-program #:program #:program-seed
           #:program-definitions #:program-entry #:program-names
           #:program-symbols #:program-threads #:program-fuel
           #:program-compiled #:program-functions
           #:program-rehearsed))

(defpackage #:rp
  (:use #:common-lisp)
  (:documentation "Random programs and their library."))

(in-package #:generator)

;;; Names are numbers.  These have the same in all programs.

(defparameter *fixed-names*
  #("CONS"                              ; 0, as oracle.lisp has it
    "RP::C-CALL" "RP::B-CALL" "RP::C-CALL-TWICE" "RP::B-CALL-TWICE"
    "RP::C-CALL-AND-CONS" "RP::B-CALL-AND-CONS" "RP::C-CALL-PROTECTED"
    "RP::B-CALL-PROTECTED" "RP::C-CATCH-AND-CALL" "RP::B-CATCH-AND-CALL"
    "RP::C-CALL-BACK" "SI:CALL-CFUN" "(FFI:CALLBACK RP::COMPARE)"
    "RP::COMPARE"))

(defun fixed-name (name)
  "The number of NAME, a symbol or list."
  (or (position (mprof::displayed-name name) *fixed-names* :test #'string=)
      (error "no such name: ~S" name)))

;;; Random numbers of the generator (Knuth's MMIX); the low bits are poor.

(defvar *random* 1)

(defun pick (n)
  (setf *random* (mod (+ (* *random* 6364136223846793005)
                         1442695040888963407)
                      (ash 1 64)))
  (mod (ash *random* -33) n))

(defun chance (percent)
  (< (pick 100) percent))

(defun one-of (&rest choices)
  (nth (pick (length choices)) choices))

;;; A program

(defstruct (program (:constructor %make-program))
  seed
  compiled      ; does it have compiled functions?
  definitions   ; top-level forms
  entry         ; the function to call, without arguments
  names         ; a vector: names by their numbers
  symbols       ; what it defines
  rehearsed     ; does it call generic or foreign functions?  The first time
                ; in a thread that allocates
  functions     ; how many functions it has
  threads       ; how many besides the main one run it; 0 for most
  fuel)

(defvar *program*)
(defvar *functions* nil "What may be called: lists (KIND SYMBOL PARAMETERS).")
(defvar *here* nil "The name of the function that is being made.")
(defvar *compiled* nil "Is it compiled?")
(defvar *forced* nil "Is its body in an OUT-OF-LINE declaration?")

(defvar *newer* (string/= (lisp-implementation-version) "21" :end1 2)
  "Is it ECL 24.5.10?  What its interpreter makes for a lambda depends on the
variables and functions that the lambda refers to, which is not followed here;
so no function is for the interpreter.")
(defvar *nesting* 0 "Statements around this one.")
(defvar *handling* nil
  "Is this inside a HANDLER-CASE of the same activation?")
(defvar *no-handler* 0
  "What the oracle takes for the handler of this activation when it has none.")
(defvar *local-calls* nil "Forms that call the local functions in scope.")
(defvar *collect* nil "May a program call the collector?")

(defun name (name)
  "The number of the function or type NAME in this program."
  (let ((name (mprof::displayed-name name))
        (names (program-names *program*)))
    (or (position name names :test #'string=)
        (vector-push-extend name names))))

(defun new-symbol (prefix)
  (let ((symbol (intern (format nil "~A~D/~D" prefix
                                (length (program-symbols *program*))
                                (program-seed *program*))
                        '#:rp)))
    (push symbol (program-symbols *program*))
    symbol))

(defun via (&rest names)
  "Forms that say: functions NAMES of the runtime are called, each by the last."
  (loop for name in names
        collect `(oracle:via ,(name name))))

(defun made (type n bytes)
  `(oracle:object ,(name type) ,n ,bytes))

(defun conses (n)
  (if (zerop n) '() `((oracle:conses ,n))))

(defun by-mode (compiled bytecode)
  (if *compiled* compiled bytecode))

(defun forced (name)
  "A list of NAME, a function that is called only with OUT-OF-LINE."
  (if *forced* (list name) '()))

(defun come-back ()
  "Forms for a place that a jump can come to."
  `((oracle:back d)
    ,@(if *handling* '() `((oracle:handle d ,*no-handler*)))))

(defun activation (name parameters forms &key value tail-call)
  "The body of the function NAME; its last form is VALUE, or TAIL-CALL while
there is fuel."
  `(let ((d (oracle:enter ,(name name)
                          ,(by-mode 0 (* 2 (1+ (length parameters)))))))
     ,@forms
     ,@(if tail-call
           `((if (oracle:fuel-p) ,tail-call (oracle:leave d)))
           `((oracle:leave d)
             ,value))))

(defmacro in-new-activation (&body body)
  `(let ((*handling* nil) (*no-handler* 0) (*local-calls* nil))
     ,@body))

(defun lambda-form (parameters &key value before after (forms nil given))
  "A lambda.  Its body is FORMS or made here; BEFORE and AFTER are forms that
speak for its caller."
  (let ((forms (if given forms (in-new-activation (statements)))))
    `(lambda ,parameters
       (declare (ignorable ,@parameters))
       ,@before
       ,(activation `(lambda :in ,*here*) parameters forms
                    :value `(progn ,@after ,value)))))

(defun function-object (&optional captures)
  "Forms that count the object that a lambda evaluates to."
  (list (cond ((not *compiled*) (made "CLOSURE" 1 32))
              (captures (made "CLOSURE" 1 48))
              (t (made "COMPILED-FUNCTION" 1 (if *newer* 48 56))))))
