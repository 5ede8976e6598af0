#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# No handler of a signal, which may throw, runs while a thread holds the
# monitor's lock: also where threads begin and end, of Lisp and of C.

. "$(dirname "$0")/../cli/check.bash"

${CC:-gcc} -O1 -fPIC -shared -o interrupted.so \
  "$top/tests/lisp/interrupted-thread.c"
cat >program.lisp <<'EOF'
(require :mprof)
(defun foreign (name size)
  (si:find-foreign-symbol name :default :int size))
(defun value (name)
  (si:foreign-data-ref-elt (foreign name 4) 0 :int))
(mprof:start)
(dotimes (i 3)
  (mp:process-join (mp:process-run-function "child" #'list 1 2)))
(defvar *before* (value "held_count"))
(si:call-cfun (si:find-foreign-symbol "import_threads" :default
                                      :pointer-void 0)
              :void '(:object :int) '(nil 3))
(format t "~&imported ~D~%" (- (value "held_count") *before*))
(mprof:stop)
(format t "~&threads ~:[few~;all~]~%handlers ~D~%" (>= *before* 6)
        (value "handled_count"))
EOF
LD_PRELOAD=$PWD/interrupted.so timeout 100 "$ECL" --norc --load program.lisp \
  --eval '(ext:quit)' >out 2>err </dev/null
result $? 'threads begin and end'
says 'the lock was held' 'threads all'
says 'and by threads of C' 'imported 6'
says 'no handler ran meanwhile' 'handlers 0'
finish
