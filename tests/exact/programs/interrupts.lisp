;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Lisp code that runs in a signal handler, on top of a thread that was
;;;; interrupted anywhere: what it allocates is its own, what the thread
;;;; allocates stays as it is, and no frame is harmed.
;;;;
;;;; Then, a thread takes snapshots over and over, while it is thrown out of that,
;;;; and while another one forks: nothing is held for ever, and all is counted.
;;;; So it is while one allocates and another one forks.
;;;;
;;;; ECL may lose an interrupt that comes while another one waits, so those
;;;; that were taken are counted, by the handler itself.

(in-package #:exact)

;; Where threads are interrupted is not the same each time.
(setf *dump-only* "MAKE-CONSES")

;;; An interrupt that waits for the end of WITHOUT-INTERRUPTS is called there.

(defun in-handler ()
  (keep (list 1 2 3)))

(defun guarded ()
  (mp:without-interrupts
    (mp:interrupt-process mp:*current-process* #'in-handler)
    (keep (cons 1 2))))

(measuring ("an interrupt that waits" :residual nil)
    (guarded)
  (self 'guarded 1 +cons+)
  (calls 'in-handler 1)
  (check "it is below the function that it interrupts" t
         (loop for chain in (mapcar (mprof.data:reader :chain)
                                    (mprof.data:figure :contexts *profile*))
               always (or (not (member "EXACT::IN-HANDLER" chain
                                       :test #'string=))
                          (member "EXACT::GUARDED" chain :test #'string=)))))

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

;;; Snapshots.

(defun make-conses (n)
  (let ((last nil))
    (dotimes (i n last)
      (setf last (cons i i)))))

(defvar *snapshot* (list 0) "Its address, an argument list.")
(defvar *end* nil)
(defvar *taken* 0)

(defun take-again-and-again ()
  (loop until *end*
        do (catch 'out
             (loop until *end*
                  do (setf (first *snapshot*)
                           (mprof::take-snapshot '(0)))
                     (mprof::free-snapshot *snapshot*)
                     (incf *taken*)))))

(defun call-while-taking (function)
  (setf *end* nil
        *taken* 0)
  (let ((thread (mp:process-run-function "taker" #'take-again-and-again)))
    (loop until (plusp *taken*) do (sleep 0.01))
    (funcall function thread)
    (setf *end* t)
    (mp:process-join thread)))

(defun throw-out ()
  (ignore-errors (throw 'out nil)))

(measuring ("a thread that is thrown out while it takes snapshots" :residual nil)
    (call-while-taking
     (lambda (thread)
       (dotimes (i 200)
         (sleep 0.002)
         (make-conses 10)
         (mp:interrupt-process thread #'throw-out))))
  (calls 'make-conses 200)
  (self 'make-conses 2000 (* 2000 +cons+)))

;;; The child goes on counting, alone.  ECL's own end waits for threads that a
;;; child does not have.

(defun foreign (name type &rest arguments)
  (si:call-cfun (si:find-foreign-symbol name :default :pointer-void 0) type
                (mapcar (constantly :int) arguments) arguments))

(defun right-in-child-p (profile)
  (and (= 30 (mprof.data:figure :self-allocations
              (mprof.data:row :functions 'count-in-child-only profile)))
       (or (equal "0" (mprof.data:comment "mprof.residual_bytes" profile))
           (find-if (lambda (note) (search "a fork: " note))
                    (nth-value 1 (mprof.data:comment "mprof.residual_note"
                                                     profile))))))

(defun count-in-child ()
  (ext:gc t)
  (mprof:stop)
  (foreign "_exit" :void
           ;; a profile that does not add up cannot be read
           (if (ignore-errors (right-in-child-p (mprof:load-profile))) 7 8)))

(defun count-in-child-only ()
  (let ((last nil))
    (dotimes (i 30 last)
      (setf last (cons i i)))))

(defvar *statuses* '())

(defun fork-and-wait ()
  (if (zerop (foreign "fork" :int))
      (progn
        (count-in-child-only)
        (count-in-child))
      (let ((status (make-array 1 :element-type '(unsigned-byte 32))))
        (si:call-cfun (si:find-foreign-symbol "wait" :default :pointer-void 0)
                      :int '(:pointer-void)
                      (list (si:make-foreign-data-from-array status)))
        (push (ash (aref status 0) -8) *statuses*))))

(measuring ("forks while snapshots are taken")
    (call-while-taking
     (lambda (thread)
       (declare (ignore thread))
       (dotimes (i 20)
         (make-conses 10)
         (fork-and-wait))))
  (calls 'make-conses 20)
  (self 'make-conses 200 (* 200 +cons+))
  (check "each child has counted" (loop repeat 20 collect 7) *statuses*))

;;; What another thread counts just then is in the child's profile or not, but
;;; is there as a whole.

(defvar *rounds* 0 "As many as there is time for: not for the dump.")

(defun make-some ()
  (let ((last nil))
    (dotimes (i 100 last)
      (setf last (cons i i)))))

(defun allocate-until-end ()
  (loop until *end*
        do (make-some)
           (incf *rounds*)))

(defun fork-while-allocating (n)
  (setf *end* nil
        *rounds* 0
        *statuses* '())
  (let ((thread (mp:process-run-function "other" #'allocate-until-end)))
    (dotimes (i n)
      (fork-and-wait))
    (setf *end* t)
    (mp:process-join thread)))

(measuring ("forks while another thread allocates")
    (fork-while-allocating 60)
  (calls 'make-some *rounds*)
  (self 'make-some (* 100 *rounds*) (* 100 *rounds* +cons+))
  (check "each child has counted" (loop repeat 60 collect 7) *statuses*))

;;; The dynamic linker's lock is copied as it is: nobody opens it in the child
;;; when another thread has it.

(defvar *hold-linker-lock* (c-function "hold_linker_lock"))
(defvar *release-linker-lock* (c-function "release_linker_lock"))
(defvar *end-of-child* (c-function "end_of_child"))
(defvar *child* (list 0))

(defun fork-while-linker-is-locked ()
  (si:call-cfun *hold-linker-lock* :int '() '())
  (when (zerop (setf (first *child*) (foreign "fork" :int)))
    (count-in-child-only)
    (count-in-child))
  (push (si:call-cfun *end-of-child* :int '(:int) *child*) *statuses*)
  (si:call-cfun *release-linker-lock* :int '() '()))

(setf *statuses* '())

(measuring ("a fork while another thread has the linker's lock")
    (progn
      ;; more than the child can be wrong by
      (make-conses 10000)
      (fork-while-linker-is-locked))
  (calls 'make-conses 1)
  (self 'make-conses 10000 (* 10000 +cons+))
  (check "the child has counted" '(7) *statuses*))
