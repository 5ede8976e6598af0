;;;; SPDX-License-Identifier: LGPL-2.1-or-later
;;;;
;;;; load.lisp -- a file that does something when it is loaded.

(zoo::leaf 1)
