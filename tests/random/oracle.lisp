;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; oracle.lisp -- what a program itself knows about its allocations.
;;;;
;;;; Model.  Each function of a random program says when it is entered and
;;;; left, and each allocation says of which type and how large it was.  From
;;;; that the oracle keeps a stack of its own, and the calling context tree
;;;; that an exact profile must equal: for each chain of functions the objects
;;;; and bytes of each type, and how many activations of the last function led
;;;; to an allocation.  It never looks at the machine's stack.
;;;;
;;;; Jumps.  A place that a jump can come back to says BACK with the depth
;;;; that its function had on entry; what was above is gone.
;;;;
;;;; Invariants.  What runs while the profiler counts allocates nothing: all
;;;; state is in arrays of fixnums, one set for each thread.  A node of the
;;;; tree is a name (function or type) below a parent; only nodes of types
;;;; have counts.
;;;;
;;;; Limits.  What runs out of an array stops the program with an error; the
;;;; generator's fuel keeps programs far below that.

(defpackage #:oracle
  (:use #:common-lisp)
  (:export #:*state* #:make-state #:begin #:pick #:fuel-p
           #:enter #:via #:leave #:end #:back
           #:conses #:object #:merge-turn #:handle #:handler
           #:reach-handler #:map-nodes #:node-name #:node-parent #:weight))

(in-package #:oracle)

(deftype words () '(simple-array fixnum (*)))

(eval-when (:compile-toplevel :load-toplevel :execute)
  (defconstant +nodes+ 60000)
  (defconstant +depth+ 8000))

(defun words (n)
  (make-array n :element-type 'fixnum :initial-element 0))

;; Registers.
(defconstant +sp+ 0 "Index of the top of the stack.")
(defconstant +count+ 1 "Nodes so far.")
(defconstant +random+ 2 "State of the random numbers.")
(defconstant +fuel+ 3 "Calls that may still be made.")

(defstruct (state (:constructor make-state ()))
  (registers (words 4) :type words)
  ;; The stack: for each activation its node, whether it has led to an
  ;; allocation, a counter that it may use, and the error handler that it has
  ;; established: a name, -1 for one without a function of its own, 0 for
  ;; none, -2 if those of its callers are not in effect.
  (nodes (words +depth+) :type words)
  (allocated (words +depth+) :type words)
  (turns (words +depth+) :type words)
  (handlers (words +depth+) :type words)
  ;; The tree.
  (name (words +nodes+) :type words)
  (parent (words +nodes+) :type words)
  (first-child (words +nodes+) :type words)
  (sibling (words +nodes+) :type words)
  (objects (words +nodes+) :type words)
  (bytes (words +nodes+) :type words)
  (activations (words +nodes+) :type words))

(defvar *state* (make-state)
  "The oracle of this thread.")

(declaim (type state *state*))

(eval-when (:compile-toplevel)
  (proclaim '(optimize (speed 3) (safety 0) (debug 0))))

(defmacro with-registers ((&rest names) &body body)
  `(let* ((state *state*)
          (registers (state-registers state)))
     (declare (type state state) (type words registers) (ignorable registers))
     (symbol-macrolet ,(loop for (name index) in names
                             collect `(,name (aref registers ,index)))
       ,@body)))

(defun begin (seed fuel)
  "Forget everything; random numbers begin with SEED."
  (declare (type fixnum seed fuel))
  (with-registers ((sp +sp+) (count +count+) (random +random+) (left +fuel+))
    (setf sp 0
          count 1
          random seed
          left fuel)
    (setf (aref (state-first-child state) 0) 0
          (aref (state-allocated state) 0) 1
          (aref (state-nodes state) 0) 0)
    nil))

(defun child (state parent name)
  "The node NAME below PARENT."
  (declare (type state state) (type fixnum parent name))
  (let ((names (state-name state))
        (siblings (state-sibling state))
        (registers (state-registers state))
        (node (aref (state-first-child state) parent)))
    (declare (type words names siblings registers) (type fixnum node))
    (loop until (or (zerop node) (= (aref names node) name))
          do (setf node (aref siblings node)))
    (when (zerop node)
      (setf node (aref registers +count+))
      (when (>= node (1- +nodes+))
        (error "the program has too many contexts"))
      (setf (aref registers +count+) (1+ node)
            (aref names node) name
            (aref (state-parent state) node) parent
            (aref siblings node) (aref (state-first-child state) parent)
            (aref (state-first-child state) parent) node
            (aref (state-first-child state) node) 0
            (aref (state-objects state) node) 0
            (aref (state-bytes state) node) 0
            (aref (state-activations state) node) 0))
    node))

(defun object (type n bytes)
  "N objects of the type named TYPE, of BYTES bytes in all, were allocated."
  (declare (type fixnum type n bytes))
  (with-registers ((sp +sp+))
    (let ((nodes (state-nodes state))
          (allocated (state-allocated state))
          (activations (state-activations state))
          (leaf 0))
      (declare (type words nodes allocated activations) (type fixnum leaf))
      (loop for i of-type fixnum from sp downto 0
            while (zerop (aref allocated i))
            do (setf (aref allocated i) 1)
               (incf (aref activations (aref nodes i))))
      (setf leaf (child state (aref nodes sp) type))
      (incf (aref (state-objects state) leaf) n)
      (incf (aref (state-bytes state) leaf) bytes)
      nil)))

(defun conses (n)
  "The function on top allocated N conses."
  (declare (type fixnum n))
  (if (zerop n) nil (object 0 n (* 16 n))))

(defun enter (name n)
  "The function NAME was called, and N conses were allocated in it so far.  The
depth of its activation."
  (declare (type fixnum name n))
  (with-registers ((sp +sp+))
    (let ((top (1+ sp)))
      (declare (type fixnum top))
      (when (>= top +depth+)
        (error "the program is too deep"))
      (setf (aref (state-nodes state) top)
            (child state (aref (state-nodes state) sp) name)
            (aref (state-allocated state) top) 0
            (aref (state-turns state) top) 0
            (aref (state-handlers state) top) 0
            sp top)
      (unless (zerop n)
        (object 0 n (* 16 n)))
      top)))

(defun via (name)
  "A function NAME of the runtime is about to be called."
  (enter name 0))

(defun end ()
  "The activation on top returns."
  (with-registers ((sp +sp+))
    (decf sp)
    nil))

(defun leave (depth)
  "The activation at DEPTH returns, and gives back NIL."
  (declare (type fixnum depth))
  (with-registers ((sp +sp+))
    (setf sp (1- depth))
    nil))

(defun back (depth)
  "The activation at DEPTH goes on: all that it called has ended."
  (declare (type fixnum depth))
  (with-registers ((sp +sp+))
    (setf sp depth)
    nil))

(defun handle (depth handler)
  "The activation at DEPTH has HANDLER for errors from now on."
  (declare (type fixnum depth handler))
  (with-registers ()
    (setf (aref (state-handlers state) depth) handler)
    nil))

(defun handler ()
  "The handler of the innermost activation that has one.  0 when there is none,
or when an activation with -2, which hides others, comes first."
  (with-registers ((sp +sp+))
    (let ((handlers (state-handlers state)))
      (declare (type words handlers))
      (loop for i of-type fixnum from sp above 0
            unless (zerop (aref handlers i))
              do (return (if (= -2 (aref handlers i)) 0 (aref handlers i)))
            finally (return 0)))))

(defun reach-handler (signal)
  "An error reaches its handler: the function SIGNAL calls a function of the
handler's, if it has one, which takes two conses."
  (declare (type fixnum signal))
  (let ((name (handler)))
    (declare (type fixnum name))
    (when (plusp name)
      (enter signal 0)
      (enter name 2))
    nil))

(defun merge-turn ()
  "SORT takes a key of a list of three.  It takes two while it sorts the last
two elements, on an inner level; then it makes a cons and takes the others."
  (with-registers ((sp +sp+))
    (when (= 3 (incf (aref (state-turns state) sp)))
      (decf sp)
      (object 0 1 16))
    nil))

(defun pick (n)
  "A random number below N."
  (declare (type fixnum n))
  (with-registers ((random +random+))
    ;; a full period modulo 2^32 (Numerical Recipes), in fixnums; the low bits
    ;; are poor
    (setf random (logand (+ (* random 1664525) 1013904223) #xFFFFFFFF))
    (mod (ash random -12) n)))

(defun fuel-p ()
  "May one more call be made?"
  (with-registers ((sp +sp+) (left +fuel+))
    (and (plusp left)
         (< sp (- +depth+ 400))
         (progn (decf left) t))))

;;; Reading; allocates.

(defun map-nodes (function state)
  "Call FUNCTION with each node, its objects, bytes and activations."
  (loop for node from 1 below (aref (state-registers state) +count+)
        do (funcall function node
                    (aref (state-objects state) node)
                    (aref (state-bytes state) node)
                    (aref (state-activations state) node))))

(defun node-name (state node)
  (aref (state-name state) node))

(defun node-parent (state node)
  (aref (state-parent state) node))

(defun weight (state)
  "The sum of the depths of all nodes of types: how long all chains are."
  (let ((sum 0))
    (map-nodes (lambda (node objects bytes activations)
                 (declare (ignore bytes activations))
                 (when (plusp objects)
                   (loop until (zerop node)
                         do (incf sum)
                            (setf node (node-parent state node)))))
               state)
    sum))
