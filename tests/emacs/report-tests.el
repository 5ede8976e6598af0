;;; report-tests.el --- profiles in Emacs  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: LGPL-2.1-or-later

;;; Commentary:

;; A user's session from the first command to the last; the figures are those
;; of zoo.lisp, to the byte, whatever SLIME itself allocates.

;;; Code:

(require 'session)

(defun zoo-lines ()
  "The lines of the report on functions of ZOO and what is below them."
  (lines "*slime-mprof*" "ZOO\\|called by\\|calls\\|allocates"))

(defun menu-p ()
  "Does SLIME's menu Profiling have one of mprof?"
  (and (lookup-key slime-mode-map [menu-bar slime Profiling mprof Start])
       (easy-menu-item-present-p menubar-slime '("Profiling") "mprof")
       t))

(defun names ()
  "The functions of the report, in its order."
  (with-current-buffer "*slime-mprof*"
    (mapcar (lambda (line) (substring line 65))
            (lines "*slime-mprof*" "^ *[0-9]+ "))))

(defun go-to (name)
  "Go to the function NAME in the report."
  (switch-to-buffer "*slime-mprof*")
  (delete-other-windows)
  (slime-mprof--go-to name))

(defun source-of (name)
  "The place that is shown for the function NAME, or what the user is told."
  (go-to name)
  (or (told #'slime-mprof-view-source) (place-shown)))

(begin-session)
(check "the menu" t
       (menu-p))

;; Errors are lines

(slime-eval '(cl:progn (cl:defvar cl-user::*providers*
                                  ext:*module-provider-functions*)
                       (cl:setf ext:*module-provider-functions* ())))
(check "a Lisp without mprof"
       (format "This Lisp, ECL %s, has no mprof: start mprof-ecl, the ECL that comes with it"
               (slime-eval '(cl:lisp-implementation-version)))
       (told #'slime-mprof-start))
(slime-eval '(cl:progn (cl:setf ext:*module-provider-functions*
                                cl-user::*providers*)
                       nil))
(check "no profile yet"
       "Nothing has been counted: slime-mprof-start starts counting"
       (told #'slime-mprof-report))
(check "nothing to stop" "mprof was not counting" (told #'slime-mprof-stop))

;; Counting

(type-in "(load (compile-file \"zoo.lisp\"))")
(type-in "(zoo::tree 1)")
(type-in "(progn (compile-file \"load.lisp\") nil)")
(check "start" "mprof is counting" (told #'slime-mprof-start))
(check "start again" "mprof is already counting" (told #'slime-mprof-start))
(type-in "(progn (zoo::tree 100) nil)")
(check "stop" "mprof has stopped at N bytes, including SLIME's own"
       (replace-regexp-in-string "[0-9][0-9,]*" "N" (told #'slime-mprof-stop)))

;; The report

(slime-mprof-report)
(check "the columns"
       '("Rank      Own bytes  %   Own allocs   With callees  %     Calls  Function")
       (lines "*slime-mprof*" "^Rank"))
(defconst leaf
  "   1         16,000 90        1,000         16,000 90       100  ZOO::LEAF")
(defconst branch
  "   2          1,616  9          101         17,616 99         1  ZOO::BRANCH")
(defconst others
  '("   3             48  .            3             48  .         1  (METHOD ZOO::SPEAK (CONS))"
    "   4             16  .            1         17,680 **         1  ZOO::TREE"))
(check "the functions" `(,leaf ,branch ,@others) (zoo-lines))
(check "point is at the first one" "ZOO::LEAF" (slime-mprof--name))
(check "all bytes have a function"
       (plist-get slime-mprof--profile :bytes)
       (apply #'+ (column "*slime-mprof*" 5 19)))

;; From row to row

(defun press (key)
  "Call what KEY is bound to; the function where point is then."
  (call-interactively (key-binding (kbd key)))
  (list (slime-mprof--name) (bolp)))
(check "to the next row" '("ZOO::BRANCH" t) (press "n"))
(check "and back" '("ZOO::LEAF" t) (press "p"))
(check "there is none above the first" "There are no more rows"
       (told #'press "p"))
(check "where point stays" "ZOO::LEAF" (slime-mprof--name))
(goto-char (point-max))
(check "from the end to the last row" '("ZOO::TREE" t)
       (progn (press "p")
              (while (not (equal (slime-mprof--name) "ZOO::TREE"))
                (press "p"))
              (list (slime-mprof--name) (bolp))))
(goto-char (point-min))
(check "from the head to the first row" '("ZOO::LEAF" t) (press "n"))

;; A function

(slime-mprof-toggle)
(check "who calls it, and what it allocates"
       `(,leaf
         "                                            16,000 **       100    called by ZOO::BRANCH"
         "             16,000 **        1,000                                allocates CONS"
         ,branch ,@others)
       (zoo-lines))
(forward-line)
(slime-mprof-toggle)
(check "from a caller to its own line" branch
       (buffer-substring-no-properties (point) (line-end-position)))
(slime-mprof-toggle)
(go-to "ZOO::LEAF")
(slime-mprof-toggle)
(check "whom it calls, below one that is closed again"
       `(,leaf ,branch
         "                                            17,616 **         1    called by ZOO::TREE"
         "                                            16,000 90       100    calls ZOO::LEAF"
         "              1,616 **          101                                allocates CONS"
         ,@others)
       (zoo-lines))
(goto-char (point-min))
(check "no function here" "There is no function here"
       (told #'slime-mprof-toggle))

;; Orders

(slime-mprof-sort)
(check "sorted by bytes with callees"
       '("(TOP-LEVEL-FORM)" "ZOO::TREE" "ZOO::BRANCH" "ZOO::LEAF"
         "(METHOD ZOO::SPEAK (CONS))")
       (names))
(slime-mprof-sort)
(slime-mprof-sort)
(check "sorted by calls, which are equal by name"
       '("ZOO::LEAF" "(METHOD ZOO::SPEAK (CONS))" "ZOO::BRANCH" "ZOO::TREE")
       (cl-remove "(TOP-LEVEL-FORM)" (names) :test #'equal))
(slime-mprof-sort)
(slime-mprof-sort)
(check "and again by own bytes" `(,leaf ,branch ,@others) (zoo-lines))

;; ECL's functions, and SLIME's

(slime-mprof-toggle-system)
(check "ECL's functions are there"
       '("   1         16,000 90        1,000         16,000 90       100  MAKE-LIST")
       (lines "*slime-mprof*" "MAKE-LIST"))
(slime-mprof-toggle-system)
(defconst all (+ (plist-get slime-mprof--profile :bytes)
                 (plist-get slime-mprof--profile :left-out)))
(check "SLIME's are not" nil (lines "*slime-mprof*" "SWANK"))
(slime-mprof-toggle-slime)
(check "with SLIME's it is all" all (plist-get slime-mprof--profile :bytes))
(check "of all bytes too" all (apply #'+ (column "*slime-mprof*" 5 19)))
(slime-mprof-toggle-slime)

;; Sources

(check "the source of a function" '("zoo.lisp" 10) (source-of "ZOO::LEAF"))
(check "the source of a method" '("zoo.lisp" 17)
       (source-of "(METHOD ZOO::SPEAK (CONS))"))
(check "no source" "The source of (TOP-LEVEL-FORM) is not known"
       (source-of "(TOP-LEVEL-FORM)"))

;; More work, in a thread of the user's own and at the REPL; what is printed
;; there goes through SWANK, and is the user's all the same.

(slime-mprof-start)
(type-in "(mp:process-join (mp:process-run-function \"worker\" #'zoo::branch 10))")
(type-in "(progn (princ (length (zoo::tree 0))) nil)")
(slime-eval '(swank:interactive-eval "(zoo::leaf 1)"))
(slime-eval '(swank:load-file "load.fas"))
(slime-mprof-stop)
(go-to "ZOO::TREE")
(revert-buffer)
(check "point stays" "ZOO::TREE" (slime-mprof--name))
(check "figures add up"
       '("17,632" "1,808" "96" "32")
       (mapcar (lambda (line) (string-trim (substring line 5 19)))
               (lines "*slime-mprof*" "ZOO")))
(check "what was printed" t (and (member "(TOP-LEVEL-FORM)" (names)) t))

;; While a form runs

(slime-mprof-reset)
(with-current-buffer (session-repl)
  (goto-char (point-max))
  (insert "(progn (defvar *go* nil) (loop until *go* do (sleep 1/100))
                  (zoo::tree 100) nil)")
  (slime-repl-return))
(slime-mprof-start)
(slime-eval '(cl:progn (cl:defvar cl-user::*go*) (cl:setf cl-user::*go* t)))
(await "the form" #'session-ready-p 60)
(slime-mprof-stop)
(slime-mprof-report)
(check "what ran already when it was started"
       '(("16,000" "ZOO::LEAF") ("1,616" "ZOO::BRANCH")
         ("48" "(METHOD ZOO::SPEAK (CONS))") ("16" "ZOO::TREE"))
       (mapcar (lambda (line)
                 (list (string-trim (substring line 5 19)) (substring line 65)))
               (zoo-lines)))

;; Profiles that are closed while the next one is made

(slime-mprof-start)
(dotimes (_ 5)
  (slime-mprof-report))
(type-in "(progn (si:gc t) (zoo::tree 100) (si:gc t) nil)")
(type-in "(progn (si:gc t) (zoo::tree 100) (si:gc t) nil)")
(slime-mprof-stop)
(slime-mprof-report)
(check "what closes profiles is not the user's work"
       '("ZOO::LEAF" "ZOO::BRANCH" "(METHOD ZOO::SPEAK (CONS))" "ZOO::TREE")
       (remove "(TOP-LEVEL-FORM)" (names)))

;; More call chains than there is room for

(slime-mprof-reset)
(type-in "(mprof:start :max-contexts 8)")
(type-in "(progn (zoo::tree 10) nil)")
(slime-mprof-stop)
(slime-mprof-report)
(check "a warning"
       '("mprof: the room for call chains was used up N times; the totals are exact,"
         "but some allocations show as [over the budget]."
         "To allow more, call (mprof:reset), then (mprof:start :max-contexts N).")
       (mapcar (lambda (line) (replace-regexp-in-string "[0-9]+" "N" line))
               (seq-subseq (lines "*slime-mprof*") 4 7)))

;; Compiled in a buffer

(with-current-buffer (find-file-noselect "zoo.lisp")
  (goto-char (point-min))
  (insert "\n\n")
  (search-forward "(defun leaf")
  (slime-compile-defun)
  (await "slime-compile-defun" #'session-ready-p 60))
(slime-mprof-reset)
(slime-mprof-start)
(type-in "(progn (zoo::leaf 10) nil)")
(slime-mprof-stop)
(slime-mprof-report)
(check "a function that was compiled anew"
       '("   1            160 **           10            160 **         1  ZOO::LEAF")
       (zoo-lines))
(check "its source" '("zoo.lisp" 12) (source-of "ZOO::LEAF"))

;; A command of the report elsewhere

(switch-to-buffer "zoo.lisp")
(let ((text (buffer-string)))
  (check "a buffer that is not a report"
         "This is not a report: M-x slime-mprof-report makes one"
         (told #'slime-mprof-sort))
  (check "and is as it was" text (buffer-string)))

;; The end

(slime-disable-contrib 'slime-mprof)
(check "no menu any more" nil
       (menu-p))
(check "reset" "mprof has cleared all figures" (told #'slime-mprof-reset))
(check "nothing is left" "Nothing has been counted: slime-mprof-start starts counting"
       (told #'slime-mprof-report))
(go-to "ZOO::LEAF")
(slime-mprof-toggle)
(check "what is shown can still be looked into"
       '("                                               160 **         1    called by (TOP-LEVEL-FORM)"
         "                160 **           10                                allocates CONS")
       (cdr (zoo-lines)))

(end-session)
(await "the end of the Lisp" (lambda () (not (slime-connected-p))) 60)
(check "there is no Lisp" "No Lisp is connected: M-x slime starts one"
       (told #'slime-mprof-start))
(princ (format "1..%d\n" session-count))

;;; report-tests.el ends here
