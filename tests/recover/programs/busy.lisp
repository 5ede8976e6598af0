;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; busy.lisp -- threads that allocate on more and more paths until they are
;;;; killed, and keep a log, as busy.c has it, in a file that is mapped.

(eval-when (:compile-toplevel :load-toplevel :execute)
  (require :mprof))

(ffi:clines "#include <fcntl.h>" "#include <signal.h>" "#include <stdint.h>"
            "#include <stdlib.h>" "#include <sys/mman.h>"
            "#include <unistd.h>"
            "static volatile uint64_t (*logs)[8];")

(defun open-log (name)
  (ffi:c-inline (name) (:cstring) :void
   "{ int f = open(#0, O_RDWR | O_CREAT | O_TRUNC, 0666);
      if (f < 0 || ftruncate(f, 16 * sizeof *logs) != 0) abort();
      logs = mmap(NULL, 16 * sizeof *logs, PROT_READ | PROT_WRITE, MAP_SHARED,
                  f, 0); }"))

;;; An object of BYTES is under way, and it is made.
(declaim (inline begin-one end-one))
(defun begin-one (worker bytes)
  (declare (fixnum worker bytes))
  (ffi:c-inline (worker bytes) (:fixnum :fixnum) :void
   "logs[#0][2] = #1;"))
(defun end-one (worker)
  (declare (fixnum worker))
  (ffi:c-inline (worker) (:fixnum) :void
   "{ volatile uint64_t *l = logs[#0]; l[1] += l[2]; l[0]++; l[2] = 0; }"))

(defun make-one (worker n bytes)
  (declare (fixnum worker n) (type simple-vector bytes)
           (optimize (speed 3) (safety 0)))
  (begin-one worker (the fixnum (svref bytes n)))
  (let ((object (case n ; given back, so that the compiler does not drop it
                  (0 (cons n n))
                  (1 (float n 1d0))
                  (t (make-array n)))))
    (end-one worker)
    object))

(defun make-many (n times bytes)
  (loop repeat times
        do (make-one 0 n bytes)))

(defun left-way (worker path depth n bytes)
  (declare (fixnum worker path depth n))
  (cond ((zerop depth) (make-one worker n bytes))
        ((oddp path) (left-way worker (ash path -1) (1- depth) n bytes))
        (t (right-way worker (ash path -1) (1- depth) n bytes)))
  nil)

(defun right-way (worker path depth n bytes)
  (declare (fixnum worker path depth n))
  (cond ((zerop depth) (make-one worker n bytes))
        ((oddp path) (right-way worker (ash path -1) (1- depth) n bytes))
        (t (left-way worker (ash path -1) (1- depth) n bytes)))
  nil)

(defun work (worker rounds bytes)
  (declare (fixnum worker rounds))
  (let ((random (1+ worker)))
    (declare (fixnum random))
    (loop repeat rounds
          do (setf random (logand (+ (* random 1103515245) 12345) #x7fffffff))
             (left-way worker (ash random -8) (mod (ash random -4) 10)
                       (mod (ash random -16) 100) bytes))))

(defun fault ()
  "What no handler sees."
  (ffi:c-inline () () :void
   "signal(SIGSEGV, SIG_DFL); *(volatile int *)0 = 0;"))

;;; What one of each kind takes: the difference of some and none.
(defparameter *bytes* (make-array 100 :initial-element 0))

(defun measure (n times)
  (mprof:with-profiling (:report nil) (make-many n times *bytes*))
  (list (mprof::allocations) (mprof::bytes)))

(open-log "log.first")
(dotimes (n 100)
  (destructuring-bind (objects bytes)
      (mapcar #'- (measure n 1000) (measure n 0))
    (assert (= objects 1000) () "~D objects of kind ~D" objects n)
    (assert (= bytes (* 1000 (if (< n 2) 16 (+ 48 (* 8 n))))))
    (setf (svref *bytes* n) (/ bytes 1000))))
(open-log "log")
(mprof:reset)

(defun start-workers (threads rounds)
  (loop for worker below threads
        collect (let ((worker worker))
                  (mp:process-run-function
                   (format nil "worker-~D" worker)
                   (lambda () (work worker rounds *bytes*))))))

(defun threads ()
  "How many the kernel has."
  (with-open-file (status "/proc/self/status")
    (loop for line = (read-line status)
          when (eql 0 (search "Threads:" line))
            return (parse-integer line :start 8))))

(defun run-workers (threads rounds)
  "Start them, and wait until the kernel has none of them any more."
  (let ((before (threads)))
    (mapc #'mp:process-join (start-workers threads rounds))
    (loop until (= (threads) before)
          do (sleep 0.01))))
