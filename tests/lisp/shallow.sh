#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A first allocation in a handler of a signal, on a stack of 8 KB, from a file of
# code that the monitor has not met: in memory, and in a file.

. "$(dirname "$0")/../cli/check.bash"
: "${BUILD:=$top/build}" "${ECL:=$BUILD/bin/ecl}"
case $ECL in /*) ;; *) ECL=$top/$ECL ;; esac

${CC:-gcc} -O1 -fPIC -shared -Wl,-z,now \
  -isystem "$(dirname "$ECL")/../ecl/include" -o shallow.so \
  "$top/tests/lisp/shallow.c"
cat >program.lisp <<'EOF'
(require :mprof)
(defvar *allocate*
  (si:find-foreign-symbol "allocate_in_handler"
                          (namestring (truename "shallow.so")) :pointer-void
                          0))
(mprof:start :file (and (equal (ext:getenv "WHERE") "file") "shallow.data"))
(si:call-cfun *allocate* :int '() '())
(mprof:stop)
(dolist (row (mprof.data:figure :functions (mprof:profile)))
  (format t "~&~A ~D~%" (mprof.data:figure :name row)
          (mprof.data:figure :self-allocations row)))
EOF
for where in memory file; do
  WHERE=$where timeout 100 "$ECL" --norc --load program.lisp \
    --eval '(ext:quit)' >out 2>err </dev/null
  result $? "in $where: it ends well"
  says "in $where: its objects" 'handle 5'
done
finish
