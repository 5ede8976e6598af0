;;; slime-mprof.el --- Allocation profiles in SLIME  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: LGPL-2.1-or-later

;;; Commentary:

;; In the init file:
;;
;;   (with-eval-after-load 'slime (add-to-list 'slime-contribs 'slime-mprof))
;;   (setq slime-lisp-implementations '((mprof ("mprof-ecl"))))
;;
;; Then M-x mprof-start, work at the REPL, M-x mprof-report.

;;; Code:

(require 'slime)
(require 'mprof)

(define-slime-contrib slime-mprof
  "Allocation profiles of ECL, by mprof."
  (:license "LGPL-2.1-or-later")
  (:on-load (mprof-enable "slime" menubar-slime slime-parent-map
                          #'slime-show-source-location))
  (:on-unload (mprof-disable menubar-slime)))

(provide 'slime-mprof)

;;; slime-mprof.el ends here
