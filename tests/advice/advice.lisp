;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; advice.lisp -- whether a rule of advice finds what it should, and whether
;;;; its figures come true.
;;;;
;;;; programs/RULE.lisp defines functions without arguments: FAULT-1 and so on
;;;; have the fault, MENDED-1 and so on do the same without it, ALIKE-1 and so on
;;;; look alike.  Then
;;;;
;;;;   * for FAULT-i there is advice by RULE, and what it saves is, to the byte,
;;;;     what MENDED-i allocates less;
;;;;   * for MENDED-i and ALIKE-i there is none;
;;;;   * FAULT-i and MENDED-i give back the same.
;;;;
;;;; alike.lisp has more that looks alike: RULE/N has no advice by RULE.
;;;;
;;;; What a program is expected to allocate besides is stated as the variable
;;;; *MORE-i* (default 0): so many bytes MENDED-i needs in the place of what is
;;;; saved.  The comment there says for what.
;;;;
;;;; These are a few rules, which show that real counts lead to the advice;
;;;; rows.txt has them all.

(defpackage #:advice-tests
  (:use #:common-lisp)
  (:export #:*stream-bytes*)
  (:local-nicknames (#:data #:mprof.data)))

(in-package #:advice-tests)

(defvar *rule* (ext:getenv "ADVICE_RULE"))

(defvar *stream-bytes*
  (if (string>= (lisp-implementation-version) "24") 408 352)
  "What a stream takes, without its buffer.")

(defun compiled (source)
  "The package into which SOURCE is loaded; it is compiled if it was not yet."
  (let* ((name (pathname-name source))
         (*package* (make-package (string-upcase name) :use '(#:common-lisp)))
         (*standard-output* (make-broadcast-stream))
         (code (format nil "~A/~A.fas" (ext:getenv "ADVICE_WORK") name)))
    (load (or (probe-file code) (compile-file source :output-file code)))
    *package*))

(defun measured (name package)
  "What the function NAME of PACKAGE gives back, the bytes that it allocates, and
what advice by the rule says that it saves; NIL: there is none."
  (let ((function (find-symbol name package))
        (value nil))
    (funcall function)                  ; what is made once is made now
    (mprof:with-profiling (:report nil)
      (setf value (funcall function)))
    (let* ((profile (mprof:load-profile))
           (advice (remove *rule* (data:figure :advice profile)
                           :key (data:reader :rule) :test #'string/=)))
      (values value (data:figure :bytes profile)
              (and advice
                   (reduce #'+ advice :key (data:reader :saved-bytes)))))))

(defvar *failed* nil)

(defun check (name good control &rest arguments)
  (format t "~:[not ok~;ok~] - ~A: ~A~@[~%# ~A~]~%" good *rule* name
          (and (not good) (apply #'format nil control arguments)))
  (unless good
    (setf *failed* t)))

(defun check-pair (i package)
  "Compare the I-th function that has the fault with the mended one."
  (multiple-value-bind (fault fault-bytes saved)
      (measured (format nil "FAULT-~D" i) package)
    (multiple-value-bind (mended mended-bytes left)
        (measured (format nil "MENDED-~D" i) package)
      (let* ((more (find-symbol (format nil "*MORE-~D*" i) package))
             (more (if more (symbol-value more) 0)))
        (check (format nil "fault ~D, and mended, do the same" i)
               (equalp fault mended) "~S and ~S" fault mended)
        (check (format nil "fault ~D is found, and ~@[~D~] bytes are saved" i
                       saved)
               (eql saved (+ (- fault-bytes mended-bytes) more))
               "saves ~A; ~D bytes before, ~D after" saved fault-bytes
               mended-bytes)
        (check (format nil "mended ~D has no advice" i) (null left)
               "saves ~A" left)))))

(defun check-alike (name package)
  (let ((saved (nth-value 2 (measured name package))))
    (check (format nil "~(~A~) has no advice" name) (null saved)
           "saves ~A" saved)))

(defun numbered (control package)
  "The numbers from 1 on for which PACKAGE has the name that CONTROL makes."
  (loop for i from 1
        while (find-symbol (format nil control i) package)
        collect i))

(defun main ()
  (let ((package (compiled (format nil "tests/advice/programs/~A.lisp" *rule*)))
        (shared (compiled "tests/advice/alike.lisp")))
    (dolist (i (numbered "FAULT-~D" package))
      (check-pair i package))
    (loop for (control package) in `(("ALIKE-~D" ,package)
                                     (,(format nil "~:@(~A~)/~~D" *rule*) ,shared))
          do (dolist (i (numbered control package))
               (check-alike (format nil control i) package)))
    (ext:quit (if *failed* 1 0))))
