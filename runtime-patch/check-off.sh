#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# check-off.sh WORK DOWNLOAD FACTS SERIES: is ECL the same with its options off
# as without the patches that they govern?  Builds it twice in WORK/ecl: without
# the patches that profiling needs, and from all but version-string with no
# option.  What both made, and what both make of a program, is compared (see
# compare-ecl.sh).  Prints `ok' or `not ok' for each file.

set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/messages.sh"

work=$1 download=$2 facts=$3 series=$4
kinds='c clos lsp cmp'

# build NAME: from the patches in WORK/NAME.series; keeps objects in WORK/NAME.
build() {
  ECL_OPTIONS='' "$here/build-ecl.sh" "$work/ecl" "$work/ecl-work" \
    "$download" "$facts" "$work/$1.series" >&2
  rm -rf "$work/$1"
  mkdir -p "$work/$1"
  (cd "$work/ecl-work/source/build" &&
    find $kinds -name '*.o' | tar -cf - libecl.so* -T -) |
    tar -xf - -C "$work/$1"
  (cd "$work" &&
    SOURCE_DATE_EPOCH=0 "$work/ecl/bin/ecl" --norc --eval '(ext:install-c-compiler)' \
      --eval '(compile-file "program.lsp" :output-file "program.fas")' \
      --eval '(ext:quit 0)' </dev/null >"$work/$1/log" 2>&1 &&
    mv program.fas "$work/$1") ||
    die "ECL does not compile $work/program.lsp; see $work/$1/log"
}

mkdir -p "$work"
cat >"$work/program.lsp" <<'LISP'
(defstruct point x y)
(defclass widget () ((name :initarg :name :accessor widget-name)))
(defmethod show ((w widget) &optional (s t)) (format s "~A" (widget-name w)))
(defmethod show :around ((w widget) &optional s) s (call-next-method))
(defmacro twice (x) `(progn ,x ,x))
(defvar *f* (lambda (x) (list x x)))
(defun fib (n) (if (< n 2) 1d0 (+ (fib (- n 1)) (fib (- n 2)))))
(defun rev (l)
  (labels ((h (a b) (if a (h (cdr a) (cons (car a) b)) b))) (h l nil)))
(defun keys (&key (a 1) b) (flet ((g (x) (cons x a))) (twice (mapcar #'g b))))
(ffi:defcallback call-back :int ((a :int)) (1+ a))
LISP
sed '/allocation-hooks/,/why-boxed/d' "$series" >"$work/without.series"
grep -v version-string "$series" >"$work/off.series"
build without
build off
cd "$work/without"
"$here/compare-ecl.sh" . ../off libecl.so program.fas \
  $(find $kinds -name '*.o' | sort)
