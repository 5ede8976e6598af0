;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; advice.lisp -- advice whose every word is known, in the place of mprof's:
;;;; what is tested with it is how Emacs shows it.

(in-package #:mprof)

(defparameter *advice*
  '((:grade :check :name "ZOO::BRANCH" :caller nil :file nil :line nil
     :saved-bytes 1616 :allocations 101 :calls 1 :fault "collects a list"
     :remedy "Return a vector." :example "a => b" :unknown "why")
    (:grade :certain :name "ZOO::LEAF" :caller "ZOO::BRANCH" :file nil :line nil
     :saved-bytes 16000 :allocations 1000 :calls 100
     :fault "calls MAKE-LIST 100 times" :remedy "Make one list of 1,000."
     :example "c => d" :unknown "nothing")))

(defmethod data:advice ((x profile))
  (loop for plist in *advice*
        collect (make-figures 'advice plist)))
