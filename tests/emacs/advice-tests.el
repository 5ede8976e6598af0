;;; advice-tests.el --- advice in Emacs  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: LGPL-2.1-or-later

;;; Commentary:

;; Advice as a list and beside the source: at the right lines, in buffers that
;; are there and in those that come later, until a line is changed.

;;; Code:

(require 'session)

(defun beside-source ()
  "The advice beside the source: lines, texts and what the mouse shows."
  (with-current-buffer "zoo.lisp"
    (mapcar (lambda (overlay)
              (list (line-number-at-pos (overlay-start overlay))
                    (= (overlay-end overlay)
                       (save-excursion (goto-char (overlay-start overlay))
                                       (line-end-position)))
                    (substring-no-properties
                     (overlay-get overlay 'after-string))
                    (overlay-get overlay 'help-echo)))
            (sort (cl-remove-if-not (lambda (overlay)
                                      (overlay-get overlay 'slime-mprof))
                                    (overlays-in (point-min) (point-max)))
                  (lambda (one other)
                    (< (overlay-start one) (overlay-start other)))))))

(defconst on-leaf
  '(10 t "  ;; 16,000 bytes, 1,000 allocations: calls MAKE-LIST 100 times"
       "Make one list of 1,000.\nc => d\nNot known: nothing."))
(defconst on-branch
  '(13 t "  ;; 1,616 bytes, 101 allocations: collects a list"
       "Return a vector.\na => b\nNot known: why."))

(begin-session)
(check "nothing is counted" "Nothing has been counted: slime-mprof-start begins to"
       (told #'slime-mprof-advice))
(type-in "(load (compile-file \"zoo.lisp\"))")
(slime-mprof-start)
(type-in "(progn (zoo::crowd 5) nil)")
(slime-mprof-stop)

;; What mprof says

(slime-mprof-advice)
(check "what a rule finds"
       '("ZOO::HERD, called by ZOO::CROWD"
         "160 bytes, 10 allocations, 5 calls; certain"
         "  conses its own &REST list for each call")
       (seq-subseq (lines "*slime-mprof-advice*") 2 5))
(type-in "(progn (mprof:reset) nil)")
(slime-mprof-start)
(type-in "(progn (zoo::tree 100) nil)")
(slime-mprof-stop)
(type-in "(progn (load \"advice.lisp\") nil)")

;; A buffer that is there

(find-file-noselect "zoo.lisp")
(slime-mprof-advice)
(check "the list, the largest first"
       '("RET: source; g: anew; c: clear what stands beside the source."
         ""
         "ZOO::LEAF, called by ZOO::BRANCH"
         "16,000 bytes, 1,000 allocations, 100 calls; certain"
         "  calls MAKE-LIST 100 times"
         "  Make one list of 1,000."
         "  c => d"
         "  Not known: nothing."
         ""
         "ZOO::BRANCH"
         "1,616 bytes, 101 allocations, 1 call; to be checked"
         "  collects a list"
         "  Return a vector."
         "  a => b"
         "  Not known: why."
         "")
       (lines "*slime-mprof-advice*"))
(check "beside the source" (list on-leaf on-branch) (beside-source))
(check "the faces" '(slime-mprof-check slime-mprof-certain)
       (with-current-buffer "zoo.lisp"
         (mapcar (lambda (overlay)
                   (get-text-property 0 'face
                                      (overlay-get overlay 'after-string)))
                 (sort (overlays-in (point-min) (point-max))
                       (lambda (one other)
                         (> (overlay-start one) (overlay-start other)))))))
(search-forward "\nZOO::BRANCH\n")
(check "from the list to the source" '("zoo.lisp" 13)
       (progn (slime-mprof-view-source) (place-shown)))
(set-buffer "*slime-mprof-advice*")
(goto-char (point-min))
(check "no advice here" "There is no source to show here"
       (told #'slime-mprof-view-source))

;; It does not pile up, and goes

(revert-buffer)
(check "asked again" (list on-leaf on-branch) (beside-source))
(with-current-buffer "zoo.lisp"
  (goto-char (point-min))
  (insert "\n")
  (search-forward "leaf (n")
  (insert " &optional x"))
(check "a line that is changed has no advice, others move"
       (list (cons 14 (cdr on-branch))) (beside-source))
(slime-mprof-clear-overlays)
(check "cleared" nil (beside-source))
(with-current-buffer "zoo.lisp"
  (set-buffer-modified-p nil)
  (kill-buffer))

;; A buffer that comes later; what mprof says of the line counts

(type-in "(dolist (place '(0 1))
            (setf (nth place mprof::*advice*)
                  (list* :file (namestring (truename \"zoo.lisp\")) :line 11
                         (nth place mprof::*advice*))))")
(slime-mprof-advice)
(find-file-noselect "zoo.lisp")
(check "beside a source that is visited later"
       (list 11 11) (mapcar #'car (beside-source)))
(slime-mprof-clear-overlays)

;; No advice

(type-in "(progn (setf mprof::*advice* '()) nil)")
(slime-mprof-advice)
(check "no advice" '("mprof has no advice on what was counted." "")
       (lines "*slime-mprof-advice*"))
(type-in "(progn (unexport 'mprof.data::advice :mprof.data) nil)")
(check "a mprof that gives none" "This mprof has no mprof.data:advice"
       (told #'slime-mprof-advice))

(end-session)
(princ (format "1..%d\n" session-count))

;;; advice-tests.el ends here
