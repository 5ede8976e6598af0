#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Counting begins and ends, and figures are written, while a thread runs the
# constructor of a library, which starts a thread and forks: the monitor may
# not wait for the dynamic linker.

. "$(dirname "$0")/../cli/check.bash"
include=$(dirname "$ECL")/../ecl/include

for flags in '-o opener.so' '-DLIBRARY -o library.so'; do
  # shellcheck disable=SC2086
  ${CC:-gcc} -O1 -fPIC -shared -isystem "$include" $flags \
    "$top/tests/lisp/constructor.c"
done
# Several files, whose functions that load them have one name.
echo '(defun work (n) (let ((x nil)) (dotimes (i n x) (push i x))))' >one.lisp
echo '(defun other (n) (work n))' >two.lisp
cat >program.lisp <<'EOF'
(require :mprof)
(load "one.fas")
(load "two.fas")
(defun c-function (name)
  (si:find-foreign-symbol name :default :pointer-void 0))
(defvar *begin* (c-function "constructor_begin"))
(defvar *go-on* (c-function "constructor_go_on"))
(defvar *has-ended* (c-function "constructor_has_ended"))
(defvar *end* (c-function "constructor_end"))
(defun call (function &optional path)
  (if path
      (si:call-cfun function :int '(:cstring) (list path))
      (si:call-cfun function :int '() '())))

(call *begin* "./library.so")
(mprof:start)
(other 1000)
(mprof:save "running.data")
(mprof:stop)
(mprof:save "stopped.data")
(mprof:reset)
(format t "~&the constructor runs~%")
(mprof:start)
(call *go-on*)
(loop until (= 1 (call *has-ended*))
      do (mprof:stop)
         (mprof:start)
         (mprof:save "running-on.data"))
(mprof:stop)
(format t "~&it ended: ~D~%" (call *end*))
(ext:quit 3)
EOF
timeout 100 "$ECL" --norc --eval '(compile-file "one.lisp")' \
  --eval '(compile-file "two.lisp")' --eval '(ext:quit 0)' \
  </dev/null >log 2>&1 || sed 's/^/# /' log
LD_PRELOAD=$PWD/opener.so timeout 60 "$ECL" --norc --load program.lisp \
  </dev/null >log 2>&1
[ $? = 3 ] # 0: its debugger has read the end of the input
result $? 'it ends'
grep -q '^the constructor runs$' log
result $? 'counting begins and ends while a constructor runs'
for file in running stopped; do
  "$MPROF" export --format=folded --value=allocs $file.data 2>&1 |
    grep -q 'OTHER;.*WORK 1000$'
  result $? "what is $file has its figures"
done
grep -q '^it ended: 11$' log
result $? 'a constructor starts a thread, and forks, while counting begins and ends'
[ "$failures" = 0 ] || tail -n 5 log | sed 's/^/# /'
finish
