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
                                      (overlay-get overlay 'slime-mprof))
                                    (overlays-in (point-min) (point-max)))
                  (lambda (one other)
                    (< (overlay-start one) (overlay-start other)))))))

(defconst leaf
  '("ZOO::LEAF makes a list"
    "saves 16,000 bytes, certain; long-list"
    "1,000 objects, in 100 calls, mostly for ZOO::BRANCH"
    "  Make one list, or none at all: all of them have the same elements, and"
    "  nobody changes one."
    "    (make-list 10) => '#1=(nil . #1#)"
    "  Not known: whether somebody wants to change it."
    ""))
(defconst branch
  '("ZOO::BRANCH collects a list"
    "saves up to 1,616 bytes, to be checked; collect"
    "101 objects, in 1 call"
    "  Return a vector."
    "    (coerce list 'vector)"
    ""))
(defconst on-leaf
  `(10 t "  ;; saves 16,000 bytes: makes a list" ,(string-join leaf "\n")))
(defconst on-branch
  `(13 t "  ;; saves up to 1,616 bytes: collects a list"
       ,(string-join branch "\n")))

(begin-session)
(check "nothing is counted" "Nothing has been counted: slime-mprof-start starts counting"
       (told #'slime-mprof-advice))
(type-in "(load (compile-file \"zoo.lisp\"))")
(slime-mprof-start)
(type-in "(progn (zoo::tree 100) nil)")
(slime-mprof-stop)
(type-in "(progn (load \"advice.lisp\") nil)")

;; A buffer that is there

(find-file-noselect "zoo.lisp")
(slime-mprof-advice)
(check "the list, the largest first"
       `("RET: source; g: update; c: clear advice beside the source."
         "" ,@leaf ,@branch)
       (lines "*slime-mprof-advice*"))
(check "point is at the first row" '("ZOO::LEAF" "ZOO::BRANCH" "ZOO::LEAF")
       (with-current-buffer "*slime-mprof-advice*"
         (cl-flet ((row ()
                     (buffer-substring-no-properties
                      (point) (progn (save-excursion (forward-sexp) (point))))))
           (list (row)
                 (progn (slime-mprof-next 1) (row))
                 (progn (slime-mprof-previous 1) (row))))))
(check "beside the source" (list on-leaf on-branch) (beside-source))
(check "the faces" '(shadow warning)
       (with-current-buffer "zoo.lisp"
         (mapcar (lambda (overlay)
                   (get-text-property 0 'face
                                      (overlay-get overlay 'after-string)))
                 (sort (overlays-in (point-min) (point-max))
                       (lambda (one other)
                         (> (overlay-start one) (overlay-start other)))))))
(search-forward "\nZOO::BRANCH")
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

(type-in "(dolist (advice mprof::*advice*)
            (setf (getf (mprof::figures-plist advice) :file)
                  (namestring (truename \"zoo.lisp\"))
                  (getf (mprof::figures-plist advice) :line) 11))")
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
(end-session)
(princ (format "1..%d\n" session-count))

;;; advice-tests.el ends here
