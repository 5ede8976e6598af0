;;; report-tests.el --- profiles in Emacs  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: LGPL-2.1-or-later

;;; Commentary:

;; A user's session from the first command to the last; the figures are those
;; of zoo.lisp, to the byte, whatever SLIME or Sly itself
;; allocates.

;;; Code:

(require 'session)

(defun zoo-lines (&optional buffer)
  "The lines of BUFFER, or the report, on functions of ZOO and what is below."
  (lines (or buffer "*mprof*") "ZOO\\|called by\\|calls\\|allocates"))

(defun own-bytes ()
  "The own bytes of the functions of ZOO in the report, largest first."
  (mapcar (lambda (line) (string-trim (substring line 0 14)))
          (lines "*mprof*" "ZOO")))

(defun menu-p ()
  "Has the menu Profiling one of mprof?"
  (easy-menu-item-present-p
   (symbol-value (pcase session-ide ("slime" 'menubar-slime) ("sly" 'sly-menu)))
   '("Profiling" "mprof") "Start"))

(defun names ()
  "The functions of the report, in its order."
  (mapcar (lambda (line) (substring line 59))
          (lines "*mprof*" "^ *[0-9,]+ ")))

(defun head-number (regexp)
  "The number in the head of the report that the group of REGEXP matches."
  (with-current-buffer "*mprof*"
    (string-match regexp mprof--head)
    (string-to-number (remove ?, (match-string 1 mprof--head)))))

(defun go-to (name)
  "Go to the function NAME in the report."
  (switch-to-buffer "*mprof*")
  (delete-other-windows)
  (mprof--go-to name))

(defun source-of (name)
  "The place that is shown for the function NAME, or what the user is told."
  (go-to name)
  (or (told #'mprof-view-source) (place-shown)))

(defun session-call (name argument)
  "Call the function NAME of the IDE in Lisp with ARGUMENT."
  (ide 'eval (list (intern (concat (pcase session-ide
                                     ("slime" "swank:") ("sly" "slynk:"))
                                   name))
                   argument)))

(begin-session)
(check "the menu" t (and (menu-p) t))

;; Errors are lines

(ide 'eval '(cl:progn (cl:defvar cl-user::*providers*
                                  ext:*module-provider-functions*)
                       (cl:setf ext:*module-provider-functions* ())))
(check "a Lisp without mprof"
       (format "This Lisp, ECL %s, has no mprof: start mprof-ecl, the ECL that comes with it"
               (ide 'eval '(cl:lisp-implementation-version)))
       (told #'mprof-start))
(ide 'eval '(cl:progn (cl:setf ext:*module-provider-functions*
                                cl-user::*providers*)
                       nil))
(check "no profile yet"
       "Nothing has been counted: M-x mprof-start starts counting"
       (told #'mprof-report))
(check "nothing to stop" "mprof was not counting" (told #'mprof-stop))

;; Counting

(type-in "(load (compile-file \"zoo.lisp\"))")
(type-in "(zoo::tree 1)")
(type-in "(progn (compile-file \"load.lisp\") nil)")
(check "start" "mprof is counting" (told #'mprof-start))
(check "start again" "mprof is already counting" (told #'mprof-start))
(type-in "(progn (zoo::tree 100) nil)")
(check "stop" "mprof has stopped at N bytes, including the editor's own"
       (replace-regexp-in-string "[0-9][0-9,]*" "N" (told #'mprof-stop)))

;; The report

(mprof-report)
(check "the columns"
       '("Own bytes ▼  %   Own allocs   With callees  %     Calls Function")
       (mapcar #'string-trim (lines "*mprof*" "Own allocs")))
(defconst leaf
  "        16,000 90        1,000         16,000 90       100 ZOO::LEAF")
(defconst branch
  "         1,616  9          101         17,616 99         1 ZOO::BRANCH")
(defconst others
  '("            48  .            3             48  .         1 (METHOD ZOO::SPEAK (CONS))"
    "            16  .            1         17,680 **         1 ZOO::TREE"))
(check "the functions" `(,leaf ,branch ,@others) (zoo-lines))
(check "all bytes have a function"
       (head-number "\\`\\([0-9,]+\\) bytes in ")
       (apply #'+ (column "*mprof*" 0 14)))

;; A function

(go-to "ZOO::LEAF")
(mprof-toggle)
(check "who calls it, and what it allocates"
       `(,leaf
         "                                       16,000 **       100   called by ZOO::BRANCH"
         "        16,000 **        1,000                               allocates CONS"
         ,branch ,@others)
       (zoo-lines))
(forward-line)
(mprof-toggle)
(check "from a caller to its own line" branch
       (buffer-substring-no-properties (point) (line-end-position)))
(mprof-toggle)
(go-to "ZOO::LEAF")
(mprof-toggle)
(check "whom it calls, below one that is closed again"
       `(,leaf ,branch
         "                                       17,616 **         1   called by ZOO::TREE"
         "                                       16,000 90       100   calls ZOO::LEAF"
         "         1,616 **          101                               allocates CONS"
         ,@others)
       (zoo-lines))
(goto-char (point-min))
(check "no function here" "There is no function here"
       (told #'mprof-toggle))

;; Orders

(mprof-sort)
(mprof-sort)
(check "sorted by bytes with callees"
       '("(TOP-LEVEL-FORM)" "ZOO::TREE" "ZOO::BRANCH" "ZOO::LEAF"
         "(METHOD ZOO::SPEAK (CONS))")
       (names))
(mprof-sort)
(check "sorted by calls, which are equal by name"
       '("ZOO::LEAF" "(METHOD ZOO::SPEAK (CONS))" "ZOO::BRANCH" "ZOO::TREE")
       (remove "(TOP-LEVEL-FORM)" (names)))
(mprof-sort)
(check "sorted by name" (sort (names) #'string<) (names))
(mprof-sort)
(check "and again by own bytes" `(,leaf ,branch ,@others) (zoo-lines))

;; ECL's functions, and the editor's

(mprof-toggle-system)
(check "ECL's functions are there"
       '("        16,000 90        1,000         16,000 90       100 MAKE-LIST")
       (lines "*mprof*" "MAKE-LIST"))
(mprof-toggle-system)
(defconst all (+ (head-number "\\`\\([0-9,]+\\) bytes in ")
                 (head-number "without \\([0-9,]+\\) bytes of the editor's")))
(check "the editor's are not" nil (lines "*mprof*" "SWANK\\|SLYNK"))
(mprof-toggle-editor)
(check "with the editor's it is all" all
       (head-number "\\`\\([0-9,]+\\) bytes in .*, with the editor's"))
(check "of all bytes too" all (apply #'+ (column "*mprof*" 0 14)))
(mprof-toggle-editor)

;; Sources

(check "the source of a function" '("zoo.lisp" 10) (source-of "ZOO::LEAF"))
(check "the source of a method" '("zoo.lisp" 17)
       (source-of "(METHOD ZOO::SPEAK (CONS))"))
(check "no source" "The source of (TOP-LEVEL-FORM) is not known"
       (source-of "(TOP-LEVEL-FORM)"))

;; A page and a file, with what the report shows

(defun beginning-of-file (file)
  "The first line of FILE."
  (with-temp-buffer
    (insert-file-contents file)
    (buffer-substring (point-min) (line-end-position))))
(cl-letf* ((shown nil)
           ((symbol-function 'browse-url-of-file)
            (lambda (file) (setq shown file))))
  (mprof-page "page.html")
  (check "a page" (list (expand-file-name "page.html") "<!DOCTYPE html>")
         (list shown (beginning-of-file shown)))
  (mprof-page)
  (check "a page in a file for now" "<!DOCTYPE html>"
         (beginning-of-file shown))
  (delete-file shown))
(mprof-save "shown.csv")
(check "what the report shows"
       '("(METHOD ZOO::SPEAK (CONS))" "(TOP-LEVEL-FORM)" "ZOO::BRANCH" "ZOO::LEAF"
         "ZOO::TREE")
       (with-temp-buffer
         (insert-file-contents "shown.csv")
         (sort (mapcar (lambda (line) (car (read-from-string line)))
                       (cdr (split-string (buffer-string) "\r?\n" t)))
               #'string<)))
(check "a file"
       (format "mprof has written %s" (expand-file-name "before.data"))
       (told #'mprof-save "before.data"))
(check "the type of a file is not known" t
       (and (string-match-p "before.unknown" (told #'mprof-save "before.unknown"))
            t))

;; More work, in a thread of the user's own and at the REPL; what is printed
;; there goes through the IDE, and is the user's all the same.

(mprof-start)
(type-in "(mp:process-join (mp:process-run-function \"worker\" #'zoo::branch 10))")
(type-in "(progn (princ (length (zoo::tree 0))) nil)")
(session-call "interactive-eval" "(zoo::leaf 1)")
(session-call "load-file" "load.fas")
(mprof-stop)
(go-to "ZOO::TREE")
(revert-buffer)
(check "point stays" "ZOO::TREE" (tabulated-list-get-id))
(check "figures add up"
       '("17,632" "1,808" "96" "32")
       (own-bytes))
(check "what was printed" t (and (member "(TOP-LEVEL-FORM)" (names)) t))
(mprof-compare "before.data")
(check "what grew"
       '("        +1,632           +102         16,000         17,632 ZOO::LEAF")
       (lines "*mprof-changes*" "ZOO::LEAF"))
(goto-char (point-min))
(mprof--go-to "ZOO::LEAF")
(mprof-toggle)
(check "of which type"
       '("        +1,632           +102         16,000         17,632   of CONS")
       (lines "*mprof-changes*" "  of "))
(check "its source" '("zoo.lisp" 10)
       (progn (delete-other-windows) (mprof-view-source) (place-shown)))

;; While a form runs

(mprof-reset)
(with-current-buffer (session-repl)
  (goto-char (point-max))
  (insert "(progn (defvar *go* nil) (loop until *go* do (sleep 1/100))
                  (zoo::tree 100) nil)")
  (session-return))
(mprof-start)
(ide 'eval '(cl:progn (cl:defvar cl-user::*go*) (cl:setf cl-user::*go* t)))
(await "the form" #'session-ready-p 60)
(mprof-stop)
(mprof-report)
(check "what ran already when it was started"
       '(("16,000" "ZOO::LEAF") ("1,616" "ZOO::BRANCH")
         ("48" "(METHOD ZOO::SPEAK (CONS))") ("16" "ZOO::TREE"))
       (mapcar (lambda (line)
                 (list (string-trim (substring line 0 14)) (substring line 59)))
               (zoo-lines)))

;; Live objects, regions and labels

(mprof-reset)
(mprof-start)
(type-in "(progn (zoo::tree 1) nil)")
(check "not followed" t
       (and (string-match-p ":live" (told #'mprof-toggle-live)) t))
(mprof-toggle-live)
(mprof-stop)
(mprof-reset)
(mprof-start t)
(type-in "(progn (mp:process-join (mp:process-run-function
                                  nil (lambda () (zoo::leaf 500) nil)))
                (defvar *kept* (zoo::tree 100)) nil)")
(type-in "(progn (mprof:with-region (:inner)
                  (mprof:with-labels (:user 17) (zoo::branch 1)))
                (mprof:with-labels (:user 17) (zoo::branch 2)) nil)")
(mprof-stop)
(mprof-report)
(check "all that was made" '("24,480" "1,696" "48" "16") (own-bytes))
(mprof-toggle-live)
;; The shares depend on what SWANK has kept by then.
(check "what is alive" '("16,000" "1,000" "16,000" "104")
       (let ((words (split-string (car (lines "*mprof*" " ZOO::LEAF$")))))
         (mapcar (lambda (i) (nth i words)) '(0 2 3 5))))
(mprof-toggle-held)
(check "what is held, by whom" '("16,000" "1,000")
       (let ((line (car (lines "*mprof*" "CONS by ZOO::LEAF"))))
         (list (string-trim (substring line 0 14))
               (string-trim (substring line 18 30)))))
(check "where that is made" '("zoo.lisp" 10) (source-of "CONS by ZOO::LEAF"))
(go-to "ZOO::LEAF")
(mprof-toggle-held)
(check "regions and labels" '("inner" "inner;user=17" "user=17")
       (sort (mprof--eval 'regions) #'string<))
(mprof-region "inner")
(check "in a region" '("160" "32") (own-bytes))
(mprof-region "user=17")
(check "with a label" '("480" "80") (own-bytes))
(mprof-region "")
(check "in all" '("24,480" "1,696" "48" "16") (own-bytes))

;; Compiled in a buffer

(with-current-buffer (find-file-noselect "zoo.lisp")
  (goto-char (point-min))
  (insert "\n\n")
  (search-forward "(defun leaf")
  (ide 'compile-defun)
  (await "the definition" #'session-ready-p 60))
(mprof-reset)
(mprof-start)
(type-in "(progn (zoo::leaf 10) nil)")
(mprof-stop)
(mprof-report)
(check "a function that was compiled anew"
       '("           160 **           10            160 **         1 ZOO::LEAF")
       (zoo-lines))
(check "its source" '("zoo.lisp" 12) (source-of "ZOO::LEAF"))

;; The end

(ide 'disable-contrib (session-name "%s-mprof"))
(check "no menu any more" nil (menu-p))
(check "reset" "mprof has cleared all figures" (told #'mprof-reset))
(check "nothing is left" "Nothing has been counted: M-x mprof-start starts counting"
       (told #'mprof-report))
(go-to "ZOO::LEAF")
(mprof-toggle)
(check "what is shown can still be looked into"
       '("                                          160 **         1   called by (TOP-LEVEL-FORM)"
         "           160 **           10                               allocates CONS")
       (cdr (zoo-lines)))

(end-session)
(await "the end of the Lisp" (lambda () (not (ide 'connected-p))) 60)
(check "there is no Lisp" (format "No Lisp is connected: M-x %s starts one" session-ide)
       (told #'mprof-start))
(princ (format "1..%d\n" session-count))

;;; report-tests.el ends here
