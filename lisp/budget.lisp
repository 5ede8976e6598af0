;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; budget.lisp -- limit the allocations of a body.
;;;;
;;;; If no profile is running, the body is profiled.  A running profile
;;;; continues, and the totals before and after the body are compared.  This
;;;; allocates nothing, so only the program is counted.  If the budget is
;;;; exceeded, the difference of two profiles shows which functions allocated
;;;; too much.  The first one, the baseline, was made before the body ran.

(in-package #:mprof)

(defmacro allocated-by (&body body)
  "Run BODY and return two integers: the number of objects and the number of
bytes that it allocated.  The values of BODY are discarded.

All threads are counted, and so are the conses that interpreted code makes for
variables.  Earlier figures are reset, unless a profile is running; BODY then
becomes part of that profile.

Example: (mprof:allocated-by (list 1 2 3))  =>  3, 48"
  `(call-allocated-by (lambda () ,@body)))

(defun call-allocated-by (function)
  "Call FUNCTION the way ALLOCATED-BY runs its body."
  (if (active-p)
      (let ((allocations (allocations))
            (bytes (bytes)))
        (funcall function)
        (values (- (allocations) allocations)
                (- (bytes) bytes)))
      (progn
        (reset)
        (call-counting function (options 0))
        (values (allocations) (bytes)))))

;;; Budgets

(defun over-p (used-allocations used-bytes allocations bytes)
  "True if USED-ALLOCATIONS and USED-BYTES exceed the budget of ALLOCATIONS and
BYTES, either of which may be NIL."
  (or (and allocations (> used-allocations allocations))
      (and bytes (> used-bytes bytes))))

(defun part-below (profile name)
  "Return the part of PROFILE that was allocated by the function NAME and its
callees; all of PROFILE if NAME is NIL."
  (part profile (and name (list :focus (exact-regex name)))))

(defun signal-exceeded (&rest figures)
  "Signal ALLOCATION-BUDGET-EXCEEDED with FIGURES."
  (with-simple-restart (continue "Take the budget as kept.")
    (error 'allocation-budget-exceeded :figures figures)))

(defun signal-over (allocations bytes name old new)
  "Signal ALLOCATION-BUDGET-EXCEEDED if a body exceeded the budget of
ALLOCATIONS, BYTES and the function NAME; each may be NIL.  NEW is the profile
at the end of the body, OLD the one at its beginning, or NIL."
  (let ((new-part (part-below new name))
        (old-part (and old (part-below old name))))
    (destructuring-bind (used-allocations used-bytes)
        (loop for key in '(:allocations :bytes)
              collect (- (data:figure key new-part)
                         (if old (data:figure key old-part) 0)))
      (when (over-p used-allocations used-bytes allocations bytes)
        (signal-exceeded :allocations used-allocations :bytes used-bytes
                         :budget (list :bytes bytes :allocations allocations
                                       :function name)
                         :functions (function-differences old-part new-part)
                         :profile new :holders nil)))))

(defun signal-over-live (live name profile)
  "Signal ALLOCATION-BUDGET-EXCEEDED if more than LIVE objects of PROFILE are
alive.  NAME limits this to the objects made by that function and its callees,
unless it is NIL."
  (let* ((part (part-below profile name))
         (allocations (data:figure :live-allocations part)))
    (when (> allocations live)
      (signal-exceeded :allocations allocations
                       :bytes (data:figure :live-bytes part)
                       :budget (list :bytes nil :allocations nil :live live
                                     :function name)
                       :functions (differences
                                   nil (data:figure :functions part)
                                   :allocations :self-live-allocations
                                   :bytes :self-live-bytes)
                       :profile profile
                       :holders (data:figure :holders profile)))))

(defun check-budget (bytes allocations live function &optional nested)
  "Signal an error unless BYTES, ALLOCATIONS and LIVE are valid limits for
FUNCTION, in a running profile if NESTED is true."
  (check-argument function (or symbol cons string))
  (when (and function (si:valid-function-name-p function)
             (not (fboundp function)))
    (fail ":FUNCTION is ~S, which is not a function" function))
  (check-argument bytes (or null (integer 0)))
  (check-argument allocations (or null (integer 0)))
  (check-argument live (or null (integer 0)))
  (when (and live nested)
    (fail "a budget with :LIVE needs a profile of its own, but one is ~
           already running; call (mprof:stop) first")))

(defun call-with-allocation-budget (body bytes allocations live function)
  "Call BODY, a function without arguments, the way WITH-ALLOCATION-BUDGET runs
its body when no profile is running."
  (check-budget bytes allocations live function)
  (reset)
  (multiple-value-prog1 (call-counting body (options 0 nil nil live))
    (let ((name (and function (displayed-name function))))
      ;; The total is an upper bound for each function.
      (when (over-p (allocations) (bytes) allocations bytes)
        (signal-over allocations bytes name nil
                     (load-profile)))
      (when live
        (signal-over-live live name (load-profile nil :holders t))
        (reset)))))                     ; stops following objects

;;; In a running profile.  These functions allocate nothing as long as the
;;; budget is kept: a baseline is a list of one address, which also serves as
;;; the argument list of the bindings, and all baselines are made beforehand.

(defparameter *baseline-count* 32
  "The maximum number of baselines in use at a time.")

(defvar *baselines* (make-list *baseline-count* :initial-element 0)
  "The conses of the baselines that are not in use.")

(defvar *baselines-lock* (mp:make-lock :name "mprof baselines")
  "Held while *BASELINES* is read and changed.")

(defun take-baseline ()
  "Return a baseline of everything counted so far, or NIL if none is available.
Allocates nothing.  For PROTECTED, as is DROP-BASELINE."
  (let ((baseline nil))
    (mp:with-lock (*baselines-lock*)
      (setf baseline *baselines*
            *baselines* (rest baseline)))
    (when baseline
      (setf (rest baseline) nil
            (first baseline) (take-snapshot '(0)))
      (if (eql 0 (first baseline))
          (drop-baseline baseline)
          baseline))))

(defun drop-baseline (baseline)
  "Free BASELINE, which may be NIL, and return NIL.  Allocates nothing."
  (when baseline
    (unless (eql 0 (first baseline))
      (free-snapshot baseline))
    (mp:with-lock (*baselines-lock*)
      (setf (rest baseline) *baselines*
            *baselines* baseline)))
  nil)

(defun end-budget (baseline old-allocations old-bytes
                   bytes allocations function)
  "End a budget of BYTES and ALLOCATIONS for FUNCTION that began with BASELINE,
when OLD-ALLOCATIONS and OLD-BYTES had been counted."
  (let ((used-allocations (- (allocations) old-allocations))
        (used-bytes (- (bytes) old-bytes))
        (end nil))
    (when (over-p used-allocations used-bytes allocations bytes)
      (protected
       (setf end (and baseline (take-baseline)))
       (if end
           (signal-over allocations bytes
                        (and function (displayed-name function))
                        (profile-of-snapshot (first baseline) old-allocations
                                             old-bytes)
                        (profile-of-snapshot
                         (first end) (+ old-allocations used-allocations)
                         (+ old-bytes used-bytes)))
           (fail "a budget was exceeded, with ~D bytes in ~D allocations, but ~
                  the functions are unknown: budgets can only be nested ~D deep"
                 used-bytes used-allocations (floor *baseline-count* 2)))
       (drop-baseline end)))))

(defmacro with-allocation-budget (limits &body body)
  "Run BODY with LIMITS on its allocations, and return its values.  LIMITS is a
list of keywords and values:

:BYTES, :ALLOCATIONS (integers, default NIL): the numbers of bytes and objects
that BODY may request; NIL means no limit.
:LIVE (integer, default NIL): the number of these objects that may be alive
after BODY and a garbage collection.  It cannot be used while a profile is
running.  The collector is conservative: any word that looks like a reference
keeps an object alive.
:FUNCTION (a name as for MPROF.DATA:ROW, default NIL): apply the limits to this
function or its methods, and their callees, instead of all of BODY.

After BODY, signals ALLOCATION-BUDGET-EXCEEDED if a limit was exceeded.  The
restart CONTINUE returns the values of BODY.  A non-local exit signals nothing.

The macro counts and resets the same as ALLOCATED-BY.  A budget that is kept
adds nothing to a running profile, or an enclosing budget.  In compiled code, a
variable that BODY closes over is a cons made where it is bound, outside BODY.

Example: in a test of any framework,

   (fiveam:finishes
     (mprof:with-allocation-budget (:bytes 160) (parse *line*)))"
  (check-options 'with-allocation-budget limits
                 :bytes :allocations :live :function)
  (let* ((baseline (gensym "BASELINE"))
         (old-allocations (gensym "OLD-ALLOCATIONS"))
         (old-bytes (gensym "OLD-BYTES"))
         (keys '(:bytes :allocations :live :function))
         (names (loop for key in keys collect (gensym (symbol-name key)))))
    `(let ,(loop for key in keys for name in names
                 collect (list name (getf limits key)))
       (flet ((budget-body () ,@body))  ; no object, unlike LAMBDA
         (if (active-p)
             (let ((,baseline nil)
                   (,old-allocations 0)
                   (,old-bytes 0))
               (check-budget ,@names t)
               (protected
                (setf ,baseline (take-baseline)
                      ,old-allocations (allocations)
                      ,old-bytes (bytes))
                (multiple-value-prog1 (budget-body)
                  (end-budget ,baseline ,old-allocations ,old-bytes
                              ,(first names) ,(second names)
                              ,(fourth names)))
                (drop-baseline ,baseline)))
             (call-with-allocation-budget (lambda () (budget-body))
                                          ,@names))))))
