;;; mprof.el --- Allocation profiles of Lisp  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: LGPL-2.1-or-later

;;; Commentary:

;; What slime-mprof.el and sly-mprof.el share: commands that show what mprof
;; counts.  The Lisp half, mprof-emacs.lisp, beside this file, makes the tables;
;; it is loaded on first use.  The functions of SLIME that are called have the
;; same names in Sly, but for the prefix.

;;; Code:

(require 'cl-lib)
(require 'tabulated-list)
(require 'text-property-search)

(defgroup mprof nil "Allocation profiles of ECL, by mprof." :group 'lisp)

(defcustom mprof-options '(:system :hide)
  "What tables and pages show: a property list of options of mprof:report.
With :editor t, they include what SLIME or Sly allocates in Lisp for itself."
  :type 'plist)

(defvar mprof--prefix nil
  "The beginning of the names of SLIME's or Sly's functions.")

(defvar mprof--show-source nil
  "The function of SLIME or Sly that shows a source location.")

(defun mprof--ide (name &rest arguments)
  "Call the function NAME of SLIME or Sly with ARGUMENTS."
  (apply (intern (format "%s-%s" mprof--prefix name)) arguments))

(easy-menu-define mprof--menu nil "Commands of mprof."
  '("mprof" :active (mprof--ide 'connected-p)
    ["Start" mprof-start]
    ["Stop" mprof-stop]
    ["Reset" mprof-reset]
    ["Report" mprof-report]
    ["Region or Label..." mprof-region]
    ["Live Objects" mprof-toggle-live]
    ["Holders" mprof-toggle-held]
    ["Compare..." mprof-compare]
    ["Page" mprof-page]
    ["Save..." mprof-save]
    ["Advice" mprof-advice]
    ["Try Definition..." mprof-try-advice]
    ["Clear Advice" mprof-clear-overlays]))

;; Calling Lisp

(defconst mprof--lisp-file
  (expand-file-name "mprof-emacs.lisp"
                    (file-name-directory (or load-file-name buffer-file-name))))

(defun mprof--eval (function &rest arguments)
  "Return the value of FUNCTION of the Lisp half; signal its errors as one line.
ARGUMENTS are data."
  (unless (mprof--ide 'connected-p)
    (user-error "No Lisp is connected: M-x %s starts one" mprof--prefix))
  (unless (mprof--ide 'eval
                      `(cl:or (cl:and (cl:find-package :mprof.emacs) t)
                              (cl:ignore-errors
                               (cl:require :mprof)
                               (cl:load ,(mprof--ide 'to-lisp-filename
                                                     mprof--lisp-file))
                               t)))
    (user-error "This Lisp, %s %s, has no mprof: start mprof-ecl, the ECL \
that comes with it" (mprof--ide 'lisp-implementation-type)
                (mprof--ide 'lisp-implementation-version)))
  (let ((value (mprof--ide 'eval `(,(intern (format "mprof.emacs:%s" function))
                                   ,@(mapcar (lambda (x) `(quote ,x))
                                             arguments)))))
    (if (eq (car-safe value) :error)
        (user-error "%s" (cadr value))
      value)))

(defun mprof--tell (function &rest arguments)
  "Show the text that FUNCTION of the Lisp half returns for ARGUMENTS."
  (message "%s" (apply #'mprof--eval function arguments)))

(defun mprof-start (&optional live)
  "Start counting every allocation, in all threads of the Lisp.
Figures in memory are added to; `mprof-reset' clears them.  LIVE, the prefix
argument, also follows objects as long as they live."
  (interactive "P")
  (mprof--tell 'start (and live t)))

(defun mprof-stop ()
  "Stop counting.  The figures are kept."
  (interactive)
  (mprof--tell 'stop))

(defun mprof-reset ()
  "Clear all figures."
  (interactive)
  (mprof--tell 'reset))

(defun mprof-save (file)
  "Write the profile to FILE, in the format of its type, as mprof:save does.
The type .data stands for the whole profile, which `mprof-compare' reads."
  (interactive "FSave profile in (.data, .html, ...): ")
  (mprof--tell 'save (mprof--ide 'to-lisp-filename (expand-file-name file))
               mprof-options))

(defun mprof-page (&optional file)
  "Show what the report shows as a page in the browser.
With a prefix argument, ask for FILE, where the page is kept."
  (interactive (list (and current-prefix-arg
                          (read-file-name "Write page to: " nil nil nil
                                          "mprof.html"))))
  (let ((file (or file (make-temp-file "mprof-" nil ".html"))))
    (mprof-save file)
    (browse-url-of-file (expand-file-name file))))

(defvar mprof--forms nil
  "The history of forms for `mprof-try-advice'.")

(defun mprof-try-advice (form)
  "Show what the definition at point would save while FORM runs.
It is tried in a copy of the Lisp, which itself stays as it is."
  (interactive (list (read-string "Count what this form allocates: "
                                  (car mprof--forms) 'mprof--forms)))
  (mprof--tell 'try-advice (mprof--ide 'current-package)
               (apply #'buffer-substring-no-properties
                      (mprof--ide 'region-for-defun-at-point))
               form))

;; Tables

(defvar-local mprof--call nil
  "The function of the Lisp half that makes the table, and its arguments.")

(defvar-local mprof--rows nil
  "The rows of the table, sorted by name.")

(defvar-local mprof--head nil
  "A line with the totals and options of the table.")

(defvar mprof--beside nil
  "Locations and texts of advice beside the source, the largest saving first.")

(defvar mprof--overlays nil
  "The overlays with advice.")

(defvar mprof-mode-map
  (let ((map (make-sparse-keymap)))
    (define-key map (kbd "TAB") #'mprof-toggle)
    (define-key map (kbd "RET") #'mprof-view-source)
    (define-key map "v" #'mprof-view-source)
    (define-key map "s" #'mprof-sort)
    (define-key map "x" #'mprof-toggle-system)
    (define-key map "w" #'mprof-toggle-editor)
    (define-key map "l" #'mprof-toggle-live)
    (define-key map "k" #'mprof-toggle-held)
    (define-key map "r" #'mprof-region)
    (define-key map "a" #'mprof-advice)
    (define-key map "c" #'mprof-clear-overlays)
    (define-key map "b" #'mprof-page)
    (define-key map "=" #'mprof-compare)
    (define-key map (kbd "C-x C-s") #'mprof-save)
    map))

(define-derived-mode mprof-mode tabulated-list-mode "mprof"
  "Mode for the tables of mprof.
\\{mprof-mode-map}"
  :syntax-table lisp-mode-syntax-table
  (setq tabulated-list-use-header-line nil
        header-line-format 'mprof--head
        tabulated-list-entries (lambda () (copy-sequence mprof--rows)))
  (add-hook 'tabulated-list-revert-hook #'mprof--fetch nil t))

(defun mprof-enable (prefix menu keymap show-source)
  "Use the Lisp of SLIME or Sly, whose functions begin with PREFIX.
MENU gets the commands of mprof, and tables the keys of KEYMAP; SHOW-SOURCE is a
function that shows a location."
  (setq mprof--prefix prefix
        mprof--show-source show-source)
  (set-keymap-parent mprof-mode-map
                     (make-composed-keymap tabulated-list-mode-map keymap))
  (easy-menu-add-item menu '("Profiling") mprof--menu))

(defun mprof-disable (menu)
  "Remove the commands of mprof from MENU, and advice from all buffers."
  (easy-menu-remove-item menu '("Profiling") "mprof")
  (mprof-clear-overlays))

(defun mprof--show (buffer &rest call)
  "Show the table that CALL, a value of `mprof--call', returns in BUFFER."
  (let ((connection (mprof--ide 'connection)))
    (with-current-buffer (get-buffer-create buffer)
      (unless (derived-mode-p 'mprof-mode)
        (mprof-mode))
      (set (intern (concat mprof--prefix "-buffer-connection")) connection)
      (setq mprof--call call)
      (revert-buffer))
    (pop-to-buffer buffer)))

(defun mprof--fetch ()
  "Read the table of the current buffer from Lisp."
  (cl-destructuring-bind (&key head columns rows warning beside)
      (apply #'mprof--eval (car mprof--call) mprof-options (cdr mprof--call))
    (setq mprof--head head
          mprof--rows (cl-loop for (id . cells) in rows
                               collect (list id (vconcat cells)))
          tabulated-list-format (vconcat (cl-loop for (name width) in columns
                                                  for n from 0
                                                  collect (mprof--column
                                                           name width n))))
    (unless (assoc (car tabulated-list-sort-key) columns)
      (setq tabulated-list-sort-key (list (caar columns))))
    (tabulated-list-init-header)
    (when (eq (car mprof--call) 'advice)
      (mprof-clear-overlays)
      (setq mprof--beside beside)
      (mapc #'mprof--annotate (buffer-list))
      (add-hook 'find-file-hook #'mprof--annotate))
    (when warning
      (message "%s" warning))))

(defun mprof--column (name width number)
  "Return the format of the column NAME of WIDTH, whose place is NUMBER.
Texts are in columns of negative width; those of width 2 are per cents."
  (list name (abs width)
        (cond ((< width 0) t)
              ((/= width 2)
               (lambda (row other)
                 (cl-flet ((value (row)
                             (string-to-number
                              (remove ?, (aref (cadr row) number)))))
                   (> (value row) (value other))))))
        :right-align (> width 0)))

(defun mprof-sort ()
  "Sort by the next column."
  (interactive)
  (let ((names (cl-loop for (name _ sorter) across tabulated-list-format
                        when sorter collect name)))
    (setq tabulated-list-sort-key
          (list (or (cadr (member (car tabulated-list-sort-key) names))
                    (car names))))
    (tabulated-list-init-header)
    (tabulated-list-print t)))

(defun mprof--about (function id)
  "Return the value of FUNCTION of the Lisp half for the row ID of the table."
  (mprof--eval function (intern (format ":%s" (car mprof--call))) id))

(defun mprof-view-source ()
  "Show the source of the function, or the place of the advice, at point."
  (interactive)
  (let* ((id (tabulated-list-get-id))
         (name (if (consp id) (car id) id)))
    (unless name
      (user-error "There is no source to show here"))
    (funcall mprof--show-source (mprof--about 'source name))))

(defun mprof-toggle ()
  "Show the details of the row at point, or hide them.
At a detail, go to the row of its function."
  (interactive)
  (beginning-of-line)
  (let ((id (tabulated-list-get-id))
        (inhibit-read-only t))
    (cond ((consp id) (mprof--go-to (car id)))
          ((null id) (user-error "There is no function here"))
          ((mprof--fold))
          (t (mprof--insert (mprof--about 'details id))))))

(defun mprof--insert (details)
  "Print DETAILS, rows and texts, below this line."
  (save-excursion
    (forward-line)
    (let ((top (point))
          (fill-column 78)
          (fill-prefix "    "))
      (dolist (detail details)
        (let ((start (point)))
          (if (consp detail)
              (tabulated-list-print-entry (car detail) (vconcat (cdr detail)))
            (insert fill-prefix detail "\n")
            (fill-region start (point)))))
      (add-text-properties top (point) '(mprof-detail t face shadow)))))

(defun mprof--fold ()
  "Remove the details of this row; return nil if it shows none."
  (save-excursion
    (forward-line)
    (let ((start (point)))
      (while (get-text-property (point) 'mprof-detail)
        (forward-line))
      (< start (prog1 (point) (delete-region start (point)))))))

(defun mprof--go-to (name)
  "Go to the row of the function NAME."
  (goto-char (point-min))
  (when (text-property-search-forward 'tabulated-list-id name t)
    (forward-line -1)))

;; The report

(defun mprof-report ()
  "Show the functions that allocated memory while mprof was counting."
  (interactive)
  (mprof--show "*mprof*" 'functions))

(defun mprof-compare (file)
  "Show what functions allocated more and less than in the profile in FILE."
  (interactive "fCompare with the earlier profile: ")
  (mprof--show "*mprof-changes*" 'changes
               (mprof--ide 'to-lisp-filename (expand-file-name file))))

(defun mprof--set (&rest options)
  "Set OPTIONS, a property list, in `mprof-options', and update the table."
  (setq mprof-options (copy-sequence mprof-options))
  (cl-loop for (option value) on options by #'cddr
           do (setq mprof-options (plist-put mprof-options option value)))
  (if (derived-mode-p 'mprof-mode)
      (revert-buffer)
    (mprof-report)))

(defmacro mprof--define-toggle (name option value docstring)
  "Define the command NAME, which sets OPTION to VALUE or nil, with DOCSTRING."
  `(defun ,name ()
     ,docstring
     (interactive)
     (mprof--set ,option (unless (eq (plist-get mprof-options ,option) ,value)
                           ,value))))

(mprof--define-toggle mprof-toggle-system :system :hide
  "Show ECL's own functions, or charge what they allocate to yours.")
(mprof--define-toggle mprof-toggle-editor :editor t
  "Show what SLIME or Sly allocated for itself, or leave it out.")
(mprof--define-toggle mprof-toggle-live :value :live
  "Show the objects that are alive, or all that were allocated.
\\[universal-argument] \\[mprof-start] starts following them.")
(mprof--define-toggle mprof-toggle-held :value :held
  "Show what holds the objects that are alive, or all that were allocated.")

(defun mprof-region (name)
  "Show only what was allocated in the region or with the label NAME."
  (interactive (list (completing-read "Region or label (empty: all): "
                                      (mprof--eval 'regions) nil t)))
  (let ((regexp (replace-regexp-in-string "[].^$*+?(){}|\\[]" "\\\\\\&" name))
        (label (string-match-p "\\`[^;]+=[^;]*\\'" name)))
    (mprof--set :label (and label regexp)
                :region (unless (or label (equal name ""))
                          (format "^%s$" regexp)))))

;; Advice beside the source, in buffers that visit their files now or later

(defun mprof-advice ()
  "Show advice on the program, in a table and beside the source."
  (interactive)
  (mprof--show "*mprof-advice*" 'advice))

(defun mprof-clear-overlays ()
  "Remove the advice beside the source."
  (interactive)
  (remove-hook 'find-file-hook #'mprof--annotate)
  (mapc #'delete-overlay mprof--overlays)
  (setq mprof--overlays nil mprof--beside nil))

(defun mprof--annotate (&optional buffer)
  "Add the advice on BUFFER, or the current buffer, to its lines."
  (with-current-buffer (or buffer (current-buffer))
    (pcase-dolist (`(,location . ,advice) mprof--beside)
      (when (pcase (cadr location)
              (`(:file ,file)
               (and buffer-file-name
                    (file-equal-p buffer-file-name
                                  (mprof--ide 'from-lisp-filename file))))
              (`(:buffer ,name)
               (equal name (buffer-name))))
        (save-excursion
          (save-restriction
            (widen)
            (goto-char (mprof--ide 'location-offset location))
            (apply #'mprof--put advice)))))))

(defun mprof--put (text help bytes grade)
  "Add TEXT at the end of the current line, until the line is changed.
The mouse shows HELP; advice that saves more BYTES is in front; it is gray
unless its GRADE is :certain."
  (let ((overlay (make-overlay (line-beginning-position) (line-end-position))))
    (push overlay mprof--overlays)
    (overlay-put overlay 'priority bytes)
    (overlay-put overlay 'evaporate t)
    (overlay-put overlay 'help-echo help)
    (overlay-put overlay 'modification-hooks
                 (list (lambda (overlay &rest _) (delete-overlay overlay))))
    (overlay-put overlay 'after-string
                 (propertize (concat "  ;; " text)
                             'face (if (eq grade :certain) 'warning 'shadow)))))

(provide 'mprof)

;;; mprof.el ends here
