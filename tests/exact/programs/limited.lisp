;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Address space is limited while a thread begins, so that the monitor finds
;;;; none for it: the thread is not counted, and the profile says so.

(in-package #:exact)

(setf *dump-only* "LIMITED-WORK")

(defconstant +address-space+ 9)         ; RLIMIT_AS

;; Trimming off and no mapped pieces, by the numbers of malloc.h, malloc keeps
;; what it is given back.
(defun keep-in-malloc (bytes)
  "Have malloc keep so many BYTES, from which ECL 24.5.10 takes the stacks and
the environment of a thread."
  (flet ((call (name result types &rest arguments)
           (si:call-cfun (si:find-foreign-symbol name :default :pointer-void 0)
                         result types arguments)))
    (call "mallopt" :int '(:int :int) -1 -1) ; M_TRIM_THRESHOLD
    (call "mallopt" :int '(:int :int) -4 0)  ; M_MMAP_MAX
    (call "free" :void '(:pointer-void)
          (call "malloc" :pointer-void '(:unsigned-long) bytes))))

(defun limit-address-space (bytes)
  "At most BYTES, NIL for what was allowed before."
  (let ((limits (make-array 2 :element-type '(unsigned-byte 64)
                              :initial-element (1- (expt 2 64)))))
    (when bytes
      (setf (aref limits 0) bytes))
    (si:call-cfun (si:find-foreign-symbol "setrlimit" :default :pointer-void 0)
                  :int '(:int :pointer-void)
                  (list +address-space+
                        (si:make-foreign-data-from-array limits)))))

(defun address-space ()
  "The bytes of it that are in use."
  (with-open-file (sizes "/proc/self/statm")
    (* 4096 (read sizes))))

(defun limited-work (n)
  (let ((last nil))
    (dotimes (i n last)
      (setf last (cons i i)))))

(defun threads ()
  (with-open-file (status "/proc/self/status")
    (loop for line = (read-line status)
          when (eql (mismatch "Threads:" line) 8)
            return (parse-integer line :start 8))))

(defun leave-address-space (room)
  "Leave ROOM bytes of it free.  The cache of a walk grows at any allocation,
depending on which addresses share a place: between reading and limiting too."
  (loop for used = (address-space)
        do (limit-address-space (+ used room))
        until (= used (address-space))))

(defun run-thread (name room)
  "Run a thread until it is gone and its stack is free, with ROOM bytes of
address space for it.  One of a NAME that the monitor knows has the memory of
the one before."
  (let ((n (threads)))
    (leave-address-space room)
    (mp:process-join (mp:process-run-function name #'limited-work 100))
    (limit-address-space nil)
    (loop until (= n (threads)))))

;; The second thread takes over the stack of the first one, and has room for
;; what the runtime makes for it.  All is as for the first one, which has room
;; enough: in other contexts the monitor would need memory for these.
(defun run-limited ()
  (run-thread "first" 1000000000)
  (run-thread "second" 32768)
  (run-thread "third" 1000000000))

;; The collector and malloc have memory left, for the thread itself.
(run-thread "before" 1000000000)
(keep-in-malloc 10000000)
(make-array 50000000 :element-type '(unsigned-byte 8))
(ext:gc t)

(measuring ("a thread without memory" :residual nil)
    (run-limited)
  (calls 'limited-work 2)
  (self 'limited-work 200 (* 200 +cons+))
  (check "the report says so"
         (list (format nil "threads that are not counted, since memory ran ~
                            out when they started: 1"))
         (nth-value 1 (mprof.data:comment "mprof.residual_note" *profile*))))
