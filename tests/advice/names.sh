#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# This ECL has each function that a rule of advice names.  What is local to a
# function is not looked for, nor CL-PPCRE.
. "$(dirname "$0")/../cli/check.bash"

awk '
  /^#/ { next }
  /^[^ ]/ { listed = /^(called|through|without|leaf):/; sub(/^[^:]*:/, "") }
  listed' "$top/reduce/advice/rules.txt" |
  tr ',' '\n' | sed 's/^ *//' |
  grep -vE '^$|LAMBDA :IN|CL-PPCRE' | LC_ALL=C sort -u >names
grep -E '^([a-z_][0-9A-Za-z_]*|FE.*|CEerror)$' names >in-c
grep -vxFf in-c names >in-lisp

# Functions that are compiled for their file alone have no symbol but one of C.
nm "$(dirname "$ECL")/../ecl/lib/libecl.so" |
  sed -E 's/.* //; s/\..*//; s/^L[0-9]+//' | LC_ALL=C sort -u >symbols
cat >check.lisp <<'END'
(defun known-p (name)
  "Whether NAME is a function, or (METHOD F CLASSES) a method of one."
  (if (consp name)
      (find-method (fdefinition (second name)) '()
                   (mapcar #'find-class (third name)) nil)
      (fboundp name)))

(with-open-file (in "in-lisp")
  (loop for line = (read-line in nil)
        while line
        unless (ignore-errors (known-p (read-from-string line)))
          do (format t "unknown ~A~%" line)))
(ext:quit 3)
END
"$ECL" --norc --load check.lisp </dev/null >out 2>&1
[ $? = 3 ] # 0: its debugger has read the end of the input
result $? 'it has looked for all of them'
sed -n 's/^unknown //p' out |
  while read -r name; do
    compiled=${name##*:}
    compiled=${compiled,,}
    grep -qxF "${compiled//-/_}" symbols || echo "$name"
  done >missing
LC_ALL=C comm -23 in-c symbols >>missing

[ "$(wc -l <in-c)" -gt 100 ] && [ "$(wc -l <in-lisp)" -gt 100 ] &&
  [ ! -s missing ]
result $? 'ECL has all functions that rules name' || sed 's/^/# /' missing

finish
