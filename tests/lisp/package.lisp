;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; package.lisp -- the package of the tests and their suite.

(defpackage #:mprof.tests
  (:use #:common-lisp)
  (:import-from #:fiveam #:def-suite #:in-suite #:test #:is #:is-true
                #:is-false #:signals #:finishes)
  (:local-nicknames (#:data #:mprof.data))
  (:documentation "The tests of MPROF.  RUN-ALL runs them.")
  (:export #:run-all))

(in-package #:mprof.tests)

(def-suite mprof :description "The Lisp side of mprof.")
