;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; COMPILE-FILE and LOAD as wholes: thousands of chains through the
;;;; compiler, the printer and the loader, and two runs of the C compiler,
;;;; with threads that wait for them.  No figure is known from outside, so
;;;; these are relations that must hold: sums, shares, types.

(in-package #:exact)

;; What other processes do decides how often the compiler looks for the end of
;; the C compiler, so the dumps of two runs are not compared.
(setf *dump-only* "only chains with this text")

(defvar *source* (namestring (ext:mkstemp "TMP:exact-source-")))
(defvar *fas* (concatenate 'string *source* ".fas"))

(with-open-file (out *source* :direction :output :if-exists :supersede)
  (with-standard-io-syntax
    (let ((*package* (find-package '#:exact)))
      (print '(in-package #:exact) out)
      (print '(defstruct compiled-pair left right) out)
      (print '(defmacro swapped (form)
               `(,(first form) ,@(reverse (rest form))))
             out)
      (print '(defun pair-up (list)
               (mapcar (lambda (x) (swapped (cons x (list x x)))) list))
             out)
      (print '(defmethod measured ((pair compiled-pair) &key (depth 1.5d0))
               (format nil "~A ~S" depth (compiled-pair-left pair)))
             out))))

(defun compile-it ()
  (let ((*standard-output* (make-broadcast-stream))
        (*error-output* (make-broadcast-stream))
        (*compile-verbose* nil))
    (compile-file *source* :output-file *fas*)))

(compile-it)

(defun everything ()
  (list (mprof.data:figure :allocations *profile*)
        (mprof.data:figure :bytes *profile*)))

(defun figures-below (name)
  (let ((f (mprof.data:row :functions name *profile*)))
    (and f (list (mprof.data:figure :allocations f)
                 (mprof.data:figure :bytes f)))))

(defun whole (name)
  "NAME caused all that was counted, and its types are those of the profile."
  (check (format nil "~A caused everything" (shown name)) (everything)
         (figures-below name))
  (check "types of functions add up to types"
         (sort (loop for type in (mprof.data:figure :types *profile*)
                     collect (list (mprof.data:figure :name type)
                                   (mprof.data:figure :allocations type)
                                   (mprof.data:figure :bytes type)))
               #'string< :key #'first)
         (sort (loop for type in (mprof.data:figure :types *profile*)
                     for name = (mprof.data:figure :name type)
                     for rows = (mapcar #'cdr (mprof.data:type-functions name
                                                                    *profile*))
                     collect (list name
                                   (reduce #'+ rows
                                           :key (mprof.data:reader :allocations))
                                   (reduce #'+ rows
                                           :key (mprof.data:reader :bytes))))
               #'string< :key #'first))
  (check "classes are those of instances and structures" '()
         (remove-if (lambda (type)
                      (eq (not (null (mprof.data:figure :class type)))
                          (not (null (member (mprof.data:figure :type type)
                                             '("INSTANCE" "STRUCTURE")
                                             :test #'string=)))))
                    (mprof.data:figure :types *profile*)))
  (type-total "RAW-MEMORY" 0 0)
  (check "the residual is nothing, or it is said what it is" t
         (or (equal "0" (mprof.data:comment "mprof.residual_bytes"
                                               *profile*))
             (stringp (mprof.data:comment "mprof.residual_note"
                                             *profile*))))
  (check "nothing without a name" "0"
         (mprof.data:comment "mprof.unattributed_bytes" *profile*))
  (check "no function is an address or in brackets" '()
         (remove-if-not (lambda (name)
                          (or (search "0x" name) (char= #\[ (char name 0))))
                        (mapcar (mprof.data:reader :name)
                                (mprof.data:figure :functions *profile*)))))

;; (The collector's table of finalizers may grow.)
(measuring ("compile-file" :residual nil) (compile-it)
  (whole 'compile-it)
  (check "COMPILE-FILE caused everything but the two streams"
         (mapcar #'- (everything) (list 2 (* 2 +stream+)))
         (figures-below 'compile-file))
  (calls 'compile-file 1))

;; This program is itself being loaded, so there is another LOAD on each
;; chain.
(defun load-it (file)
  (load file :verbose nil))

(measuring ("load of a compiled file" :residual nil) (load-it *fas*)
  (whole 'load-it)
  (apply #'arc 'load-it 'load 1 (everything))
  (calls 'load-it 1))

(measuring ("load of source" :residual nil) (load-it *source*)
  (whole 'load-it)
  (apply #'arc 'load-it 'load 1 (everything))
  (calls 'load-it 1))

(measuring ("compile" :residual nil)
    (keep (compile nil '(lambda (x) (list x x))))
  (whole 'compile)
  (calls 'compile 1))

(delete-file *source*)
(delete-file *fas*)
