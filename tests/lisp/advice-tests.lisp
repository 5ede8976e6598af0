;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; advice-tests.lisp -- advice as text and as data, and whether a change
;;;; helps.  What the rules find is tested in ../advice/.

(in-package #:mprof.tests)

(in-suite mprof)

(declaim (notinline gather gather-twice))

(defun gather (&rest numbers)
  (setf *kept* (length numbers)))

(defun gather-twice (n)
  (dotimes (i n)
    (gather i i)
    (gather i i)))

(test advice-is-data
  (with-idle-profiler
    (let* ((profile (profiled (gather-twice 5)))
           (advice (data:advice profile))
           (first (first advice)))
      (is (= 1 (length advice)))
      (is (equal '("rest-list" "MPROF.TESTS::GATHER" :check 320 320 20 10 20
                   "cl_grab_rest_args" "MPROF.TESTS::GATHER-TWICE")
                 (mapcar (lambda (reader) (funcall reader first))
                         '(data:rule data:name data:grade data:saved-bytes
                           data:bytes data:allocations data:calls data:objects
                           data:called data:caller))))
      (is (search "advice-tests.lisp" (data:file first)))
      (dolist (reader '(data:fault data:remedy data:example data:unknown))
        (is (stringp (funcall reader first))))
      (is (null (data:advice (mprof:filter-profile profile :ignore "GATHER$"))))
      (is (null (data:advice (profiled (make-conses 5))))))))

(test advice-is-printed
  (with-idle-profiler
    (let* ((profile (profiled (gather-twice 5)))
           (text (mprof:advise :profile profile :stream nil :legend nil)))
      (is (search "1. saves up to 320 bytes, 100 %: MPROF.TESTS::GATHER" text))
      (is (search "20 conses, 320 bytes, 16 each, in 10 calls" text))
      (is (eq profile (nth-value 1 (mprof:advise :profile profile
                                                 :stream nil))))
      (is (search "saves up to 320 bytes" (mprof:report :profile profile
                                                  :tables :advice
                                                  :stream nil)))
      (signals mprof:mprof-error (mprof:advise :profile profile :limit 0))
      (is (search "Nothing has been counted"
                  (progn (mprof:reset) (mprof:advise :stream nil)))))))

(test changes-are-tried
  (with-idle-profiler
    (let ((text (make-string-output-stream))
          (before #'gather))
      (let ((*standard-output* text))
        (is (equal '(320 20 t)
                   (multiple-value-list
                    (mprof:try-advice ((defun gather (a b)
                                         (declare (ignore a b))
                                         (setf *kept* 2)))
                      (gather-twice 5)
                      *kept*))))
        (is (equal '(320 20 nil)
                   (multiple-value-list
                    (mprof:try-advice ((defun gather (a b)
                                         (declare (ignore b))
                                         (setf *kept* a)))
                      (gather-twice 5)
                      *kept*)))))
      (is (eq before #'gather))
      (is (search "saved              320 bytes           20 allocations"
                  (get-output-stream-string text))))
    ;; however it ends
    (let ((before #'gather)
          (*standard-output* (make-broadcast-stream)))
      (signals program-error
        (mprof:try-advice ((defun gather (a) a)) (gather-twice 1)))
      (is (eq before #'gather))
      (signals mprof:mprof-error
        (mprof:try-advice ((defun gather-thrice (a) a)) (gather-twice 1)))
      (signals mprof:mprof-error
        (mprof:try-advice ((defmacro gather (a) a)) (gather-twice 1)))
      (mprof:start)
      (signals mprof:already-active
        (mprof:try-advice ((defun gather (&rest a) a)) (gather-twice 1)))
      (mprof:stop))))
