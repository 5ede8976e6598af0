;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; advice.lisp -- advice whose every word is known, in the place of mprof's:
;;;; what is tested is how Emacs shows it.

(in-package #:mprof.data)

(cl:defparameter mprof::*advice*
  (cl:mapcar
   (cl:lambda (plist) (mprof::make-figures 'advice plist))
   '((:name "ZOO::LEAF" :grade :certain :rule "long-list" :saved-bytes 16000
      :objects 1000 :calls 100 :caller "ZOO::BRANCH" :file cl:nil :line cl:nil
      :fault "makes a list" :remedy "Make one list, or none at all: all of them have the same elements, and nobody changes one."
      :example "(make-list 10) => '#1=(nil . #1#)"
      :unknown "whether somebody wants to change it")
     (:name "ZOO::BRANCH" :grade :check :rule "collect" :saved-bytes 1616
      :objects 101 :calls 1 :caller cl:nil :file cl:nil :line cl:nil
      :fault "collects a list" :remedy "Return a vector."
      :example "(coerce list 'vector)" :unknown cl:nil))))

(cl:defmethod figure :around ((key (cl:eql :advice)) (x mprof:profile))
  mprof::*advice*)
