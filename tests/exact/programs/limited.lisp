;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Address space is limited while a thread begins, so that the monitor finds
;;;; none for it: the thread is not counted, and the profile says so.

(in-package #:exact)

(setf *dump-only* "LIMITED-WORK")

(defconstant +address-space+ 9)         ; RLIMIT_AS

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

(defun run-thread ()
  (mp:process-join (mp:process-run-function "limited" #'limited-work 100)))

;; The second thread takes over the stack of the first one, and has room for
;; the environment that the runtime makes for it.
(defun run-limited ()
  (run-thread)
  (limit-address-space (+ (address-space) 32768))
  (run-thread)
  (limit-address-space nil)
  (run-thread))

;; The collector has memory left, for the thread itself.
(run-thread)
(make-array 50000000 :element-type '(unsigned-byte 8))
(ext:gc t)

(measuring ("a thread without memory" :residual nil)
    (run-limited)
  (calls 'limited-work 2)
  (self 'limited-work 200 (* 200 +cons+))
  (check "the report says so"
         (list (format nil "threads that are not counted, for no memory was ~
                            left when they began: 1"))
         (nth-value 1 (mprof.data:comment "mprof.residual_note" *profile*))))
