;;; slime-mprof.el --- Allocation profiles in SLIME  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: LGPL-2.1-or-later

;;; Commentary:

;; Show what a Lisp program allocates.  mprof counts every allocation.  In the
;; init file:
;;
;;   (with-eval-after-load 'slime (add-to-list 'slime-contribs 'slime-mprof))
;;   (setq slime-lisp-implementations '((mprof ("mprof-ecl"))))
;;
;; Then M-x slime-mprof-start, work at the REPL, M-x slime-mprof-report.  The
;; Lisp half, swank-mprof.lisp, beside this file, is loaded on first use.

;;; Code:

(require 'slime)
(require 'cl-lib)

(defgroup slime-mprof nil
  "Allocation profiles of ECL, by mprof."
  :prefix "slime-mprof-"
  :group 'slime)

(defcustom slime-mprof-hide-system t
  "Whether the allocations of ECL's functions are charged to yours."
  :type 'boolean)

(defcustom slime-mprof-with-slime nil
  "Whether profiles include what SLIME allocates in Lisp for itself."
  :type 'boolean)

(defvar slime-mprof--menu
  '("mprof"
    ["Start" slime-mprof-start (slime-connected-p)]
    ["Stop" slime-mprof-stop (slime-connected-p)]
    ["Reset" slime-mprof-reset (slime-connected-p)]
    ["Report" slime-mprof-report (slime-connected-p)]
    ["Advice" slime-mprof-advice (slime-connected-p)]
    ["Clear Advice" slime-mprof-clear-overlays t]))

(define-slime-contrib slime-mprof
  "Allocation profiles of ECL, by mprof."
  (:license "LGPL-2.1-or-later")
  (:on-load
   (easy-menu-add-item menubar-slime '("Profiling") slime-mprof--menu))
  (:on-unload
   (easy-menu-remove-item menubar-slime '("Profiling") "mprof")
   (slime-mprof-clear-overlays)))

;; The rest is loaded on first use.
(autoload 'slime-mprof-advice "slime-mprof-advice" nil t)
(autoload 'slime-mprof-clear-overlays "slime-mprof-advice" nil t)

;; Calling Lisp

(defconst slime-mprof--lisp-file
  (expand-file-name "swank-mprof.lisp"
                    (file-name-directory (or load-file-name buffer-file-name))))

(defun slime-mprof--eval (form)
  "Return the value of FORM in Lisp; signal its errors as one line."
  (unless (slime-connected-p)
    (user-error "No Lisp is connected: M-x slime starts one"))
  (unless (member "SWANK-MPROF" (slime-lisp-modules))
    (unless (slime-eval '(cl:and (cl:ignore-errors (cl:require :mprof)
                                                   (cl:find-package :mprof))
                                 t))
      (user-error "This Lisp, %s %s, has no mprof: start mprof-ecl, the ECL \
that comes with it" (slime-lisp-implementation-type)
                  (slime-lisp-implementation-version)))
    (setf (slime-lisp-modules)
          (slime-eval `(swank:swank-require
                        '(:swank-mprof)
                        ,(slime-to-lisp-filename slime-mprof--lisp-file)))))
  (let ((value (slime-eval form)))
    (if (eq (car-safe value) :error)
        (user-error "%s" (cadr value))
      value)))

(defun slime-mprof-start ()
  "Start counting every allocation, in all threads of the Lisp.
Figures in memory are added to; `slime-mprof-reset' clears them."
  (interactive)
  (message "%s" (slime-mprof--eval '(swank-mprof:start))))

(defun slime-mprof-stop ()
  "Stop counting.  The figures are kept."
  (interactive)
  (message "%s" (slime-mprof--eval '(swank-mprof:stop))))

(defun slime-mprof-reset ()
  "Clear all figures."
  (interactive)
  (message "%s" (slime-mprof--eval '(swank-mprof:reset))))

;; Numbers

(defun slime-mprof--number (number)
  "Return NUMBER with its thousands separated; a dash if it is nil."
  (if (null number)
      "-"
    (let ((digits (number-to-string number)))
      (while (string-match "\\`\\(-?[0-9]+\\)\\([0-9]\\{3\\}\\)" digits)
        (setq digits (replace-match "\\1,\\2" t nil digits)))
      digits)))

(defun slime-mprof--share (part all)
  "Return PART of ALL in per cent, in two characters, as in mprof's tables."
  (let ((percent (if (zerop all) 0 (/ (* 100 part) all))))
    (cond ((zerop part) "")
          ((= percent 100) "**")
          ((zerop percent) ".")
          (t (number-to-string percent)))))

(defun slime-mprof--count (number noun)
  "Return NUMBER and NOUN, in the plural unless NUMBER is 1."
  (format "%s %s%s" (slime-mprof--number number) noun
          (if (eql number 1) "" "s")))

;; The report

(defvar-local slime-mprof--profile nil
  "The value of `swank-mprof:functions'.")

(defvar-local slime-mprof--order 0
  "The index in `slime-mprof--orders' of the current order.")

(defconst slime-mprof--orders
  '(("own bytes" . 1) ("bytes with callees" . 2) ("own allocations" . 3)
    ("calls" . 4) ("name" . 0))
  "The sort orders, and the index of each field in a function.")

(defconst slime-mprof--columns
  '((4 "Rank") (14 "Own bytes") (2 "%") (12 "Own allocs")
    (14 "With callees") (2 "%") (9 "Calls"))
  "The widths and names of the columns before the function.")

(defvar slime-mprof-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map (make-composed-keymap special-mode-map
                                                 slime-parent-map))
    (define-key map "n" #'slime-mprof-next)
    (define-key map "p" #'slime-mprof-previous)
    (define-key map (kbd "TAB") #'slime-mprof-toggle)
    (define-key map (kbd "RET") #'slime-mprof-view-source)
    (define-key map "v" #'slime-mprof-view-source)
    (define-key map "s" #'slime-mprof-sort)
    (define-key map "x" #'slime-mprof-toggle-system)
    (define-key map "w" #'slime-mprof-toggle-slime)
    (define-key map "a" #'slime-mprof-advice)
    map))

(define-derived-mode slime-mprof-mode special-mode "mprof"
  "Mode for the functions of a profile.
\\{slime-mprof-mode-map}"
  :syntax-table lisp-mode-syntax-table
  (setq truncate-lines t)
  (setq-local revert-buffer-function #'slime-mprof--refresh))

(defun slime-mprof--pop-to (name mode)
  "Show the buffer NAME of the current connection, in MODE."
  (let ((connection (slime-connection)))
    (pop-to-buffer (get-buffer-create name))
    (unless (eq major-mode mode)
      (funcall mode))
    (setq slime-buffer-connection connection)))

(defun slime-mprof-report ()
  "Show the functions that allocated memory while mprof was counting."
  (interactive)
  (let ((profile (slime-mprof--functions)))
    (slime-mprof--pop-to (slime-buffer-name :mprof) 'slime-mprof-mode)
    (slime-mprof--show profile)))

(defun slime-mprof--functions ()
  "Return the current profile, as the user options select it."
  (slime-mprof--eval `(swank-mprof:functions ,slime-mprof-hide-system
                                             ,slime-mprof-with-slime)))

(defun slime-mprof--refresh (&rest _)
  "Show the current profile."
  (slime-mprof--show (slime-mprof--functions)))

(defun slime-mprof-toggle-system ()
  "Show ECL's own functions, or charge what they allocate to yours."
  (interactive)
  (setq slime-mprof-hide-system (not slime-mprof-hide-system))
  (slime-mprof--refresh))

(defun slime-mprof-toggle-slime ()
  "Show what SLIME allocated for itself, or leave it out."
  (interactive)
  (setq slime-mprof-with-slime (not slime-mprof-with-slime))
  (slime-mprof--refresh))

(defun slime-mprof-sort ()
  "Sort the functions in the next order."
  (interactive)
  (setq slime-mprof--order (mod (1+ slime-mprof--order)
                                (length slime-mprof--orders)))
  (slime-mprof--show slime-mprof--profile))

(defun slime-mprof--sorted (functions)
  "Return FUNCTIONS in the current order, then by name."
  (let ((place (cdr (nth slime-mprof--order slime-mprof--orders))))
    (sort (copy-sequence functions)
          (lambda (one other)
            (let ((a (or (nth place one) -1))
                  (b (or (nth place other) -1)))
              (if (or (zerop place) (= a b))
                  (string< (car one) (car other))
                (> a b)))))))

(defun slime-mprof--show (profile)
  "Print PROFILE; point stays at its function."
  (unless (derived-mode-p 'slime-mprof-mode)
    (user-error "This is not a report: M-x slime-mprof-report makes one"))
  (let ((inhibit-read-only t)
        (name (slime-mprof--name))
        (rank 0))
    (setq slime-mprof--profile profile)
    (erase-buffer)
    (slime-mprof--insert-head profile)
    (dolist (function (slime-mprof--sorted (plist-get profile :functions)))
      (slime-mprof--insert-function (cl-incf rank) function))
    (slime-mprof--go-to name)))

(defun slime-mprof--insert-head (profile)
  "Print the totals of PROFILE and the names of columns."
  (cl-destructuring-bind (&key bytes allocations left-out active warning
                               &allow-other-keys)
      profile
    (insert (format "%s in %s; mprof %s.\n" (slime-mprof--count bytes "byte")
                    (slime-mprof--count allocations "allocation")
                    (if active "is counting (g: update)" "has stopped"))
            (if slime-mprof-with-slime
                "SLIME's own work is included (w: leave it out).\n"
              (format "SLIME's own work is left out: %s (w: show it).\n"
                      (slime-mprof--count left-out "byte")))
            (if slime-mprof-hide-system
                (concat "The bytes of ECL's functions are charged to yours"
                        " (x: show them).\n")
              "ECL's functions are shown (x: charge their bytes to yours).\n")
            (format (concat "Sorted by %s (s).  TAB: callers, callees, types;"
                            " RET: source; a: advice.\n")
                    (car (nth slime-mprof--order slime-mprof--orders))))
    (when warning
      (insert (propertize warning 'face 'warning) "\n")))
  (insert "\n")
  (slime-mprof--insert-line (append (mapcar #'cadr slime-mprof--columns)
                                    '("Function"))
                            'face 'bold))

(defun slime-mprof--insert-line (fields &rest properties)
  "Print FIELDS, strings, in columns, with text PROPERTIES."
  (insert (apply #'propertize
                 (concat (mapconcat (lambda (column)
                                      (format (format "%%%ds" (car column))
                                              (pop fields)))
                                    slime-mprof--columns " ")
                         "  " (car fields))
                 properties)
          "\n"))

(defun slime-mprof--insert-function (rank function)
  "Print FUNCTION, which has RANK in the order."
  (cl-destructuring-bind (name own bytes own-allocations calls) function
    (let ((all (plist-get slime-mprof--profile :bytes)))
      (slime-mprof--insert-line
       (list (number-to-string rank)
             (slime-mprof--number own) (slime-mprof--share own all)
             (slime-mprof--number own-allocations)
             (slime-mprof--number bytes) (slime-mprof--share bytes all)
             (slime-mprof--number calls)
             name)
       'slime-mprof-name name 'slime-mprof-function function
       'slime-mprof-row t))))

(defun slime-mprof--name ()
  "Return the name of the function at point, or nil."
  (get-text-property (point) 'slime-mprof-name))

(defun slime-mprof--go-to (name)
  "Go to the line of the function NAME, or to the first one."
  (goto-char (point-min))
  (let ((match (or (and name
                        (text-property-search-forward
                         'slime-mprof-function name
                         (lambda (name function) (equal name (car function)))))
                   (text-property-search-forward 'slime-mprof-function))))
    (when match
      (goto-char (prop-match-beginning match)))))

(defun slime-mprof-next (count)
  "Go to the row COUNT below this one."
  (interactive "p")
  (let ((here (point)))
    (dotimes (_ (abs count))
      (while (and (zerop (forward-line (cl-signum count)))
                  (not (get-text-property (point) 'slime-mprof-row)))))
    (unless (get-text-property (point) 'slime-mprof-row)
      (goto-char here)
      (user-error "There are no more rows"))))

(defun slime-mprof-previous (count)
  "Go to the row COUNT above this one."
  (interactive "p")
  (slime-mprof-next (- count)))

;; Callers, callees and types

(defun slime-mprof-toggle ()
  "Show callers, callees and types of the function at point, or hide them.
At one of these, go to its own line."
  (interactive)
  (beginning-of-line)
  (let ((function (get-text-property (point) 'slime-mprof-function))
        (name (slime-mprof--name)))
    (cond ((null name) (user-error "There is no function here"))
          ((null function) (slime-mprof--go-to name))
          ((slime-mprof--detail-p) (slime-mprof--fold))
          (t (slime-mprof--unfold function)))))

(defun slime-mprof--detail-p ()
  "Return non-nil if the next line is a detail."
  (save-excursion
    (forward-line)
    (get-text-property (point) 'slime-mprof-detail)))

(defun slime-mprof--fold ()
  "Remove the details below this line."
  (let ((inhibit-read-only t))
    (while (slime-mprof--detail-p)
      (save-excursion
        (forward-line)
        (delete-region (point) (progn (forward-line) (point)))))))

(defun slime-mprof--unfold (function)
  "Print the details of FUNCTION below this line."
  (pcase-let ((`(,name ,own ,bytes) function))
    (cl-destructuring-bind (&key callers callees types)
        (slime-mprof--eval `(swank-mprof:node ,name))
      (let ((inhibit-read-only t))
        (save-excursion
          (forward-line)
          (pcase-dolist (`(,relation . ,arcs) `(("called by" . ,callers)
                                                ("calls" . ,callees)))
            (pcase-dolist (`(,name ,below ,calls) arcs)
              (slime-mprof--insert-detail
               `("" "" "" "" ,(slime-mprof--number below)
                 ,(slime-mprof--share below bytes)
                 ,(slime-mprof--number calls))
               relation name name)))
          (pcase-dolist (`(,name ,bytes ,allocations) types)
            (slime-mprof--insert-detail
             `("" ,(slime-mprof--number bytes) ,(slime-mprof--share bytes own)
               ,(slime-mprof--number allocations) "" "" "")
             "allocates" name nil)))))))

(defun slime-mprof--insert-detail (fields relation name function)
  "Print FIELDS of NAME, which has RELATION, a string, to the function above.
FUNCTION is NAME if that is a function, or nil."
  (slime-mprof--insert-line
   (append fields (list (format "  %s %s" relation name)))
   'slime-mprof-name function 'slime-mprof-detail t 'face 'shadow
   'slime-mprof-row t))

(defun slime-mprof-view-source ()
  "Show the source of the function, or of the advice, at point."
  (interactive)
  (let ((location (get-text-property (point) 'slime-mprof-location))
        (name (slime-mprof--name)))
    (slime-show-source-location
     (cond (location)
           (name (slime-mprof--eval `(swank-mprof:source ,name)))
           (t (user-error "There is no source to show here"))))))

(provide 'slime-mprof)

;;; slime-mprof.el ends here
