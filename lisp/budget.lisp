;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; budget.lisp -- how much a body may allocate.
;;;;
;;;; Two ways to count.  When nothing is counted yet, the body is profiled.
;;;; Where a profile is running, it goes on, and the totals before and after the
;;;; body are compared; that allocates nothing, so that the profile, and budgets
;;;; around this one, have the program alone, until the budget is exceeded.
;;;; Who allocated too much is then the difference of two profiles, the first of
;;;; which, the baseline, was made before the body ran.

(in-package #:mprof)

(defmacro allocated-by (&body body)
  "Run BODY and give back how many objects it allocated, and as the second value
how many bytes; integers.  BODY's own values are dropped.

All threads are counted.  What was counted before is forgotten, unless a profile
is running, which BODY then is a part of.  Code that is not compiled conses for
its variables, and that is counted.

Example: (mprof:allocated-by (list 1 2 3))  =>  3, 48"
  `(call-allocated-by (lambda () ,@body)))

(defun call-allocated-by (function)
  "Call FUNCTION as ALLOCATED-BY runs its body."
  (if (c:monitor-active-p)
      (let ((allocations (c:monitor-allocations))
            (bytes (c:monitor-bytes)))
        (funcall function)
        (values (- (c:monitor-allocations) allocations)
                (- (c:monitor-bytes) bytes)))
      (progn
        (reset)
        (call-counting function (options 0))
        (values (allocations) (bytes)))))

;;; Budgets

(defun over-p (used-allocations used-bytes allocations bytes)
  "True when so many allocations and bytes exceed the budget of ALLOCATIONS and
BYTES, each maybe NIL."
  (or (and allocations (> used-allocations allocations))
      (and bytes (> used-bytes bytes))))

(defun part-below (profile name)
  "What the function NAME, a string or NIL, and all below it allocated in
PROFILE."
  (if name
      (filter-profile profile :focus (exact-regex (list name)))
      profile))

(defun signal-over (used-allocations used-bytes allocations bytes name old new)
  "Signal ALLOCATION-BUDGET-EXCEEDED: a body used so much and exceeds the budget
of ALLOCATIONS and BYTES for the function NAME, each maybe NIL.  NEW is the
profile of all that was counted until its end, and OLD, maybe NIL, that until
its beginning.  Does nothing when the function NAME keeps the budget."
  (let ((new-part (part-below new name))
        (old-part (and old (part-below old name))))
    (when name
      (setf used-allocations (- (data:allocations new-part)
                                (if old (data:allocations old-part) 0))
            used-bytes (- (data:bytes new-part)
                          (if old (data:bytes old-part) 0))))
    (when (over-p used-allocations used-bytes allocations bytes)
      (with-simple-restart (continue "Take the budget as kept.")
        (error 'allocation-budget-exceeded
               :allocations used-allocations :bytes used-bytes
               :budget (list :bytes bytes :allocations allocations
                             :function name)
               :profile new
               :functions (function-differences old-part new-part))))))

(defun signal-over-live (live name profile)
  "Signal ALLOCATION-BUDGET-EXCEEDED unless at most LIVE objects of PROFILE that
the function NAME, maybe NIL, and all below it made are alive."
  (let* ((part (part-below profile name))
         (allocations (data:live-allocations part)))
    (when (> allocations live)
      (with-simple-restart (continue "Take the budget as kept.")
        (error 'allocation-budget-exceeded
               :allocations allocations :bytes (data:live-bytes part)
               :budget (list :bytes nil :allocations nil :live live
                             :function name)
               :profile profile :holders (data:holders profile)
               :functions (differences nil (data:functions part) #'data:name
                                       #'data:self-live-allocations
                                       #'data:self-live-bytes))))))

(defun check-budget (bytes allocations live)
  "Signal an error unless BYTES, ALLOCATIONS and LIVE are a budget."
  (check-type bytes (or null (integer 0)))
  (check-type allocations (or null (integer 0)))
  (check-type live (or null (integer 0))))

(defun call-with-allocation-budget (body bytes allocations live function)
  "Call BODY, a function without arguments, as WITH-ALLOCATION-BUDGET runs its
body when nothing is counted yet."
  (check-budget bytes allocations live)
  (reset)
  (multiple-value-prog1 (call-counting body (options 0 nil nil live))
    (let ((name (and function (displayed-name function))))
      ;; What one function allocates is part of what all do.
      (when (over-p (allocations) (bytes) allocations bytes)
        (signal-over (allocations) (bytes) allocations bytes name nil
                     (profile)))
      (when live
        (signal-over-live live name (profile nil :holders t))
        (reset)))))                     ; ends the following

;;; In a profile that goes on.  As long as the budget is kept these allocate
;;; nothing: a baseline is a list of one address, which the bindings take for
;;; their arguments, and all of these are made beforehand.

(defparameter *baseline-count* 32
  "There are so many baselines at a time.")

(defvar *baselines* (make-list *baseline-count* :initial-element 0)
  "The conses of those that are not in use.")

(defvar *baselines-lock* (mp:make-lock :name "mprof baselines")
  "Held while *BASELINES* is looked at and changed.")

(defun take-baseline ()
  "A baseline with all that was counted until now, or NIL when it cannot be had.
Allocates nothing."
  (let ((baseline nil))
    (mp:with-lock (*baselines-lock*)
      (setf baseline *baselines*
            *baselines* (rest baseline)))
    (when baseline
      (setf (rest baseline) nil
            (first baseline) (c:take-snapshot '(0)))
      (if (eql 0 (first baseline))
          (drop-baseline baseline)
          baseline))))

(defun drop-baseline (baseline)
  "Give back BASELINE.  Allocates nothing.  The value is NIL."
  (unless (eql 0 (first baseline))
    (c:free-snapshot baseline))
  (mp:with-lock (*baselines-lock*)
    (setf (rest baseline) *baselines*
          *baselines* baseline))
  nil)

(defun begin-budget (bytes allocations live)
  "Begin a budget of BYTES and ALLOCATIONS: the values are a baseline, and how
many objects and bytes were counted before.  LIVE has to be NIL."
  (check-budget bytes allocations live)
  (when live
    (fail "a budget with :LIVE begins a profile of its own, and one runs ~
           already; call (mprof:stop) before"))
  (values (take-baseline) (c:monitor-allocations) (c:monitor-bytes)))

(defun end-budget (baseline old-allocations old-bytes
                   bytes allocations function)
  "End a budget of BYTES and ALLOCATIONS for FUNCTION that began with the values
BASELINE, OLD-ALLOCATIONS and OLD-BYTES of BEGIN-BUDGET."
  (let ((used-allocations (- (c:monitor-allocations) old-allocations))
        (used-bytes (- (c:monitor-bytes) old-bytes)))
    (when (over-p used-allocations used-bytes allocations bytes)
      (let ((end (and baseline (take-baseline))))
        (unless end
          (fail "a budget was exceeded, with ~D bytes in ~D allocations, and ~
                 it is not known by whom: budgets may be nested ~D deep"
                used-bytes used-allocations (floor *baseline-count* 2)))
        (unwind-protect
             (signal-over used-allocations used-bytes allocations bytes
                          (and function (displayed-name function))
                          (profile-of-snapshot (first baseline) old-allocations
                                               old-bytes)
                          (profile-of-snapshot
                           (first end) (+ old-allocations used-allocations)
                           (+ old-bytes used-bytes)))
          (drop-baseline end))))))

(defmacro with-allocation-budget ((&key bytes allocations live function)
                                  &body body)
  "Run BODY, which may allocate so much and no more, and give back its values.

BYTES (integer, default NIL): how many bytes it may request; NIL is no limit.
ALLOCATIONS (integer, default NIL): how many objects it may make.
LIVE (integer, default NIL): how many of the objects that it makes may be alive
when it has run and garbage has been collected; not within another profile.  The
collector is conservative: what it takes for a reference counts as one.
FUNCTION (a name as for MPROF.DATA:ROW, default NIL): the limits are for what
this function and all that it calls allocate, not for all of BODY.

Signals ALLOCATION-BUDGET-EXCEEDED, an error that says who allocated, after BODY
has run, when it was more than that; the restart CONTINUE gives back BODY's
values all the same.  Nothing is signalled when BODY is left by a THROW or an
error.

The count is exact, of all threads.  What was counted is forgotten first, unless
a profile is running, such as that of another budget around this one: that goes
on, BODY is a part of it, and keeping the budget adds nothing to it.  Code that
is not compiled conses for its variables, and that is counted; in compiled code,
a variable around BODY that BODY uses is a cons where it is bound, outside BODY.

Example: in a test of any framework,

   (fiveam:finishes
     (mprof:with-allocation-budget (:bytes 160) (parse *line*)))"
  ;; Making a function object of BODY would allocate, and so add to a profile
  ;; that is running; calling a local function does not.
  (let ((baseline (gensym "BASELINE"))
        (old-allocations (gensym "OLD-ALLOCATIONS"))
        (old-bytes (gensym "OLD-BYTES"))
        (limits (list (gensym "BYTES") (gensym "ALLOCATIONS") (gensym "LIVE")
                      (gensym "FUNCTION"))))
    `(let ,(mapcar #'list limits (list bytes allocations live function))
       (flet ((budget-body () ,@body))
         (if (c:monitor-active-p)
             (multiple-value-bind (,baseline ,old-allocations ,old-bytes)
                 (begin-budget ,@(butlast limits))
               (unwind-protect
                    (multiple-value-prog1 (budget-body)
                      (end-budget ,baseline ,old-allocations ,old-bytes
                                  ,(first limits) ,(second limits)
                                  ,(fourth limits)))
                 (when ,baseline
                   (drop-baseline ,baseline))))
             (call-with-allocation-budget (lambda () (budget-body))
                                          ,@limits))))))
