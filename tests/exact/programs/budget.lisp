;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; More contexts than the budget has room for: what finds none is counted
;;;; below the nearest caller that has one, with its type.  So all totals are
;;;; exact, and so is what the callers with contexts include.

(in-package #:exact)

(setf *dump-only* "EXACT::HOT"
      *beyond-the-budget* t)

(eval-when (:compile-toplevel :load-toplevel :execute)
  (defconstant +cold+ 150 "Functions that make one object at a time.")

  (defun cold-name (i)
    (intern (format nil "COLD-~D" i) '#:exact)))

(defconstant +budget+ 256 "Contexts of each thread at most.")

(defun one () (keep (cons 1 1)))

(defun hot () (one) (one))

(macrolet ((define-all ()
             `(progn
                ,@(loop for i below +cold+
                        collect `(defun ,(cold-name i) ()
                                   (one)
                                   (keep (make-array ,(mod i 7)))))
                (defun cold (i)
                  (ecase i
                    ,@(loop for i below +cold+
                            collect `(,i (,(cold-name i)))))))))
  (define-all))

(defun work (rounds)
  (dotimes (round rounds)
    (dotimes (i +cold+)
      (hot)
      (cold i))))

(defun vector-bytes (rounds)
  "Of the arrays that ROUNDS of work make: header and data."
  (* rounds (loop for i below +cold+
                  sum (+ +vector+ (* +word+ (mod i 7))))))

(defun beyond (title thunk)
  (setf *title* title)
  (mprof:reset)
  (mprof:start :full-walk *full-walk* :max-contexts +budget+)
  (funcall thunk)
  (mprof:stop)
  (take-profile))

(defun rows-with (&rest parts)
  "Rows of functions whose names have one of PARTS."
  (remove-if-not (lambda (row)
                   (some (lambda (part)
                           (search part (mprof.data:figure :name row)))
                         parts))
                 (mprof.data:figure :functions *profile*)))

(defun check-work (rounds calls)
  "ROUNDS of work were done in so many CALLS, and all that is over the budget is
said to be."
  (let ((turns (* rounds +cold+))
        (arrays (vector-bytes rounds))
        (over (mprof.data:row :functions "[over the budget]" *profile*)))
    (inclusive 'work (* 4 turns) (+ (* 3 turns +cons+) arrays))
    (calls 'work calls)
    (conses-of 'work 'hot turns (* 2 turns))
    (conses-of 'hot 'one (* 2 turns) (* 2 turns))
    (arc 'work 'cold turns (* 2 turns) (+ (* turns +cons+) arrays))
    (check "some have no context" nil
           (mprof.data:row :functions (cold-name (1- +cold+)) *profile*))
    (check "what these made, and what the others made" (* 2 turns)
           (+ (mprof.data:figure :allocations
               (mprof.data:row :arcs '(cold "[over the budget]") *profile*))
              (reduce #'+ (rows-with "EXACT::COLD-")
                      :key (mprof.data:reader :allocations))))
    (check "one more for each caller, with one more for each kind" t
           (<= (getf (mprof:status) :contexts)
               (* (+ (* 2 +budget+) 64) (getf (mprof:status) :threads))))
    (check "bytes over the budget"
           (format nil "~D" (mprof.data:figure :self-bytes over))
           (mprof.data:comment "mprof.unattributed_bytes" *profile*))
    (check "what to do"
           (format nil "the context budget was used up ~D times; (mprof:reset) ~
                        begins anew, and (mprof:start) takes a larger ~
                        :max-contexts"
                   (getf (mprof:status) :overflows))
           (mprof.data:comment "mprof.unattributed_note" *profile*))
    (check "it calls nothing" '() (mprof.data:figure :callees over))
    (residual 0)))

;;; What comes late finds no room, and its callers include it.

(defun late ()
  (dotimes (i 20000) (one)))

;; On one line: what is called from others has other contexts.
(defun early-and-late () (work 20) (late) (setf *kept* nil))

(beyond "one thread, and what is new" #'early-and-late)
(check-work 20 1)
(type-total "(SIMPLE-ARRAY T)" (* 20 +cold+) (vector-bytes 20))
(total (+ 20000 (* 4 20 +cold+))
       (+ (* 20000 +cons+) (* 3 20 +cold+ +cons+) (vector-bytes 20)))
(absent 'late)
(arc 'early-and-late "[over the budget]" 20001 20000 (* 20000 +cons+))
;; In each turn seven functions are called, whichever have contexts.
(check "calls of all" (+ (* 20 +cold+ 7) 20001)
       (reduce #'+ (rows-with "EXACT::COLD" "EXACT::HOT" "EXACT::ONE"
                              "MAKE-VECTOR" "[over the budget]")
               :key (mprof.data:reader :calls)))

;;; In many threads at once; those with one name share a tree.

(defun work-in-threads (threads rounds)
  (mapc #'mp:process-join
        (loop repeat threads
              collect (mp:process-run-function "work" #'work rounds))))

(beyond "8 threads at once" (lambda () (work-in-threads 8 5)))
(check-work 40 8)

;;; Forgotten with all else.

(measuring ("reset") (hot)
  (total 2 (* 2 +cons+))
  (absent "[over the budget]")
  (check "nothing over the budget, and no note" '("0" nil)
         (list (mprof.data:comment "mprof.unattributed_allocations" *profile*)
               (mprof.data:comment "mprof.unattributed_note" *profile*))))
