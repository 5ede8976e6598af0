;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; live.lisp -- programs of which it is known what they leave alive.  It is
;;;; compiled behind following.lisp, in one file with it.

(defpackage #:live
  (:use #:common-lisp #:following))

(in-package #:live)

;;; What a profile says is alive

(defun lines (measure file)
  "The lines of the profile FILE: (CHAIN TYPE NUMBER), the number being that of
MEASURE.  A chain is a list of names."
  (mprof:save "live.folded" :profile file :value measure :frames :types
                            :system :root)
  (with-open-file (in "live.folded")
    (loop for line = (read-line in nil)
          while line
          collect (let* ((space (position #\Space line :from-end t))
                         (frames (split (subseq line 0 space))))
                    (list (butlast frames) (first (last frames))
                          (parse-integer line :start (1+ space)))))))

(defun split (line)
  (loop for start = 0 then (1+ end)
        for end = (position #\; line :start start)
        collect (subseq line start end)
        while end))

(defun sums (file function &optional (measure :live))
  "What the profile FILE says is alive, or was at the peak, that was made below
FUNCTION, a symbol: a list of (TYPE OBJECTS BYTES)."
  (let ((name (let ((*package* (find-package '#:keyword)))
                (prin1-to-string function)))
        (sums '()))
    (flet ((add (measure place)
             (loop for (chain type number) in (lines measure file)
                   when (member name chain :test #'string=)
                     do (let ((sum (or (assoc type sums :test #'string=)
                                       (first (push (list type 0 0) sums)))))
                          (incf (nth place sum) number)))))
      (add (ecase measure (:live :live-allocs) (:peak :peak-allocs)) 1)
      (add measure 2))
    (sort sums #'string< :key #'first)))

(defun alive (function &optional (collections 1))
  "The same as of now, after so many COLLECTIONS."
  (loop repeat (1- collections) do (ext:gc t))
  (mprof:save "live.data" :collect (plusp collections))
  (sums "live.data" function))

;;; Programs

(defun conses (n) (loop repeat n do (push nil *kept*)))
(defun garbage (n) (let ((list '())) (dotimes (i n list) (push i list))))
(defun floats (n) (dotimes (i n) (push (* 1.5d0 (1+ i)) *kept*)))
(defun vectors (n) (dotimes (i n) (push (make-array 10) *kept*)))
(defun octets (n)
  (push (make-array n :element-type '(unsigned-byte 8)) *kept*))
(defun strings (n) (dotimes (i n) (push (make-string 20) *kept*)))
(defstruct point x y)
(defclass thing () ((a :initform 1) (b :initform 2)))
(defun points (n) (dotimes (i n) (push (make-point :x i :y i) *kept*)))
(defun things (n) (dotimes (i n) (push (make-instance 'thing) *kept*)))

(defun type-sum (type sums)
  (rest (assoc type sums :test #'string=)))

(make-instance 'thing)                  ; what the class needs, once

(following "objects of all kinds"
  (in-thread #'conses 1000)
  (in-thread #'garbage 2000)
  (in-thread #'floats 300)
  (in-thread #'vectors 40)
  (in-thread #'octets 100000000)
  (in-thread #'strings 50)
  (in-thread #'points 60)
  (in-thread #'things 70)
  (same "conses" '(("CONS" 1000 16000)) (alive 'conses))
  (same "garbage" '() (alive 'garbage))
  (same "floats" '(300 4800) (type-sum "DOUBLE-FLOAT" (alive 'floats)))
  (same "vectors" (list 40 (* 40 (+ 48 80)))
        (type-sum "(SIMPLE-ARRAY T)" (alive 'vectors)))
  (same "a large vector" (list 1 (+ 48 100000000))
        (type-sum "(SIMPLE-ARRAY (UNSIGNED-BYTE 8))" (alive 'octets)))
  (same "strings" (list 50 (* 50 (+ 40 80)))
        (type-sum "STRING" (alive 'strings)))
  (same "structures" (list 60 (* 60 (+ 64 16)))
        (type-sum "LIVE::POINT" (alive 'points)))
  (same "instances" (list 70 (* 70 (+ 64 16)))
        (type-sum "LIVE::THING" (alive 'things)))
  (setf *kept* '())
  (in-other-words)
  (same "floats that nobody refers to any more" '() (alive 'floats))
  (same "vectors" '() (alive 'vectors))
  (same "structures" '() (alive 'points)))

(defun grow (n)
  (let ((vector (make-array 10 :adjustable t :fill-pointer 0)))
    (dotimes (i n) (vector-push-extend i vector 1))
    (push vector *kept*)))

(defun fill-table (n)
  (let ((table (make-hash-table)))
    (push table *kept*)
    (dotimes (i n) (setf (gethash i table) t))))

(following "bodies that are replaced"
  (in-thread #'grow 100)
  (in-thread #'fill-table 1000)
  (same "the last body of a vector, and the vector" '(1)
        (list (first (type-sum "(VECTOR T)" (alive 'grow)))))
  (let ((bytes (second (type-sum "(VECTOR T)" (alive 'grow)))))
    (same "its bytes" (+ 48 (* 8 (array-dimension (first (last *kept*)) 0)))
          bytes))
  (same "a hash table" '(1)
        (list (first (type-sum "HASH-TABLE" (alive 'fill-table))))))

(defun evaluate (n)
  (dotimes (i n) (eval '(progn (push 1 *kept*) (length *kept*)))))

(following "what the evaluator frees itself"
  (in-thread #'evaluate 500)
  (same "byte-code" nil (type-sum "BYTECODES" (alive 'evaluate)))
  (same "what it left" '(500 8000) (type-sum "CONS" (alive 'evaluate))))

(defun weak-pointers (n)
  (dotimes (i n) (push (ext:make-weak-pointer (make-point)) *kept*)))

(defun weak-table (n)
  (let ((table (make-hash-table :test 'eq :weakness :key)))
    (push table *kept*)
    (dotimes (i n) (setf (gethash (make-point) table) t))))

(following "weak references"
  (in-thread #'weak-pointers 100)
  (in-thread #'weak-table 100)
  (same "structures behind weak pointers" nil
        (type-sum "LIVE::POINT" (alive 'weak-pointers)))
  (same "the pointers" 100
        (first (type-sum "WEAK-POINTER" (alive 'weak-pointers))))
  (same "keys of a weak table" nil
        (type-sum "LIVE::POINT" (alive 'weak-table))))

;;; Two threads may run finalizers at once.
(defvar *finalized* 0)
(defvar *resurrected* '())

(defun finalized (n)
  (dotimes (i n)
    (ext:set-finalizer (make-point) (lambda (point)
                                      (declare (ignore point))
                                      (mp:atomic-incf
                                       (symbol-value '*finalized*))))))

(defun resurrected (n)
  (dotimes (i n)
    (ext:set-finalizer (make-point) (lambda (point)
                                      (mp:atomic-push
                                       point (symbol-value '*resurrected*))))))

(following "finalizers"
  (call "GC_disable" :void)         ; none of them runs before
  (in-thread #'finalized 30)
  (in-thread #'resurrected 20)
  (call "GC_enable" :void)
  (same "kept until the finalizer has run" '(30 20)
        (mapcar (lambda (function)
                  (first (type-sum "LIVE::POINT" (sums "live.data" function))))
                (progn (alive 'finalized) '(finalized resurrected))))
  (loop repeat 100 until (= (+ *finalized* (length *resurrected*)) 50)
        do (in-other-words) (ext:gc t) (sleep 0.01))
  (same "finalizers that ran" '(30 20)
        (list *finalized* (length *resurrected*)))
  (same "then dead" nil (type-sum "LIVE::POINT" (alive 'finalized 3)))
  (same "or alive again" '(20 1600)
        (type-sum "LIVE::POINT" (alive 'resurrected)))
  (setf *resurrected* '())
  (in-other-words)
  (same "until they are dropped" nil
        (type-sum "LIVE::POINT" (alive 'resurrected))))

;;; A collection may run finalizers between an array and its body.

(defun vectors-among-finalizers (n)
  (dotimes (i n)
    (ext:set-finalizer (make-point) (lambda (point)
                                      (garbage 20)
                                      (make-array 5)
                                      point))
    (push (make-array 10) *kept*)
    (garbage 100)))

(following "finalizers in the middle of an allocation"
  (in-thread #'vectors-among-finalizers 20000)
  (loop repeat 3 do (ext:gc t))
  (in-other-words)
  (let ((sums (alive 'vectors-among-finalizers)))
    (same "vectors" (list 20000 (* 20000 (+ 48 80)))
          (type-sum "(SIMPLE-ARRAY T)" sums))
    (same "vectors without a body" nil (type-sum "(VECTOR T)" sums))))

(defun pop-dead (n)
  "Take N objects off *KEPT*, and wait until their conses are dead."
  (let ((addresses (addresses *kept* n)))
    (setf *kept* (nthcdr n *kept*))
    (collect-until-dead addresses)))

(following "many threads that end"
  (loop repeat 300 do (in-thread #'conses 3) (in-thread #'garbage 2))
  (same "what they left" '(("CONS" 900 14400)) (alive 'conses))
  (same "what they did not" '() (alive 'garbage))
  (pop-dead 450)
  (same "half of it" '(("CONS" 450 7200)) (alive 'conses)))

(following "stop, start and reset"
  (in-thread #'conses 100)
  (mprof:stop)
  (same "what lives after stop" '(("CONS" 100 1600)) (alive 'conses))
  (pop-dead 40)
  (same "what dies after stop" '(("CONS" 60 960)) (alive 'conses))
  (in-thread #'conses 7)
  (same "what is made after stop" '(("CONS" 60 960)) (alive 'conses))
  (mprof:start :live t)
  (in-thread #'conses 5)
  (same "started again" '(("CONS" 65 1040)) (alive 'conses))
  (mprof:reset)
  (same "reset" '() (alive 'conses))
  (in-thread #'conses 5)
  (same "since then" '(("CONS" 5 80)) (alive 'conses)))

;;; Objects of three pieces: header, dimensions and data

(defvar *data* (make-array 10))

(defun matrix (data)
  (push (make-array '(2 5) :adjustable t :displaced-to data) *kept*))

(defun matrices (n)
  (dotimes (i n) (matrix nil))
  (matrix *data*))

(following "arrays with dimensions"
  (in-thread #'matrices 10)
  (same "with data, and one without that one call makes as well"
        (list 11 (+ (* 10 (+ 48 16 80)) 48 16))
        (type-sum "(ARRAY T)" (alive 'matrices))))

;;; What is freed explicitly.  The collector runs where a program says so and
;;; nowhere else.

(defun collect ()
  "Let the collector run, and then no more."
  (in-other-words)
  (call "GC_enable" :void)
  (ext:gc t)
  (call "GC_disable" :void))

(defmacro following-alone (what &body body)
  `(progn
     (call "GC_disable" :void)
     (following ,what ,@body)
     (call "GC_enable" :void)))

(defun free-conses (&optional (n (length *kept*)))
  "Free the first N conses of *KEPT*."
  (loop repeat n
        do (let ((cons *kept*))
             (setf *kept* (cdr cons))
             (ffi:c-inline (cons) (:object) :void
                           "ecl_dealloc(ECL_CONS_PTR(#0))" :one-liner t))))

(following-alone "objects that are freed"
  (in-thread #'conses 10)
  (free-conses)
  (in-thread #'conses 20)               ; perhaps at the same places
  (same "before the first collection" :not-known
        (handler-case (alive 'conses 0) (mprof:mprof-error () :not-known)))
  (collect)
  (same "others, alive" '(("CONS" 20 320)) (alive 'conses 0))
  (free-conses 15)
  (same "freed" '(("CONS" 5 80)) (alive 'conses 0))
  (in-thread #'floats 15)
  (same "with others there" '(("CONS" 5 80)) (alive 'conses 0))
  (collect)
  (same "after a collection" '(("CONS" 5 80)) (alive 'conses 0))
  (same "and the others" '(15 240)
        (type-sum "DOUBLE-FLOAT" (alive 'floats 0)))
  (in-thread (lambda ()
               (conses 30)
               (in-thread #'free-conses 30)
               (conses 40)))
  (collect)
  (same "by another thread than made them"
        (+ 5 40 15)                     ; the floats are in conses, too
        (+ (first (type-sum "CONS" (alive 'conses 0)))
           (first (type-sum "CONS" (alive 'floats 0))))))

(following-alone "what is freed while nothing counts"
  (in-thread #'conses 20)
  (collect)
  (in-thread #'conses 10)
  (mprof:stop)
  (free-conses 15)                      ; the new ones, and 5 of the others
  (in-thread #'conses 15)
  (same "at once" '(("CONS" 15 240)) (alive 'conses 0))
  (collect)
  (same "others may be there" '(("CONS" 15 240)) (alive 'conses 0))
  (setf *kept* (nthcdr 15 *kept*))
  (free-conses 5)
  (mprof:start :live t)
  (in-thread #'conses 7)
  (collect)
  (same "those that are made later live" '(("CONS" 17 272))
        (alive 'conses 0)))

(following-alone "many objects, of which another thread frees the oldest first"
  (in-thread #'conses 10000)
  (setf *kept* (nreverse *kept*))
  (in-thread #'free-conses 4000)
  (collect)
  (same "before the first collection" '(("CONS" 6000 96000))
        (alive 'conses 0))
  (in-thread #'free-conses 5000)
  (same "after it" '(("CONS" 1000 16000)) (alive 'conses 0))
  (in-thread #'conses 300)
  (collect)
  (same "with others" '(("CONS" 1300 20800)) (alive 'conses 0)))

(following-alone "objects that are freed while another thread makes some"
  (in-thread #'conses 300)
  (let ((other (mp:process-run-function "other" #'garbage 500000)))
    (free-conses 200)
    (mp:process-join other))
  (collect)
  (same "are dead, and no others" '(("CONS" 100 1600)) (alive 'conses 0)))

(following "without a collection"
  (call "GC_disable" :void)
  (mprof:reset)
  (in-thread #'conses 10)
  (same "what was made since the last one is not known" :not-known
        (handler-case (alive 'conses 0) (mprof:mprof-error () :not-known)))
  (same "and there is no last one" "0"
        (mprof.data:comment "mprof.live_collection" (mprof:load-profile)))
  (call "GC_enable" :void)
  (same "now there is" '(("CONS" 10 160)) (alive 'conses)))

;;; As Lisp data, and as a budget

(following "readers"
  (in-thread #'conses 10)
  (in-thread #'points 3)
  (let ((profile (mprof:load-profile nil :collect t)))
    (flet ((figures (table name &rest keys)
             (let ((row (mprof.data:row table name profile)))
               (loop for key in keys collect (mprof.data:figure key row)))))
      (same "of a function" '(6 288 3 48)
            (figures :functions 'points :live-allocations :live-bytes
                     :self-live-allocations :self-live-bytes))
      (same "of a type" '(3 240)
            (figures :types 'point :live-allocations :live-bytes))
      (same "of the stacks of threads, which have ended" '(0)
            (figures :functions 'mp:process-enable :self-live-bytes)))
    (same "the whole is the sum of the types" t
          (= (mprof.data:figure :live-bytes profile)
             (reduce #'+ (mprof.data:figure :types profile)
                     :key (mprof.data:reader :live-bytes))))))

(mprof:reset)
(mprof:with-profiling (:report nil) (conses 1))
(same "not known" '(nil nil)
      (list (mprof.data:figure :live-bytes (mprof:load-profile))
            (mprof.data:figure :self-live-bytes
             (mprof.data:row :functions 'conses))))

(defun exceeded (function live &optional name)
  "How many objects too many, and who made them; NIL when LIVE is kept."
  (handler-case (progn
                  (mprof:with-allocation-budget (:live live :function name)
                    (funcall function 10))
                  nil)
    (mprof:allocation-budget-exceeded (condition)
      (list (mprof.data:figure :allocations condition)
            (mprof.data:figure :bytes condition)
            (mapcar (mprof.data:reader :name)
                    (mprof.data:figure :functions condition))))))

(defvar *last* nil)

(defun loose-garbage (n)
  "Make 100 times N conses that do not refer to each other: a stale word, which
the collector takes for a reference, keeps one of them alive and no more."
  (loop repeat (* 100 n) do (setf *last* (list n)))
  (setf *last* nil))

(in-thread #'garbage 1)                 ; what a first thread leaves
(setf *kept* '())
(same "a budget that is exceeded" '(10 160 ("LIVE::CONSES"))
      (exceeded #'conses 9))
(same "one that is kept" nil (exceeded #'conses 10))
(same "by a function" '(10 160 ("LIVE::CONSES"))
      (exceeded #'conses 9 'conses))
(same "garbage" nil (exceeded #'loose-garbage 100 'loose-garbage))
(mprof:start)
(same "within a profile" t
      (handler-case (mprof:with-allocation-budget (:live 0) (conses 1))
        (mprof:mprof-error () t)))
(mprof:stop)
