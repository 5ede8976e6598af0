;;; slime-mprof-advice.el --- Beside the source  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: LGPL-2.1-or-later

;;; Commentary:

;; The advice of mprof as a list, and as overlays at the lines concerned: in
;; buffers that visit their files now or later.  An overlay is removed when its
;; line is changed.

;;; Code:

(require 'slime-mprof)

(defvar slime-mprof--advice nil
  "The value of `swank-mprof:advice', the largest saving first.")

(defun slime-mprof--gain (advice)
  "Return the saving of ADVICE, a string."
  (format "saves %s%s" (if (slime-mprof--certain-p advice) "" "up to ")
          (slime-mprof--count (plist-get advice :saved-bytes) "byte")))

(defun slime-mprof--certain-p (advice)
  "Return non-nil if the figures prove ADVICE."
  (eq (plist-get advice :grade) :certain))

(defun slime-mprof--face (advice)
  "Return the face of ADVICE."
  (if (slime-mprof--certain-p advice) 'warning 'shadow))

(defun slime-mprof-advice ()
  "Show advice on the program, in a list and beside the source."
  (interactive)
  (let ((advice (slime-mprof--eval '(swank-mprof:advice))))
    (slime-mprof-clear-overlays)
    (setq slime-mprof--advice advice)
    (mapc #'slime-mprof--annotate (buffer-list))
    (add-hook 'find-file-hook #'slime-mprof--annotate)
    (slime-mprof--pop-to (slime-buffer-name :mprof-advice)
                         'slime-mprof-advice-mode)
    (slime-mprof--list-advice)))

(defun slime-mprof-clear-overlays ()
  "Remove the advice beside the source."
  (interactive)
  (setq slime-mprof--advice nil)
  (remove-hook 'find-file-hook #'slime-mprof--annotate)
  (dolist (buffer (buffer-list))
    (with-current-buffer buffer
      (save-restriction
        (widen)
        (remove-overlays nil nil 'slime-mprof t)))))

;; Beside the source

(defun slime-mprof--annotate (&optional buffer)
  "Add the advice on BUFFER, or the current buffer, to its lines."
  (with-current-buffer (or buffer (current-buffer))
    (dolist (advice slime-mprof--advice)
      (let ((location (plist-get advice :location)))
        (when (and location (slime-mprof--here-p location))
          (save-excursion
            (save-restriction
              (widen)
              (goto-char (slime-location-offset location))
              (slime-mprof--put advice))))))))

(defun slime-mprof--here-p (location)
  "Return non-nil if LOCATION is in the current buffer."
  (pcase (cadr location)
    (`(:file ,file)
     (and buffer-file-name
          (file-equal-p buffer-file-name (slime-from-lisp-filename file))))
    (`(:buffer ,name)
     (equal name (buffer-name)))))

(defun slime-mprof--put (advice)
  "Add ADVICE at the end of the current line, until the line is changed."
  (let ((overlay (make-overlay (line-beginning-position) (line-end-position))))
    (overlay-put overlay 'slime-mprof t)
    (overlay-put overlay 'priority (plist-get advice :saved-bytes))
    (overlay-put overlay 'evaporate t)
    (overlay-put overlay 'help-echo (slime-mprof--advice-text advice))
    (overlay-put overlay 'modification-hooks
                 (list (lambda (overlay &rest _) (delete-overlay overlay))))
    (overlay-put overlay 'after-string
                 (propertize (format "  ;; %s: %s" (slime-mprof--gain advice)
                                     (plist-get advice :fault))
                             'face (slime-mprof--face advice)))))

;; The list

(defvar slime-mprof-advice-mode-map
  (let ((map (make-sparse-keymap)))
    (set-keymap-parent map (make-composed-keymap special-mode-map
                                                 slime-parent-map))
    (define-key map "n" #'slime-mprof-next)
    (define-key map "p" #'slime-mprof-previous)
    (define-key map (kbd "RET") #'slime-mprof-view-source)
    (define-key map "v" #'slime-mprof-view-source)
    (define-key map "c" #'slime-mprof-clear-overlays)
    map))

(define-derived-mode slime-mprof-advice-mode special-mode "mprof-advice"
  "Mode for the list of advice.
\\{slime-mprof-advice-mode-map}"
  :syntax-table lisp-mode-syntax-table
  (setq-local revert-buffer-function (lambda (&rest _) (slime-mprof-advice))))

(defun slime-mprof--list-advice ()
  "Print all advice."
  (let ((inhibit-read-only t))
    (erase-buffer)
    (insert (if slime-mprof--advice
                "RET: source; g: update; c: clear advice beside the source.\n"
              "mprof has no advice on what was counted.\n"))
    (dolist (advice slime-mprof--advice)
      (insert "\n" (propertize (slime-mprof--advice-text advice)
                               'slime-mprof-location
                               (plist-get advice :location))))
    (goto-char (point-min))
    (when slime-mprof--advice
      (slime-mprof-next 1))))

(defun slime-mprof--advice-text (advice)
  "Return the text of ADVICE."
  (cl-destructuring-bind (&key name fault rule objects calls caller remedy
                               example unknown &allow-other-keys)
      advice
    (with-temp-buffer
      (insert (propertize (format "%s %s\n" name fault)
                          'face (slime-mprof--face advice) 'slime-mprof-row t)
              (format "%s, %s; %s\n" (slime-mprof--gain advice)
                      (if (slime-mprof--certain-p advice)
                          "certain"
                        "to be checked")
                      rule)
              (slime-mprof--count objects "object")
              (if calls (concat ", in " (slime-mprof--count calls "call")) "")
              (if caller (concat ", mostly for " caller) "")
              "\n")
      (slime-mprof--insert-filled "  " remedy)
      (when example
        (slime-mprof--insert-filled "    " example))
      (when unknown
        (slime-mprof--insert-filled "  " (format "Not known: %s." unknown)))
      (buffer-string))))

(defun slime-mprof--insert-filled (prefix text)
  "Print TEXT in lines that begin with PREFIX."
  (let ((start (point))
        (fill-prefix prefix)
        (fill-column 78))
    (insert prefix text "\n")
    (fill-region start (point))))

(provide 'slime-mprof-advice)

;;; slime-mprof-advice.el ends here
