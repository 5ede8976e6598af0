;;;; variants: bytecode
;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; A .fas that is made of many files, as the compiler's is, and is loaded
;;;; while counting: each file says the names of its functions when it begins
;;;; to run, so the later ones come when the .fas is known already.

(in-package #:exact)

;; What the compiler allocates depends on what it has in its caches, and these
;; on addresses: no chain is sure to be the same in two runs.
(setf *dump-only* "nothing")

(defun c-name-p (name)
  "Whether NAME is one that the compiler makes for C, such as L32compile."
  (let ((start (mismatch "LC" name)))
    (and start
         (<= 1 start 2)
         (< start (length name))
         (digit-char-p (char name start)))))

(defun c-names ()
  (remove-if-not #'c-name-p
                 (mapcar (mprof.data:reader :name)
                         (mprof.data:figure :functions *profile*))))

(check "C names are told" '(t t nil nil)
       (mapcar (lambda (name) (and (c-name-p name) t))
               '("L32compile" "LC5__g12" "LIST" "LCM")))

(defun twice (n)
  (keep (funcall (compile nil '(lambda (x) (list x x))) n)))

(measuring ("the compiler is loaded, then used" :residual nil)
    (twice 1)
  (check "no C names" '() (c-names))
  (calls "COMPILE" 1)
  (arc "COMPILE" "C::SAFE-MKSTEMP" 1))
