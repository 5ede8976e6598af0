#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The distribution's ECL, killed under mprof run: objects, classes and
# functions are as in the profile of one that ends.

. "$(dirname "$0")/check.bash"
: "${STOCK_ECL:=/usr/bin/ecl}"
unset ECLDIR
if ! [ -x "$STOCK_ECL" ]; then
  echo "ok - the distribution's ECL # skip there is none"
  exit 0
fi

cat >things.lisp <<'EOF2'
(defclass thing () ((name :initarg :name)))
(defun one-thing (n) (list n (make-instance 'thing :name n)))
(dotimes (n 3000) (one-thing n))
EOF2
kill='(si:call-cfun (si:find-foreign-symbol "kill" :default :pointer-void 0)
        :int (list :int :int) (list (ext:getpid) 9))'

"$MPROF" run -q -o ended.data "$STOCK_ECL" --norc --load things.lisp \
  --eval '(ext:quit 0)' >/dev/null 2>&1 </dev/null
"$MPROF" run -q -o killed.data "$STOCK_ECL" --norc \
  --load things.lisp --eval "$kill" >/dev/null 2>&1 </dev/null
same 'the status is that of the signal' 137 $?

things() { # FILE
  "$MPROF" report --verbose --no-legend --tables=types "$1" |
    grep -F 'CL-USER::THING' | tr -s ' '
  "$MPROF" export --format=folded --value=allocs --focus=ONE-THING --frames=types \
    "$1" | grep -F 'CL-USER::THING' |
    awk '{ n += $NF } END { print n }'
}
same 'its objects, by class and function' "$(things ended.data)" \
  "$(things killed.data)"
same 'all of them are there, and the prototype of the class' 3001 \
  "$(things killed.data | tail -n 1)"
grep -q "^This ECL was not built by mprof" <("$MPROF" report --tables=types killed.data)
result $? 'what is coarser is said'

finish
