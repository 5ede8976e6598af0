;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; budget.lisp -- limit the allocations of a body.
;;;;
;;;; If no profile is running, the body is profiled.  A running profile
;;;; continues, and the totals before and after the body are compared.  This
;;;; allocates nothing, so only the program is counted.  If the budget is
;;;; exceeded, the difference of two profiles shows which functions allocated
;;;; too much.  A snapshot for the first one was taken before the body ran.

(in-package #:mprof)

(defmacro allocated-by (&body body)
  "Run BODY and return two integers: the number of objects and the number of
bytes that it allocated.  The values of BODY are discarded.

All threads are counted, and so are the conses that interpreted code makes for
variables.  Earlier figures are reset, unless a profile is running; BODY then
becomes part of that profile.

Example: (mprof:allocated-by (list 1 2 3))  =>  3, 48"
  `(call-allocated-by (profiled-body ,@body)))

(defun call-allocated-by (function)
  "Call FUNCTION the way ALLOCATED-BY runs its body."
  (let ((nested (active-p)))
    (unless nested (reset))
    (let ((allocations (allocations))
          (bytes (bytes)))
      (if nested
          (funcall function)
          (call-counting function (options 0)))
      (values (- (allocations) allocations) (- (bytes) bytes)))))

;;; Budgets

(defun over-p (used-allocations used-bytes allocations bytes)
  "True if USED-ALLOCATIONS and USED-BYTES exceed the budget of ALLOCATIONS and
BYTES, either of which may be NIL."
  (or (and allocations (> used-allocations allocations))
      (and bytes (> used-bytes bytes))))

(defun check-use (bytes allocations live name old new)
  "Signal ALLOCATION-BUDGET-EXCEEDED if a body exceeded the budget of BYTES and
ALLOCATIONS, or else of LIVE, for the function NAME; each may be NIL.  NEW is the
profile at the end of the body, OLD the one at its beginning, or NIL."
  (flet ((below (profile)
           (and profile
                (part profile (and name (list :focus (exact-regex name))))))
         (own-functions (profile)
           (and profile
                (data:figure :functions (part profile '(:system :hide)))))
         (key (key)
           (if live (live-key key) key)))
    (let* ((old-part (below old))
           (new-part (below new))
           (use (changes old-part new-part (key :allocations) (key :bytes)))
           (used-allocations (getf use :allocations))
           (used-bytes (getf use :bytes)))
      (when (over-p used-allocations used-bytes (or live allocations) bytes)
        (with-simple-restart (continue "Take the budget as kept.")
          (error 'allocation-budget-exceeded
                 :figures
                 (list :allocations used-allocations :bytes used-bytes
                       :budget (list* :bytes bytes :allocations allocations
                                      :function name
                                      (and live (list :live live)))
                       :functions (differences (own-functions old-part)
                                               (own-functions new-part)
                                               :allocations
                                               (key :self-allocations)
                                               :bytes (key :self-bytes))
                       :profile new
                       :holders (and live (data:figure :holders new)))))))))

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
        (check-use bytes allocations nil name nil (load-profile)))
      (when live
        (check-use nil nil live name nil (load-profile nil :holders t))
        (reset)))))                     ; stops following objects

(defun end-budget (old old-allocations old-bytes bytes allocations function)
  "End a budget of BYTES and ALLOCATIONS for FUNCTION that began when
OLD-ALLOCATIONS and OLD-BYTES had been counted, in the snapshot OLD.  Allocates
nothing if the budget was kept."
  (let ((new-allocations (allocations))
        (new-bytes (bytes))
        (new 0))
    (when (over-p (- new-allocations old-allocations) (- new-bytes old-bytes)
                  allocations bytes)
      (protected
       (setf new (take-snapshot '(0)))
       (if (or (eql old 0) (eql new 0))
           (fail "a budget was exceeded, but memory is too short to find by whom")
           (check-use bytes allocations nil
                      (and function (displayed-name function))
                      (profile-of-snapshot old old-allocations old-bytes)
                      (profile-of-snapshot new new-allocations new-bytes)))
       (drop-snapshot new)))))

(defmacro with-allocation-budget (&whole form &optional limits &body body)
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
  (check-head (options-p limits) form "a list of options and values, or (),")
  (let* ((old (gensym "OLD"))
         (old-allocations (gensym "OLD-ALLOCATIONS"))
         (old-bytes (gensym "OLD-BYTES"))
         (keys '(:bytes :allocations :live :function))
         (names (loop for nil in keys collect (gensym "LIMIT"))))
    (check-options 'with-allocation-budget limits keys)
    `(let ,(loop for key in keys for name in names
                 collect (list name (getf limits key)))
       (flet ((budget-body ()           ; no object, unlike LAMBDA
                (declare (si::frame-name "profiled body"))
                ,@body))
         (if (active-p)
             (let ((,old 0)
                   (,old-allocations 0)
                   (,old-bytes 0))
               (check-budget ,@names t)
               (protected
                (setf ,old (take-snapshot '(0))
                      ,old-allocations (allocations)
                      ,old-bytes (bytes))
                (multiple-value-prog1 (budget-body)
                  (end-budget ,old ,old-allocations ,old-bytes
                              ,(first names) ,(second names)
                              ,(fourth names)))
                (drop-snapshot ,old)))
             (call-with-allocation-budget (lambda () (budget-body))
                                          ,@names))))))
