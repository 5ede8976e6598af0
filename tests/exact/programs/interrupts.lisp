;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Lisp code that runs in a signal handler, on top of a thread that was
;;;; interrupted anywhere: what it allocates is its own, what the thread
;;;; allocates stays as it is, and no frame is harmed.  (random/ has interrupts
;;;; that wait for the end of WITHOUT-INTERRUPTS.)
;;;;
;;;; Then, a thread forks while others take snapshots and allocate: nothing is
;;;; held for ever, and all is counted.  (lisp/thrown throws out of snapshots.)
;;;;
;;;; ECL may lose an interrupt that comes while another one waits, so those that
;;;; were taken are counted, by the handler itself.

(in-package #:exact)

;; Where threads are interrupted is not the same each time.
(setf *dump-only* "MAKE-CONSES")

;;; A handler that leaves by a throw, from anywhere: in a call, in a return,
;;; deep in a recursion.  How many conses are made nobody can say, but each call
;;; makes one.

(defun make-one (i)
  (cons i i))

(defun deep-cons (n)
  (if (zerop n)
      (keep (make-one n))
      (let ((result (deep-cons (1- n))))
        (keep (make-one n))
        result)))

(defvar *catching* nil)
(defvar *thrown* 0)

(defun leave ()
  (when *catching*
    (setf *catching* nil)
    (keep (cons 1 2))
    (incf *thrown*)
    (throw 'out t)))

(defun work-until-thrown-out (rounds)
  (dotimes (i rounds)
    (catch 'out
      (setf *catching* t)
      (dotimes (j 30000)
        (deep-cons (mod j 17)))
      (setf *catching* nil))))

(defun interrupt-with (handler rounds n)
  (let ((thread (mp:process-run-function "worker" #'work-until-thrown-out
                                         rounds)))
    (loop repeat n
          while (mp:process-active-p thread)
          do (ignore-errors (mp:interrupt-process thread handler))
             (sleep 0.002))
    (mp:process-join thread)))

(defun made ()
  (mprof.data:figure :self-allocations
                     (mprof.data:row :functions 'make-one *profile*)))

(measuring ("handlers that throw" :residual nil)
    (interrupt-with #'leave 60 200)
  (self 'make-one (made) (* (made) +cons+))
  (calls 'make-one (made))
  (arc 'deep-cons 'make-one (made) (made) (* (made) +cons+))
  (self 'leave *thrown* (* *thrown* +cons+))
  (calls 'leave *thrown*)
  (no-arc 'deep-cons 'leave)
  (no-arc 'make-one 'leave))

(check "some handlers threw" t (plusp *thrown*))

;;; Handlers that are interrupted by handlers.  4 * 30000 rounds of 0 to 16
;;; conses and one more: 30000 = 1764 * 17 + 12.

(defvar *ended* (list 0))

(defun nested-cons (i)
  (list i))

(defun long-handler ()
  (dotimes (i 3000)
    (keep (nested-cons i)))
  (mp:atomic-incf (car *ended*)))

(measuring ("handlers in handlers" :residual nil)
    (interrupt-with #'long-handler 4 200)
  (let ((nested (* 3000 (car *ended*)))
        (made (* 4 (+ (* 1764 (/ (* 17 18) 2)) (/ (* 12 13) 2)))))
    (self 'nested-cons nested (* nested +cons+))
    (calls 'nested-cons nested)
    (arc 'long-handler 'nested-cons nested)
    (calls 'long-handler (car *ended*))
    (self 'make-one made (* made +cons+))
    (calls 'make-one made)
    (arc 'deep-cons 'make-one made made (* made +cons+))
    (no-arc 'deep-cons 'long-handler)
    (no-arc 'make-one 'long-handler)))

(check "some handlers ended" t (plusp (car *ended*)))

;;; Forks while one thread takes snapshots and another one allocates.  The child
;;; goes on counting, alone; what another thread counts just then is in its
;;; profile or not, but is there as a whole.  ECL's own end waits for threads that
;;; a child does not have.

(defun foreign (name)
  (si:find-foreign-symbol name :default :pointer-void 0))

(defvar *fork* (foreign "fork"))
(defvar *exit* (foreign "_exit"))
(defvar *end-of-child* (c-function "end_of_child"))
(defvar *child* (list 0))
(defvar *statuses* '())

(defun make-conses (n)
  (let ((last nil))
    (dotimes (i n last)
      (setf last (cons i i)))))

(defun made-in-child (n)
  (make-conses n))

(defun right-in-child-p (profile)
  (and (= 30 (mprof.data:figure :allocations
              (mprof.data:row :functions 'made-in-child profile)))
       (or (equal "0" (mprof.data:comment "mprof.residual_bytes" profile))
           (find-if (lambda (note) (search "a fork: " note))
                    (nth-value 1 (mprof.data:comment "mprof.residual_note"
                                                     profile))))))

(defun fork-and-wait ()
  "The child's status is 7 if its profile is right, -1 if it did not end."
  (when (zerop (setf (first *child*) (si:call-cfun *fork* :int '() '())))
    (made-in-child 30)
    (ext:gc t)
    (mprof:stop)
    ;; a profile that does not add up cannot be read
    (si:call-cfun *exit* :void '(:int)
                  (list (if (ignore-errors
                             (right-in-child-p (mprof:load-profile)))
                            7
                            8))))
  (push (si:call-cfun *end-of-child* :int '(:int) *child*) *statuses*))

(defvar *end* nil)
(defvar *taken* 0)
(defvar *rounds* 0 "As many as there is time for: not for the dump.")

(defun take-snapshots ()
  (loop until *end*
        do (mprof::free-snapshot (list (mprof::take-snapshot '(0))))
           (incf *taken*)))

(defun make-some ()
  (let ((last nil))
    (dotimes (i 100 last)
      (setf last (cons i i)))))

(defun allocate-until-end ()
  (loop until *end*
        do (make-some)
           (incf *rounds*)))

(defun fork-beside-threads (n)
  (let ((threads (list (mp:process-run-function "taker" #'take-snapshots)
                       (mp:process-run-function "other" #'allocate-until-end))))
    (loop until (and (plusp *taken*) (plusp *rounds*))
          do (mp:process-yield))
    (dotimes (i n)
      (make-conses 10)
      (fork-and-wait))
    (setf *end* t)
    (mapc #'mp:process-join threads)))

(measuring ("forks while threads take snapshots and allocate")
    (fork-beside-threads 20)
  (conses-of 'fork-beside-threads 'make-conses 20 200)
  (calls 'make-some *rounds*)
  (self 'make-some (* 100 *rounds*) (* 100 *rounds* +cons+))
  (check "each child has counted" (loop repeat 20 collect 7) *statuses*))

;;; The dynamic linker's lock is copied as it is: nobody opens it in the child
;;; when another thread has it.

(defvar *hold-linker-lock* (c-function "hold_linker_lock"))
(defvar *release-linker-lock* (c-function "release_linker_lock"))

(defun fork-while-linker-is-locked ()
  ;; more than the child can be wrong by
  (make-conses 10000)
  (si:call-cfun *hold-linker-lock* :int '() '())
  (fork-and-wait)
  (si:call-cfun *release-linker-lock* :int '() '()))

(setf *statuses* '())

(measuring ("a fork while another thread has the linker's lock")
    (fork-while-linker-is-locked)
  (conses-of 'fork-while-linker-is-locked 'make-conses 1 10000)
  (check "the child has counted" '(7) *statuses*))
