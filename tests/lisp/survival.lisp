;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; survival.lisp -- programs of which it is known how many collections their
;;;; objects survive.  It is compiled behind live.lisp, in one file with it.
;;;;
;;;; The collector runs where a program says so and nowhere else.  It may run
;;;; several times then: what is expected goes by how often it says it did.

(in-package #:live)

(defun collections ()
  "How often the collector has run."
  (si:call-cfun (si:find-foreign-symbol "GC_get_gc_no" :default :pointer-void 0)
                :unsigned-long '() '()))

(defun collect ()
  "Let the collector run, and then no more."
  (in-other-words)
  (call-collector "GC_enable")
  (ext:gc t)
  (call-collector "GC_disable"))

(defmacro following-alone (what &body body)
  `(progn
     (call-collector "GC_disable")
     (following ,what ,@body)
     (call-collector "GC_enable")))

(defun band (collections)
  (cond ((< collections 2) collections)
        ((< collections 4) 2)
        ((< collections 8) 4)
        (t 8)))

(defun in-bands (groups bytes)
  "GROUPS, a list of (COLLECTIONS . OBJECTS) of so many BYTES, as DEAD-BANDS
and LIVE-BANDS give them."
  (loop for low in '(0 1 2 4 8)
        for objects = (loop for (collections . objects) in groups
                            when (= low (band collections))
                              sum objects)
        when (plusp objects)
          collect (list low objects (* bytes objects))))

(defun bands (columns x)
  "The sums of COLUMNS of survival for X, a row or a profile, in the form of
IN-BANDS."
  (let ((rows (if (typep x 'mprof:profile)
                  (mprof.data:figure :survival x)
                  (list x))))
    (flet ((sum (column kind)
             (let ((key (intern (format nil "~A-~A" column kind) :keyword)))
               (reduce #'+ rows :key (mprof.data:reader key)))))
      (loop for low in '(0 1 2 4 8)
            for column in columns
            for bytes = (sum column "BYTES")
            when (plusp bytes)
              collect (list low (sum column "ALLOCATIONS") bytes)))))

(defun dead-bands (x)
  (bands '("DIED-0" "DIED-1" "DIED-2" "DIED-4" "DIED-8") x))

(defun live-bands (x)
  "What lives; in band 0 what is new."
  (bands '("NEW" "LIVE-1" "LIVE-2" "LIVE-4" "LIVE-8") x))

(defun sum-by-band (lists)
  (loop for low in '(0 1 2 4 8)
        for all = (remove nil (mapcar (lambda (list) (assoc low list)) lists))
        when all
          collect (list low (reduce #'+ all :key #'second)
                        (reduce #'+ all :key #'third))))

(defun fate (function type)
  "What DEAD-BANDS and LIVE-BANDS say of what was allocated below FUNCTION of TYPE, a type
or a class."
  (let ((rows (remove type
                      (mprof.data:figure :survival
                       (mprof:profile
                        (mprof:profile) :focus (format nil "::~A$" function)))
                      :test-not #'string=
                      :key (lambda (row)
                             (or (mprof.data:figure :class row)
                                 (mprof.data:figure :type row))))))
    (list (sum-by-band (mapcar #'dead-bands rows))
          (sum-by-band (mapcar #'live-bands rows)))))

(defun complete-p (x)
  "True when what died, lives and is new of X is all that was allocated."
  (let ((all (append (dead-bands x) (live-bands x))))
    (and (= (mprof.data:figure :allocations x) (reduce #'+ all :key #'second))
         (= (mprof.data:figure :bytes x) (reduce #'+ all :key #'third)))))

(defun same-as-a-whole ()
  "A file of which a sample says that more died and lives than was allocated is
refused.  So what holds of the whole here holds of each sample."
  (let ((profile (mprof:profile)))
    (same "what died, lives and is new is all" t (complete-p profile))
    (same "of each row, too" '()
          (remove-if #'complete-p (mprof.data:figure :survival profile)))
    (same "what lives, but is not new" (mprof.data:figure :live-bytes profile)
          (reduce #'+ (remove 0 (live-bands profile) :key #'first)
                  :key #'third))))

;;; Objects that are forgotten after so many collections, and others that are
;;; not

(defstruct group objects count born)

(defun new-group (maker count)
  (setf *kept* '())
  (in-thread maker count)
  (make-group :objects (shiftf *kept* '()) :count count :born (collections)))

(defun age (group)
  (- (collections) (group-born group)))

(defun fate-of (group)
  (cons (age group) (group-count group)))

(defun forget (group)
  (setf (group-objects group) '())
  (fate-of group))

(defun same-fate (maker type bytes)
  (let* ((lifetimes '(0 1 2 3 4 5 7 8 9))
         (mortal (loop for nil in lifetimes
                       for count = 1 then (* 2 count)
                       collect (new-group maker count)))
         (died (loop for group in mortal
                     for lifetime in lifetimes
                     do (loop while (< (age group) lifetime)
                              do (collect))
                     collect (forget group)))
         (old (loop for pause in '(5 3 1 1 1)
                    for count = 1000 then (+ 1000 count)
                    collect (new-group maker count)
                    do (loop repeat pause do (collect))))
         (groups (cons (new-group maker 10) old)))
    (same (format nil "~A" type)
          (list (in-bands died bytes)
                (in-bands (mapcar #'fate-of groups) bytes))
          (fate maker type))
    (same-as-a-whole)
    (mapc #'forget groups)))

(following-alone "objects that die sooner or later"
  (same-fate 'conses "CONS" 16)
  (same-fate 'points "LIVE::POINT" (+ 64 16))
  (same-fate 'vectors "(SIMPLE-ARRAY T)" (+ 48 80)))

;;; More contexts than the budget has room for

(defun turn (bits n)
  (cond ((zerop n) (vectors 1))
        ((logbitp n bits) (turn-left bits (1- n)))
        (t (turn-right bits (1- n)))))

(defun turn-left (bits n) (turn bits n))
(defun turn-right (bits n) (turn bits n))

(defun turns (n)
  "N vectors, each made at the end of one of 256 ways."
  (dotimes (i n) (turn i 8)))

(following-alone ("objects over the budget"
                  :max-contexts 300 :unfolded t)
  (same-fate 'turns "(SIMPLE-ARRAY T)" (+ 48 80))
  (same "some are" t
        (plusp (mprof.data:figure :self-allocations
                (mprof.data:row :functions "[over the budget]")))))

(following-alone "figures of a function"
  (in-thread #'conses 10)
  (same "where there was no collection" '(() ((0 10 160)))
        (fate 'conses "CONS"))
  (let ((born (collections)))
    (collect)
    (same "a function and a type" (list "LIVE::CONSES" "CONS" "cons" 10 160
                                        (in-bands (acons (- (collections) born)
                                                         10 '())
                                                  16))
          (let ((rows (mprof.data:figure :survival
                       (mprof.data:row :functions 'conses))))
            (append (loop for key in '(:name :type :category :allocations
                                       :bytes)
                          collect (mprof.data:figure key (first rows)))
                    (list (live-bands (first rows)))))))
  (mprof:reset)
  (same "after a reset" '(() ())
        (let ((profile (mprof:profile)))
          (list (remove 0 (dead-bands profile) :key #'first)
                (remove 0 (live-bands profile) :key #'first)))))

;;; Objects of three pieces: header, dimensions and data

(defvar *data* (make-array 10))

(defun matrix (data)
  (push (make-array '(2 5) :adjustable t :displaced-to data) *kept*))

(defun matrices (n)
  (dotimes (i n) (matrix nil))
  (matrix *data*))

(following-alone "arrays with dimensions"
  (in-thread #'matrices 10)
  (let ((born (collections)))
    (collect)
    (same "with data, and one without that one call makes as well"
          (list '()
                (list (list (band (- (collections) born))
                            11 (+ (* 10 (+ 48 16 80)) 48 16))))
          (fate 'matrices "(ARRAY T)")))
  (same-as-a-whole))

;;; What is freed explicitly

(defun free-conses ()
  "Free the conses of *KEPT*."
  (loop while *kept*
        do (let ((cons *kept*))
             (setf *kept* (cdr cons))
             (ffi:c-inline (cons) (:object) :void
                           "ecl_dealloc(ECL_CONS_PTR(#0))" :one-liner t))))

(following-alone "objects that are freed"
  (in-thread #'conses 10)
  (free-conses)
  (same "before the first collection" '(((0 10 160)) ()) (fate 'conses "CONS"))
  (in-thread #'conses 20)
  (let ((born (collections)))
    (collect)
    (same "others, alive"
          (list '((0 10 160))
                (in-bands (acons (- (collections) born) 20 '()) 16))
          (fate 'conses "CONS"))
    (let ((expected (list (in-bands (acons (- (collections) born) 20
                                           '((0 . 10)))
                                    16)
                          '())))
      (free-conses)
      (same "freed" expected (fate 'conses "CONS"))
      (in-thread #'floats 5)            ; perhaps where the conses were
      (same "with others there" expected (fate 'conses "CONS"))
      (collect)
      (same "after a collection" expected (fate 'conses "CONS"))))
  (same-as-a-whole))

;;; Threads that end: the figures of most go to those of others

(defvar *died* '() "(COLLECTIONS . OBJECTS) of conses.")

(defun conses-that-die (n pause)
  (conses n)
  (let ((born (collections))
        (alive (addresses *kept*)))
    (loop repeat pause do (collect))
    (setf *kept* '())
    (loop while alive
          do (let ((age (- (collections) born))
                   (before (length alive)))
               (in-other-words)
               (call-collector "GC_enable")
               (call-collector "GC_gcollect")
               (call-collector "GC_disable")
               (setf alive (still-alive alive))
               (push (cons age (- before (length alive))) *died*)))))

(following-alone "threads that end"
  (loop repeat 300 do (in-thread #'garbage 1))
  (loop for n from 1 to 12
        do (in-thread #'conses-that-die n (mod n 6)))
  (same "what died while they lived" (list (in-bands *died* 16) '())
        (fate 'conses "CONS"))
  (in-thread #'conses 100)
  (loop repeat 300 do (in-thread #'garbage 1))
  (same "and what they left" (list (in-bands *died* 16) '((0 100 1600)))
        (fate 'conses "CONS"))
  (same-as-a-whole))

(mprof:reset)
(mprof:with-profiling (:report nil) (conses 1))
(same "not known" '(() () ())
      (let ((profile (mprof:profile)))
        (list (mprof.data:figure :survival profile) (dead-bands profile)
              (live-bands profile))))
