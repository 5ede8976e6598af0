#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A first allocation in a handler of a signal, on a stack of 8 KB, from a file of
# code that the monitor has not met: in memory, and in a file.  And a program
# that begins to count on a small stack, and has lines all the same.

. "$(dirname "$0")/../cli/check.bash"

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
(dolist (row (mprof.data:figure :functions (mprof:load-profile)))
  (format t "~&~A ~D~%" (mprof.data:figure :name row)
          (mprof.data:figure :self-allocations row)))
EOF
for where in memory file; do
  WHERE=$where timeout 100 "$ECL" --norc --load program.lisp \
    --eval '(ext:quit)' >out 2>err </dev/null
  result $? "in $where: it ends well"
  says "in $where: its objects" 'handle 5'
done
cat >work.lisp <<'EOF'
(defun work (n)
  (let ((x '())) (dotimes (i n x) (push i x))))
EOF
cat >small.lisp <<'EOF'
(require :mprof)
(load "work.fas")
(mprof:with-profiling (:report nil) (work 1000))
(dolist (row (mprof.data:figure
              :functions (mprof:load-profile (mprof:load-profile) :by :line)))
  (format t "~&~D ~A" (mprof.data:figure :self-allocations row)
          (mprof.data:figure :name row)))
(ext:quit 3)
EOF
"$ECL" --norc --eval '(compile-file "work.lisp")' --eval '(ext:quit 0)' \
  >log 2>&1 </dev/null
for kilobytes in 120 144 176 200 1024; do
  (
    ulimit -s $kilobytes
    timeout 100 "$ECL" --norc --load small.lisp >out 2>err </dev/null
    [ $? = 3 ]
  )
  result $? "a stack of $kilobytes kB: it ends well"
  says "a stack of $kilobytes kB: its objects and their line" \
    "1000 CL-USER::WORK $PWD/work.lisp:2"
done
finish
