;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; mprof-demo.asd -- the two programs of the demo, as any program would be:
;;;; a system that ASDF compiles with the ECL that it runs in.

(defsystem "mprof-demo"
  :description "Programs to profile: producer and consumer, a licence scanner"
  :license "LGPL-2.1-or-later"
  :depends-on ("cl-ppcre")
  :components ((:file "producer-consumer")
               (:file "licences")))
