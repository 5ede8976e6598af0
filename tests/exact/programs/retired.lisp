;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; More contexts than the budget has room for: those of which the least was
;;;; heard are retired into their callers, and no figure of these changes.

(in-package #:exact)

(setf *dump-only* "EXACT::HOT")

(eval-when (:compile-toplevel :load-toplevel :execute)
  (defconstant +cold+ 300 "Functions that make one object at a time.")

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

(defun retiring (title thunk &rest options)
  (setf *title* title)
  (mprof:reset)
  (apply #'mprof:start :full-walk *full-walk* :max-contexts +budget+ options)
  (funcall thunk)
  (mprof:stop)
  (take-profile))

(defun self-allocations (name)
  (let ((row (mprof.data:row :functions name *profile*)))
    (if row (mprof.data:self-allocations row) 0)))

(defun check-work (rounds &optional (threads 1))
  "ROUNDS of work in all were done in so many THREADS."
  (let ((turns (* rounds +cold+))
        (arrays (vector-bytes rounds)))
    (inclusive 'work (* 4 turns) (+ (* 3 turns +cons+) arrays))
    (inclusive 'hot (* 2 turns) (* 2 turns +cons+))
    (inclusive 'cold (* 2 turns) (+ (* turns +cons+) arrays))
    (calls 'work threads)
    (arc 'work 'hot turns (* 2 turns) (* 2 turns +cons+))
    (arc 'work 'cold turns (* 2 turns) (+ (* turns +cons+) arrays))
    (arc 'hot 'one (* 2 turns) (* 2 turns) (* 2 turns +cons+))
    (check "some are retired" t (plusp (self-allocations "[retired]")))
    (check "nothing finds no room" 0 (getf (mprof:status) :overflows))
    (check "the contexts are within the budget" t
           (<= (getf (mprof:status) :contexts)
               (* 2 +budget+ (getf (mprof:status) :threads))))))

(retiring "one thread" (lambda () (work 20)))
(check-work 20)
(type-total 'cons (* 3 20 +cold+) (* 3 20 +cold+ +cons+))
(type-total "(SIMPLE-ARRAY T)" (* 20 +cold+) (vector-bytes 20))
(total (* 4 20 +cold+) (+ (* 3 20 +cold+ +cons+) (vector-bytes 20)))
(residual 0)

(let* ((retired (mprof.data:row :functions "[retired]" *profile*))
       (note (mprof.data:comment "mprof.retired_note" *profile*)))
  (check "the report says how much"
         (format nil "~D allocations, ~D bytes show as [retired] below their ~
                      callers: the context budget was used up, and these were ~
                      the least used recently"
                 (mprof.data:self-allocations retired)
                 (mprof.data:self-bytes retired))
         note))

;; In each turn seven functions are called, whatever is retired.
(check "calls of all" (* 20 +cold+ 7)
       (loop for row in (mprof.data:functions *profile*)
             for name = (mprof.data:name row)
             when (find-if (lambda (part) (search part name))
                           '("EXACT::COLD" "EXACT::HOT" "EXACT::ONE"
                             "MAKE-VECTOR" "[retired]"))
               sum (mprof.data:calls row)))

;;; What comes last has its chains, whatever was before.

(defun late ()
  (dotimes (i 20000) (one)))

(retiring "what is new" (lambda () (work 20) (late)))
(arc 'late 'one 20000 20000 (* 20000 +cons+))
(residual 0)

;;; In many threads at once, and of threads that end: from a number of them on
;;; those with one name share a tree.

(defun work-in-threads (threads rounds)
  (mapc #'mp:process-join
        (loop repeat threads
              collect (mp:process-run-function "work" #'work rounds))))

(retiring "8 threads at once" (lambda () (work-in-threads 8 5)))
(check-work 40 8)
(residual 0)

(retiring "300 threads" (lambda () (loop repeat 100
                                         do (work-in-threads 3 1))))
(let ((turns (* 300 +cold+)))
  (inclusive 'work (* 4 turns) (+ (* 3 turns +cons+) (vector-bytes 300)))
  (calls 'work 300)
  (check "nothing finds no room" 0 (getf (mprof:status) :overflows)))
(residual 0)

;;; In the child of a fork, which goes on with what it was given.

(defun foreign-call (name result types &rest arguments)
  (si:call-cfun (si:find-foreign-symbol name :default :pointer-void 0)
                result types arguments))

(defun work-in-child (status)
  (let ((before (mprof:allocations))
        (child (foreign-call "fork" :int '())))
    (when (zerop child)
      (work 10)
      (mprof:stop)
      (foreign-call "_exit" :void '(:int)
                    (if (and (>= (- (mprof:allocations) before)
                                 (* 4 10 +cold+))
                             (zerop (getf (mprof:status) :overflows)))
                        7
                        8)))
    (foreign-call "waitpid" :int '(:int :pointer-void :int) child
                  (si:make-foreign-data-from-array status) 0)))

(let ((status (make-array 1 :element-type '(unsigned-byte 32))))
  (retiring "a fork"
            ;; on one line: what is called from others has other contexts
            (lambda () (work 10) (work-in-child status) (work 10)))
  (check "the child counts all" (ash 7 8) (aref status 0))
  (inclusive 'work (* 4 20 +cold+)
             (+ (* 3 20 +cold+ +cons+) (vector-bytes 20)))
  (calls 'work 2)
  (arc 'hot 'one (* 2 20 +cold+) (* 2 20 +cold+) (* 2 20 +cold+ +cons+))
  (check "nothing finds no room" 0 (getf (mprof:status) :overflows)))
(residual 0)

;;; Written while all goes on.

(defvar *end* nil)

(defun save-again-and-again ()
  (loop until *end*
        do (mprof.bindings:monitor-write
            (mprof.bindings:arguments *saved* 0))))

(retiring "saved meanwhile"
          (lambda ()
            (let ((saver (mp:process-run-function "saver"
                                                  #'save-again-and-again)))
              (work 20)
              (setf *end* t)
              (mp:process-join saver))))
(check-work 20)
(residual 0)

;;; Forgotten with all else.

(setf *title* "reset")
(mprof:reset)
(start)
(hot)
(mprof:stop)
(take-profile)
(total 2 (* 2 +cons+))
(absent "[retired]")
(check "and no note" nil
       (mprof.data:comment "mprof.retired_note" *profile*))
