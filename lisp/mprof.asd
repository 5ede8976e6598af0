;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; mprof.asd -- the systems: the profiler, and its tests.
;;;;
;;;; The files are in reading order, each built on those above it.  The tests,
;;;; in ../tests/lisp/ of the source tree, are not installed: TEST-OP says so.

(defsystem "mprof"
  :description "Exact allocation profiler for ECL"
  :license "LGPL-2.1-or-later"
  :version (:read-file-line "../VERSION")
  :serial t
  :components ((:file "package")
               (:file "bindings")
               (:file "figures")
               (:file "conditions")
               (:file "session")
               (:file "options")
               (:file "region")
               (:file "profile")
               (:file "compare")
               (:file "report")
               (:file "with-profiling")
               (:file "budget")
               (:file "try-advice")
               (:file "serve")
               (:file "declarations"))
  :in-order-to ((test-op (test-op "mprof/tests"))))

(defsystem "mprof/tests"
  :description "The tests of mprof's Lisp side"
  :license "LGPL-2.1-or-later"
  :depends-on ("mprof" "fiveam")
  :pathname "../tests/lisp/"
  :serial t
  :components ((:file "package")
               (:file "subjects")
               (:file "session-tests")
               (:file "with-profiling-tests")
               (:file "profile-tests")
               (:file "contexts-tests")
               (:file "compare-tests")
               (:file "report-tests")
               (:file "save-tests")
               (:file "budget-tests")
               (:file "region-tests")
               (:file "strings-tests")
               (:file "advice-tests")
               (:file "declarations-tests")
               (:file "documentation-tests")
               (:file "runner"))
  :perform (prepare-op (operation system)
             (declare (ignore operation))
             (unless (uiop:directory-exists-p (component-pathname system))
               (error "The tests of mprof are not installed: there is no ~A~%~
                       Load lisp/mprof.asd of the source tree first, then ~
                       (asdf:test-system \"mprof\")."
                      (component-pathname system))))
  ;; FiveAM returns whether all tests passed; ASDF ignores values.
  :perform (test-op (operation system)
             (declare (ignore operation system))
             (unless (symbol-call '#:mprof.tests '#:run-all)
               (error "Tests of mprof failed."))))
