#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Run the FiveAM tests by ASDF, as (asdf:test-system "mprof") does, but on the
# module that make has built.  FiveAM and what it needs come from their own
# folders, and are not compiled; nothing else that the machine has of ASDF or
# Lisp systems is looked at.  The C compiler gets -O0 for the tests, as some have
# it while they develop: chains are to be the same.

set -u
cd "$(dirname "$0")/../.." || exit 1
: "${BUILD:=$PWD/build}" "${ECL:=$BUILD/bin/ecl}"
: "${XDG_CACHE_HOME:=$BUILD/cache}"
libraries=${LISP_LIBRARIES:-/usr/share/common-lisp/source}
CL_SOURCE_REGISTRY="(:source-registry
  (:directory \"$libraries/fiveam/\") (:directory \"$libraries/alexandria/\")
  (:directory \"$libraries/asdf-flv/\")
  (:directory \"$libraries/trivial-backtrace/\")
  :ignore-inherited-configuration)"
export CL_SOURCE_REGISTRY XDG_CACHE_HOME

[ -e "$libraries/fiveam/fiveam.asd" ] || {
  echo "not ok - FiveAM is in $libraries (install the package cl-fiveam)"
  exit 1
}

exec "$ECL" --norc --eval '(require :mprof)' --eval '(require :asdf)' \
  --eval '(require :cmp)' \
  --eval '(setf c::*cc-optimize* "-O0")' \
  --eval '(handler-bind
              ((error (lambda (condition)
                        (format t "~&# ~A~%" condition)
                        (ext:quit 1))))
            (asdf:operate (quote asdf:load-source-op) "fiveam")
            (mapc (function asdf:register-immutable-system)
                  (cons "mprof" (asdf:registered-systems)))
            ;; before SYS:, where the installed system is
            (push (truename "lisp/") asdf:*central-registry*)
            (asdf:test-system "mprof/tests"))' \
  --eval '(ext:quit 0)' </dev/null
