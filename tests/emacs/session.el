;;; session.el --- a session in Emacs, for tests  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: LGPL-2.1-or-later

;;; Commentary:

;; Starts the ECL that the environment names under SLIME or Sly, as a user does,
;; and has what a test does then: types at the REPL, reads buffers, and compares.

;;; Code:

(require 'cl-lib)

(defconst session-ide (getenv "IDE")
  "What is tested, \"slime\" or \"sly\".")

(defun session-name (control)
  "The symbol that CONTROL names, with the name of what is tested."
  (intern (format control session-ide)))

(defun ide (name &rest arguments)
  "Call the function NAME of SLIME or Sly with ARGUMENTS."
  (apply (session-name (format "%%s-%s" name)) arguments))

;; What the manual page says; the second line names the ECL that is tested.
(with-eval-after-load (intern session-ide)
  (add-to-list (session-name "%s-contribs") (session-name "%s-mprof") t))
(set (session-name "%s-lisp-implementations")
     `((mprof (,(getenv "ECL") "--norc"
             ;; compiles SLIME in half the time
             "--eval" "(require :cmp)"
             "--eval" "(setf c::*cc-flags* (format nil \"~A -O0\" c::*cc-flags*)
                            c::*cc-optimize* \"-O0\")"))))
;; A request of the debugger is a failure and no buffer that nobody sees.
(setq slime-log-events nil
      inhibit-message t)
(setq-default case-fold-search nil)
(package-initialize)

(defvar session-count 0)
(defvar session-message nil)

(defun session-remember (&rest arguments)
  "Keep the message that ARGUMENTS make."
  (setq session-message (and (car arguments) (apply #'format arguments))))

(defun check (what expected actual)
  "Is ACTUAL, which WHAT is about, EXPECTED?"
  (cl-incf session-count)
  (if (equal expected actual)
      (princ (format "ok %d - %s\n" session-count what))
    (princ (format "not ok %d - %s\n# expected: %S\n# is:       %S\n"
                   session-count what expected actual))))

(defun told (function &rest arguments)
  "What the user is told when FUNCTION is called with ARGUMENTS."
  (setq session-message nil)
  (condition-case condition
      (progn (apply function arguments) session-message)
    (user-error (cadr condition))))

(defun await (what predicate seconds)
  "Wait for WHAT until PREDICATE is true."
  (with-timeout (seconds
                 (princ (format "not ok - %s in %s seconds\n%s" what seconds
                                (with-current-buffer
                                    (process-buffer (ide 'inferior-process))
                                  (buffer-string))))
                 (kill-emacs 1))
    (while (not (funcall predicate))
      (accept-process-output nil 0.05))))

(defun begin-session ()
  "Start the Lisp.  Its half of SLIME or Sly is compiled when it starts first."
  (require (intern session-ide))
  (call-interactively (intern session-ide))
  (await "a REPL"
         (lambda () (and (ide 'connected-p) (session-repl) (session-ready-p)))
         600)
  (advice-add 'message :before #'session-remember))

(defun end-session ()
  "End the Lisp."
  (delete-process (ide 'inferior-process)))

(defun session-repl ()
  "The buffer of the REPL, or nil."
  (get-buffer (pcase session-ide
                ("slime" "*slime-repl mprof*")
                ("sly" "*sly-mrepl for mprof*"))))

(defun session-ready-p ()
  "Does the REPL wait for a form?"
  (and (not (ide 'busy-p))
       (not (ide 'rex-continuations))
       (with-current-buffer (session-repl)
         (pcase session-ide
           ("slime" (= (point-max) slime-repl-input-start-mark))
           ("sly" (get-text-property (1- (point-max)) 'sly-mrepl--prompt))))))

(defun session-return ()
  "Send what was typed."
  (ide (pcase session-ide ("slime" 'repl-return) ("sly" 'mrepl-return))))

(defun type-in (form)
  "Type FORM, a string, at the REPL."
  (with-current-buffer (session-repl)
    (goto-char (point-max))
    (insert form)
    (session-return))
  (await form #'session-ready-p 120))

(defun lines (buffer &optional regexp)
  "The lines of BUFFER that REGEXP matches, without blanks at their ends."
  (with-current-buffer buffer
    (cl-remove-if-not (lambda (line) (string-match-p (or regexp "") line))
                      (split-string (buffer-substring-no-properties
                                     (point-min) (point-max))
                                    "\n"))))

(defun column (buffer from to)
  "The numbers between the columns FROM and TO of the rows of BUFFER."
  (mapcar (lambda (line)
            (string-to-number (replace-regexp-in-string
                               "," "" (substring line from to))))
          (lines buffer "^ *[0-9,]+ ")))

(defun place-shown ()
  "The file and line that is shown in another window."
  (cl-loop for window in (window-list)
           for buffer = (window-buffer window)
           when (buffer-file-name buffer)
           return (with-current-buffer buffer
                    (list (file-name-nondirectory buffer-file-name)
                          (line-number-at-pos (window-point window))))))

(provide 'session)

;;; session.el ends here
