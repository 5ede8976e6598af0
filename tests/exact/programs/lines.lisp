;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; Lines: each has what was written there, and those of a function add up to
;;;; the function.  A comment at the end of a line gives it the name by which
;;;; it is checked.

(in-package #:exact)

(defmacro source ()
  (namestring *compile-file-pathname*))

(defun line-of (mark)
  "The number of the line that ends with the comment MARK."
  (with-open-file (in (source))
    (loop with end = (concatenate 'string "; " mark)
          for number from 1
          for text = (read-line in)
          when (eql (search end text) (- (length text) (length end)))
            return number)))

(defvar *lines*)

(defun at (name mark allocations bytes)
  "The line of NAME with that MARK itself made ALLOCATIONS objects."
  (let ((row (mprof.data:row :functions
                             (format nil "~A ~A:~D" (shown name) (source)
                                     (line-of mark))
                             *lines*)))
    (check (format nil "~A, ~A" (shown name) mark) (list allocations bytes)
           (and row (list (mprof.data:figure :self-allocations row)
                          (mprof.data:figure :self-bytes row))))))

(defun conses-at (name mark n)
  (at name mark n (* n +cons+)))

(defun calls-at (caller caller-mark callee callee-mark n)
  "N conses were made by CALLEE in that line, called from that one."
  (let ((arc (mprof.data:row :arcs
                             (loop for (name mark)
                                     in (list (list caller caller-mark)
                                              (list callee callee-mark))
                                   collect (format nil "~A ~A:~D" (shown name)
                                                   (source) (line-of mark)))
                             *lines*)))
    (check (format nil "~A by ~A" callee-mark caller-mark)
           (list n (* n +cons+))
           (and arc (list (mprof.data:figure :allocations arc)
                          (mprof.data:figure :bytes arc))))))

(defun lines-add-up ()
  "What is said of functions is said of their lines, and nothing else is."
  (let ((sums (make-hash-table :test #'equal)))
    (dolist (row (mprof.data:figure :functions *lines*))
      (let* ((name (mprof.data:figure :name row))
             (file (search " /" name)))
        (incf (gethash (subseq name 0 file) sums 0)
              (mprof.data:figure :self-bytes row))))
    (check "lines add up to functions" '()
           (loop for row in (mprof.data:figure :functions
                             (mprof:load-profile *profile* :system :hide))
                 for name = (mprof.data:figure :name row)
                 unless (eql (gethash name sums)
                             (mprof.data:figure :self-bytes row))
                   collect name))))

(defmacro with-lines ((title &key sites) form &body checks)
  `(let ((*sites* ,sites))
     (measuring (,title) ,form
       (let ((*lines* (mprof:load-profile *profile* :by :line
                                                      :system :hide)))
         ,@checks
         (lines-add-up)))))

;;; Forms in forms; calls on the way to the runtime

(defun nested (x)
  (keep (list x                         ; nested: list
              (cons x x)                ; nested: first
              (list* x                  ; nested: list*
                     (cons x (cons x x)) ; nested: two in a line
                     nil))))

(defun array-of (n)
  (keep (make-array n                   ; array
                    :initial-element
                    (list n))))         ; its element

;;; The same code in two branches is not made one.

(defun branches (x)
  (keep (case x
          (0 (list 1 2))                ; branch 0
          (1 (list 1 2))                ; branch 1
          (t (list 1 2)))))             ; other branches

;;; Macros: what they are given has its own line, what they make that of the
;;; call, though its form was read elsewhere.

(defmacro around (form)
  `(keep (cons ,form
               (cons 1 2))))

(defun expanded (x)
  (around                               ; the macro's two
   (list x x x)))                       ; given to it

;;; Local functions, lambdas, and what is inlined

(declaim (inline pair-of))
(defun pair-of (x)
  (list x                               ; where it is defined
        x))

(defun with-local (n)
  (flet ((inner (x)
           (keep (list x x))))          ; local
    (declare (notinline inner))
    (inner n)
    (mapc (lambda (x)
            (keep (cons x x)))          ; lambda
          '(1 2 3))
    (keep (pair-of n))))                ; inlined

;;; Callers are told apart by line.  Recursion is folded by functions, so that
;;; in a recursion only what lines allocate themselves is exact; where call
;;; sites are told apart, it is folded by lines.

(defun leaf (x)
  (keep (cons x x)))                    ; leaf

(defun caller ()
  (leaf 1)                              ; once
  (dotimes (i 2)
    (leaf i)                            ; twice
    (leaf i) (leaf i)))                 ; four times

(defun call-all ()
  (loop repeat 3 do (nested 1) (array-of 10))
  (loop for i below 10 do (branches i))
  (expanded 1)
  (with-local 1)
  (caller))

(with-lines ("lines") (call-all)
  (conses-at 'nested "nested: list" 9)
  (conses-at 'nested "nested: first" 3)
  (conses-at 'nested "nested: list*" 6)
  (conses-at 'nested "nested: two in a line" 6)
  (at 'array-of "array" 3 (* 3 (+ +vector+ (* 10 +word+))))
  (conses-at 'array-of "its element" 3)
  (conses-at 'branches "branch 0" 2)
  (conses-at 'branches "branch 1" 2)
  (conses-at 'branches "other branches" 16)
  (conses-at 'expanded "the macro's two" 2)
  (conses-at 'expanded "given to it" 3)
  (conses-at "(FLET EXACT::INNER :IN EXACT::WITH-LOCAL)" "local" 2)
  (conses-at "(LAMBDA :IN EXACT::WITH-LOCAL)" "lambda" 3)
  (conses-at 'with-local "inlined" 2)
  (calls-at 'caller "once" 'leaf "leaf" 1)
  (calls-at 'caller "twice" 'leaf "leaf" 2)
  (calls-at 'caller "four times" 'leaf "leaf" 4)
  (conses-at 'leaf "leaf" 7)
  (calls 'leaf 7)
  (arc 'caller 'leaf 7 7 (* 7 +cons+)))

(defun recursive (n)
  (when (plusp n)
    (if (oddp n)
        (recursive (1- n))              ; odd
        (recursive (1- n)))             ; even
    (keep (cons n n))))                 ; recursive

(with-lines ("recursion") (recursive 100)
  (conses-at 'recursive "recursive" 100)
  (calls 'recursive 100))

(with-lines ("recursion, exact" :sites t) (recursive 100)
  (conses-at 'recursive "recursive" 100)
  (calls-at 'recursive "odd" 'recursive "recursive" 49)
  (calls-at 'recursive "even" 'recursive "recursive" 50)
  (calls 'recursive 100))

(defun contexts-of (n)
  (measure "recursion for contexts" (lambda () (recursive n)))
  (mprof.data:comment "mprof.contexts" *profile*))

(dolist (*sites* '(nil t))
  (check "contexts do not grow with the depth" (contexts-of 10)
         (contexts-of 1000)))

;;; Code that is loaded again has the same lines; that it was unloaded does
;;; not matter.

(defvar *made* (namestring (merge-pathnames "lines-made.lisp" *dump*)))
(defvar *part* (namestring (merge-pathnames "lines-part.lisp" *dump*)))

(defun compiled (file text &rest options)
  "The compiled file of FILE, which has that TEXT."
  (let ((*compile-verbose* nil)
        (*standard-output* (make-broadcast-stream)))
    (with-open-file (out file :direction :output :if-exists :supersede
                              :external-format :utf-8)
      (write-string text out))
    (apply #'compile-file file :external-format :utf-8 options)))

(defun run-compiled (fas)
  (load fas :verbose nil)
  (funcall 'exact-made)
  (fmakunbound 'exact-made)
  (si:gc t))

(defun made-lines (&rest expected)
  "EXACT-MADE made so many conses in lines of *MADE*, each (LINE N)."
  (check "lines of a made file"
         (loop for (line n) in expected
               collect (list (format nil "EXACT::EXACT-MADE ~A:~D" *made* line)
                             n (* n +cons+)))
         (loop for row in (mprof.data:figure :functions
                           (mprof:load-profile *profile* :by :line
                                                           :system :hide))
               when (search "EXACT-MADE " (mprof.data:figure :name row))
                 collect (list (mprof.data:figure :name row)
                               (mprof.data:figure :self-allocations row)
                               (mprof.data:figure :self-bytes row)))))

(let ((fas (compiled *made* (format nil "~2%(defun exact-made (&aux (x 1))~%~
                                         (keep (cons x~%(list x x))))~%"))))
  (measuring ("loaded again" :residual nil)
      (dotimes (i 3) (run-compiled fas))
    (made-lines '(5 6) '(4 3)))
  (delete-file fas))

;;; What stands before a form counts as it is in the file, in bytes; a form may
;;; be compiled from a file of its own, as SLIME does.

(let* ((before (format nil "; ~C~C~%(defvar *text* \"~2:*~C~%\")~%"
                       (code-char 955) #\Return))
       (form (format nil "(defun exact-made ()~%(keep (cons 1 2)))~%"))
       (octets (+ (length before) 2)) ; that character has two
       (whole (compiled *made* (concatenate 'string before form)))
       (part (compiled *part* form :source-truename *made*
                                   :source-offset octets)))
  (dolist (fas (list whole part))
    (measuring ("places in a file" :residual nil) (run-compiled fas)
      (made-lines '(5 1)))
    (delete-file fas))
  (delete-file *made*)
  (delete-file *part*))

;;; On request, calls on one line are told apart.

(defun one-line (x) (keep (list (cons x x) (cons (cons x x) x)))) ; one line

(defun sites-of (name)
  (loop for row in (mprof.data:figure :functions
                    (mprof:load-profile nil :by :site :system :hide))
        when (and (search (concatenate 'string name " ")
                          (mprof.data:figure :name row))
                  (plusp (mprof.data:figure :self-allocations row)))
          collect (mprof.data:figure :self-allocations row)))

(loop for (sites . expected) in '((nil 15) (t 6 3 3 3))
      do (mprof:with-profiling (:report nil :sites sites)
           (dotimes (i 3) (one-line i)))
         (check (format nil "call sites~:[ are not told apart~;~]" sites)
                expected (sites-of "EXACT::ONE-LINE")))
(mprof:reset)
