;;;; variants: compiled
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; A program that changes while it is profiled: functions, files, packages
;;;; and classes come, change and go, and what they allocated keeps its name.
;;;; (random/ redefines functions that run.)
;;;;
;;;; Loading and compiling allocate much that is not compared here (the dump
;;;; does not have it), but for what the loaded code does.

(in-package #:exact)

(setf *dump-only* "MADE-BY")

;;; Typed definitions of one name are one function, also once it is compiled.

(defun quietly (function)
  (let ((*standard-output* (make-broadcast-stream))
        (*error-output* (make-broadcast-stream)))
    (funcall function)))

(defun type-and-compile ()
  (dotimes (i 5)
    (eval `(defun made-by-typed (x) (keep (cells ,i)) x))
    (funcall 'made-by-typed i)
    (funcall 'made-by-typed i))
  (quietly (lambda () (compile 'made-by-typed)))
  (funcall 'made-by-typed 4)
  (fmakunbound 'made-by-typed))

(measuring ("a function typed five times, compiled, then forgotten"
            :residual nil)
    (type-and-compile)
  ;; X, and 0 to 4 conses twice; four when it is compiled
  (conses-of 'type-and-compile 'made-by-typed 11 (+ 20 (b 10) 4)))

;;; Files.

(defun file (name)
  "The same name however the stack is walked, since it shows in the dump."
  (namestring (merge-pathnames (format nil "change-~A" name)
                               (make-pathname :name nil :type nil
                                              :defaults *dump*))))

(defun write-file (name &rest forms)
  (with-open-file (out (file name) :direction :output :if-exists :supersede)
    (with-standard-io-syntax
      (let ((*package* (find-package '#:exact)))
        (format out "~S~%~{~S~%~}" '(in-package #:exact) forms)))))

(defun compile-it (name)
  (quietly (lambda ()
             (compile-file (file name)
                           :output-file (file (format nil "~A.fas" name))))))

(defun load-it (name)
  (load (file name) :verbose nil))

(write-file "a" '(defun made-by-file (n) (dotimes (i n) (keep (cells 1))))
            '(made-by-file 10)
            '(defvar *made-by-form* (cells 3)))
(compile-it "a")

(defun load-often ()
  (load-it "a.fas")
  (load-it "a.fas")
  (load-it "a")
  (funcall 'made-by-file 7))

(measuring ("a file loaded twice, then its source" :residual nil)
    (load-often)
  (calls 'made-by-file 4)
  ;; the last two calls are interpreted: N, the limit and I
  (conses 'made-by-file (+ 10 10 10 (b 3) 7 (b 3)))
  (conses-of (format nil "(LOAD ~S)" (file-namestring (file "a")))
             'made-by-file 2 20)
  (conses-of 'load-often 'made-by-file 1 (+ 7 (b 3))))

;;; Code that is unloaded, whose addresses other code gets.  When it is loaded
;;; again it goes on where it was: contexts and leaves do not become more.

(write-file "one" '(defun made-by-one (n) (dotimes (i n) (keep (cells 1)))))
(write-file "two" '(defun made-by-two (n) (dotimes (i n) (keep (cells 2)))))
(compile-it "one")
(compile-it "two")

(defun address-of (name)
  "Where the shared object NAME lies, as a string of digits."
  (with-open-file (maps "/proc/self/maps")
    (loop for line = (read-line maps nil)
          while line
          when (search name line)
            return (subseq line 0 (position #\- line)))))

(defvar *addresses* nil
  "(NAME . ADDRESS) of all that was loaded.")

(defvar *contexts* nil
  "How many there were after each turn, the last first.")

(defun load-call-unload (name function n)
  (let ((fas (format nil "~A.fas" name)))
    (load-it fas)
    (funcall function n)
    (push (cons name (address-of fas)) *addresses*)
    (let ((block (si:compiled-function-block (fdefinition function))))
      (fmakunbound function)
      (si:unload-foreign-module block))
    (when (address-of fas)
      (error "~A is still loaded." fas))))

(defun take-turns ()
  (dotimes (i 10)
    (load-call-unload "one" 'made-by-one 3)
    (load-call-unload "two" 'made-by-two 5)
    (push (getf (mprof:status) :contexts) *contexts*)))

(measuring ("code that is unloaded" :residual nil) (take-turns)
  (check "an address was used again by other code" t
         (loop for (name . address) in *addresses*
               thereis (loop for (other . place) in *addresses*
                             thereis (and (string/= name other)
                                          (string= address place)))))
  ;; LOAD may take another way in some turn
  (check "contexts that a turn adds" 0
         (loop for (after before) on *contexts*
               while before minimize (- after before)))
  (conses-of 'load-call-unload 'made-by-one 10 30)
  (conses-of 'load-call-unload 'made-by-two 10 100))

;;; Symbols that lose their package.

(defun read-and-eval (&rest strings)
  (dolist (string strings)
    (eval (let ((*package* (find-package '#:exact)))
            (read-from-string string)))))

(defpackage #:dying (:export #:made-by-exported))

(read-and-eval
 "(defun dying::made-by-internal (x) (keep (cells 3)) x)"
 "(defun dying:made-by-exported (x) (mapc (lambda (y) (keep y)) (cells 1)) x)"
 "(defclass dying::made-by-class () (x))"
 "(defgeneric dying::made-by-method (x))"
 "(defmethod dying::made-by-method ((x dying::made-by-class)) (cells 1))")

(defun call-dying ()
  (dolist (name '("MADE-BY-INTERNAL" "MADE-BY-EXPORTED"))
    (funcall (find-symbol name '#:dying) 1))
  (funcall (find-symbol "MADE-BY-METHOD" '#:dying)
           (make-instance (find-symbol "MADE-BY-CLASS" '#:dying))))

(call-dying)

(measuring ("a package that is deleted")
    (progn (call-dying)
           (delete-package '#:dying))
  (conses "DYING::MADE-BY-INTERNAL" (+ 3 (b 1)))
  ;; X, a list of one, and the lambda, which has X in sight
  (if (by-release t nil)
      (self "DYING:MADE-BY-EXPORTED" 4 (+ (* 3 +cons+) +interpreted-closure+))
      (conses "DYING:MADE-BY-EXPORTED" 2))
  (conses "(LAMBDA :IN DYING:MADE-BY-EXPORTED)" (b 1))
  (conses "(METHOD DYING::MADE-BY-METHOD (DYING::MADE-BY-CLASS))" (+ 1 (b 1)))
  (class-total "DYING::MADE-BY-CLASS" 1 (+ +instance+ +word+)))

;;; They keep their names in the next profile.

(defpackage #:leaving)
(read-and-eval "(defun leaving::made-by-orphan (x) (keep x))"
               "(defun leaving::made-by-renamed (x) (keep x))")

(measuring ("a symbol that is uninterned, and a package that is renamed")
    (let ((orphan (find-symbol "MADE-BY-ORPHAN" '#:leaving))
          (renamed (find-symbol "MADE-BY-RENAMED" '#:leaving)))
      (funcall orphan 1)
      (funcall renamed 1)
      (unintern orphan '#:leaving)
      (rename-package '#:leaving '#:after)
      (funcall orphan 1)
      (funcall renamed 1))
  (calls "LEAVING::MADE-BY-ORPHAN" 2)
  (calls "LEAVING::MADE-BY-RENAMED" 2))

;;; Classes.

(defclass made-by-name () (a b))

(defun rename-the-class ()
  (let ((class (find-class 'made-by-name)))
    (make-instance class)
    (setf (class-name class) 'made-by-new-name)
    (make-instance class)))

(rename-the-class)
(setf (class-name (find-class 'made-by-name)) 'made-by-name)

;; A class shows under the name that it has when the profile is written.
(measuring ("a class that is renamed" :residual nil) (rename-the-class)
  (class-total 'made-by-new-name 2 (* 2 (+ +instance+ (* 2 +word+))))
  (class-total 'made-by-name 0 0))

;;; Starting, stopping and forgetting below many frames, which are known.

(defun made-by-level (n)
  (keep (cells 1))
  (case n
    (300 (mprof:stop) (keep (cells 50)) (start))
    (200 (mprof:reset))
    (0 (mprof:stop) (start)))
  (unless (zerop n)
    (made-by-level (1- n)))
  (when (= n 100)
    (mprof:stop)
    (keep (cells 50))
    (start))
  (keep (cells 2)))

(setf *title* "start, stop and reset")
(mprof:reset)
(start)
(made-by-level 400)
(mprof:stop)
(take-profile)
;; Counted are 199 to 0 on the way down, and all on the way up.  The frames
;; that are there when counting begins anew count as called: after the reset
;; 400 to 0, at the bottom 400 to 0, on the way up 400 to 100.
(conses 'made-by-level (+ 200 (* 401 2)))
(calls 'made-by-level (+ 401 401 301))
(arc 'made-by-level 'made-by-level (+ 400 400 300))

;;; Snapshots while other threads work, which may hold the lock on packages and
;;; wait for the profiler.

(defvar *stop* nil)
(defvar *rounds* 0)

(defpackage #:crowd)

(defun made-by-thread ()
  (loop until *stop*
        do (intern (format nil "S~D" (incf *rounds*)) '#:crowd)
           (keep (cells 50))))

;; How far the thread comes is not the same each time.
(setf *dump-only* "[nothing]")

(measuring ("snapshots while a thread interns" :residual nil)
    (let ((thread (mp:process-run-function "crowd" #'made-by-thread)))
      (loop while (zerop *rounds*)
            do (sleep 0.001))
      (dotimes (i 30)
        (mprof::free-snapshot
         (list (mprof::take-snapshot '(0)))))
      (setf *stop* t)
      (mp:process-join thread))
  (conses 'made-by-thread (* 50 *rounds*))
  (calls 'made-by-thread 1))

(dolist (name '("a" "a.fas" "one" "one.fas" "two" "two.fas"))
  (delete-file (file name)))
