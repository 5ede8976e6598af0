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
                    (substring-no-properties
                     (overlay-get overlay 'help-echo))))
            (sort (cl-remove-if-not (lambda (overlay)
                                      (memq overlay mprof--overlays))
                                    (overlays-in (point-min) (point-max)))
                  (lambda (one other)
                    (< (overlay-start one) (overlay-start other)))))))

(defconst leaf
  '("1,000 objects, in 100 calls, mostly for ZOO::BRANCH; rule long-list."
    "Make one list, or none at all: all of them have the same elements, and nobody changes one."
    "(make-list 10) => '#1=(nil . #1#)"
    "Not known: whether somebody wants to change it."))
(defconst on-leaf
  `(10 t "  ;; saves 16,000 bytes: makes a list" ,(string-join leaf "\n")))
(defconst on-branch
  '(13 t "  ;; saves up to 1,616 bytes: collects a list"
       "101 objects, in 1 call; rule collect.\nReturn a vector.\n(coerce list 'vector)"))

(begin-session)
(check "nothing is counted" "Nothing has been counted: M-x mprof-start starts counting"
       (told #'mprof-advice))
(type-in "(load (compile-file \"zoo.lisp\"))")
(mprof-start)
(type-in "(progn (zoo::tree 100) nil)")
(mprof-stop)
(type-in "(progn (load \"advice.lisp\") nil)")

;; A buffer that is there

(find-file-noselect "zoo.lisp")
(mprof-advice)
(defconst rows
  '("        16,000 certain ZOO::LEAF                      makes a list"
    "         1,616 check   ZOO::BRANCH                    collects a list"))
(check "the table, the largest first" rows (lines "*mprof-advice*" "ZOO"))
(mprof--go-to 0)
(mprof-toggle)
(check "what to do"
       `(,(car rows)
         "    1,000 objects, in 100 calls, mostly for ZOO::BRANCH; rule long-list."
         "    Make one list, or none at all: all of them have the same elements, and"
         "    nobody changes one."
         "    (make-list 10) => '#1=(nil . #1#)"
         "    Not known: whether somebody wants to change it."
         ,(cadr rows) "")
       (cdr (lines "*mprof-advice*")))
(mprof-toggle)
(check "hidden again" `(,@rows "") (cdr (lines "*mprof-advice*")))
(check "beside the source" (list on-leaf on-branch) (beside-source))
(check "the faces" '(shadow warning)
       (with-current-buffer "zoo.lisp"
         (mapcar (lambda (overlay)
                   (get-text-property 0 'face
                                      (overlay-get overlay 'after-string)))
                 (sort (overlays-in (point-min) (point-max))
                       (lambda (one other)
                         (> (overlay-start one) (overlay-start other)))))))
(mprof--go-to 1)
(check "from the table to the source" '("zoo.lisp" 13)
       (progn (mprof-view-source) (place-shown)))
(set-buffer "*mprof-advice*")
(goto-char (point-min))
(check "no advice here" "There is no source to show here"
       (told #'mprof-view-source))

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
(mprof-clear-overlays)
(check "cleared" nil (beside-source))
(with-current-buffer "zoo.lisp"
  (set-buffer-modified-p nil)
  (kill-buffer))

;; A buffer that comes later; what mprof says of the line counts

(type-in "(dolist (advice mprof::*advice*)
            (setf (getf (mprof::figures-plist advice) :file)
                  (namestring (truename \"zoo.lisp\"))
                  (getf (mprof::figures-plist advice) :line) 11))")
(mprof-advice)
(find-file-noselect "zoo.lisp")
(check "beside a source that is visited later"
       (list 11 11) (mapcar #'car (beside-source)))
(mprof-clear-overlays)

;; No advice

(type-in "(progn (setf mprof::*advice* '()) nil)")
(mprof-advice)
(check "no advice" '("") (cdr (lines "*mprof-advice*")))

;; Trying a definition, which the program does not get

(with-current-buffer (find-file-noselect "zoo.lisp")
  (goto-char (point-min))
  (search-forward "make-list n")
  (replace-match "make-list (floor n 2)")
  (check "what a change saves"
         (format "before            1840 bytes          115 allocations
after             1040 bytes           65 allocations
saved              800 bytes           50 allocations, 43 %%
Compiled again: %s.
Warning: the body returned a different value.
"
                 (file-truename "zoo.lisp"))
         (told #'mprof-try-advice "(tree 10)"))
  (check "a form with an error" t
         (and (string-match-p "UNDEFINED-FUNCTION"
                              (told #'mprof-try-advice "(no-such-function)"))
              t))
  (set-buffer-modified-p nil))
(type-in "(progn (mprof:reset) (mprof:start) (zoo::leaf 10) (mprof:stop) nil)")
(mprof-report)
(check "the program is as it was" '("           160 **           10            160 **         1 ZOO::LEAF")
       (lines "*mprof*" "ZOO"))
(end-session)
(princ (format "1..%d\n" session-count))

;;; advice-tests.el ends here
