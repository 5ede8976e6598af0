;;; sly-mprof.el --- Allocation profiles in Sly  -*- lexical-binding: t -*-

;; SPDX-License-Identifier: LGPL-2.1-or-later

;;; Commentary:

;; In the init file:
;;
;;   (with-eval-after-load 'sly (add-to-list 'sly-contribs 'sly-mprof t))
;;   (setq sly-lisp-implementations '((mprof ("mprof-ecl"))))
;;
;; Then M-x mprof-start, work at the REPL, M-x mprof-report.

;;; Code:

(require 'sly)
(require 'mprof)

(define-sly-contrib sly-mprof
  "Allocation profiles of ECL, by mprof."
  (:license "LGPL-2.1-or-later")
  (:on-load (mprof-enable "sly" sly-menu sly-mode-map
                          (lambda (location)
                            (sly--display-source-location location nil
                                                          'window))))
  (:on-unload (mprof-disable sly-menu)))

(provide 'sly-mprof)

;;; sly-mprof.el ends here
