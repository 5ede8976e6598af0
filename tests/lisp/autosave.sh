#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Programs that are saved again and again: what is there when they are killed,
# when they end, and in the child of a fork.

. "$(dirname "$0")/../cli/check.bash"
: "${BUILD:=$top/build}" "${ECL:=$BUILD/bin/ecl}"
case $ECL in /*) ;; *) ECL=$top/$ECL ;; esac

# The program: FORM after `work' has made 1234 conses.
cat >prelude.lisp <<'EOF'
(require :mprof)
(defun work (n) (let ((x '())) (dotimes (i n x) (push i x))))
(compile 'work)
(defun c (name &rest arguments)
  (si:call-cfun (si:find-foreign-symbol name :default :pointer-void 0) :int
                (substitute :int t (mapcar #'integerp arguments)) arguments))
(defun say (what) (format t "~&~A~%" what) (finish-output))
EOF
begin() {
  exec timeout 100 "$ECL" --norc --load prelude.lisp --eval "$1" \
    --eval '(work 1234)' "${@:2}" </dev/null >log 2>err
}
program() { (begin "$@"); }

# figures FILE: of the function WORK, its objects and bytes.
figures() {
  "$MPROF" report --tables=direct --no-legend --verbose "$1" |
    awk '$NF == "CL-USER::WORK" { for (i = 1; i <= NF; i++)
      if ($i ~ /^[0-9][0-9][0-9][0-9]+$/) printf "%s ", $i }'
}

# same NAME EXPECTED GOT
same() {
  [ "$2" = "$3" ]
  result $? "$1"
  [ "$2" = "$3" ] || echo "# expected '$2', got '$3'"
}

wait_for() { # COMMAND...
  for ((i = 0; i < 600; i++)); do
    "$@" && return
    sleep 0.1
  done
}

start='(mprof:start :file "saved.data" :autosave 0.05)'
for signal in KILL ABRT TERM; do
  rm -f saved.data log
  begin "$start" --eval '(say (format nil "pid ~D" (ext:getpid)))' \
    --eval '(sleep 100)' &
  wait_for grep -qs '^pid' log
  rm -f saved.data
  wait_for test -e saved.data
  cp saved.data first.data
  rm -f saved.data
  wait_for test -e saved.data
  kill -$signal "$(sed -n 's/^pid //p' log)"
  wait $! 2>/dev/null
  same "SIG$signal: what was made is in the file" '19744 1234 ' \
    "$(figures saved.data)"
  same 'between two saves nothing is allocated' \
    "$("$MPROF" report --no-legend --tables=threads --verbose first.data)" \
    "$("$MPROF" report --no-legend --tables=threads --verbose saved.data)"
  run report --tables=reconciliation saved.data
  grep -q '^ *0  residual' out
  result $? 'the collector has counted the same'
done

start='(mprof:start :file "saved.data" :autosave 1000)'
rm -f saved.data
program "$start" --eval '(ext:quit 3)'
same 'a program that ends: its status' 3 $?
same 'what it made is in the file' '19744 1234 ' "$(figures saved.data)"
same 'nothing is said' '' "$(cat err)"

rm -f saved.data
program "$start" --eval '(mprof:stop)' --eval '(work 1234)' \
  --eval '(ext:quit 0)'
same 'counting is stopped: it is saved' '19744 1234 ' "$(figures saved.data)"

rm -f saved.data
program '(mprof:with-profiling (:report nil :file "saved.data" :autosave 0.05)
           (work 1234) (sleep 0.2))' --eval '(ext:quit 0)'
same 'with-profiling' '19744 1234 ' "$(figures saved.data)"

# The child of a fork has a profile of its own, which is saved by nobody.
rm -f saved.data
program "$start" --eval '(when (zerop (c "fork")) (work 1234)
                              (ext:quit 0 nil))' \
  --eval '(c "wait" 0)' --eval '(say (probe-file "saved.data"))' \
  --eval '(ext:quit 0)'
same 'the child of a fork saves nothing' NIL "$(tail -n 1 log)"
same 'and its parent what it made' '19744 1234 ' "$(figures saved.data)"

mkdir gone
program '(mprof:start :file "gone/x.data" :autosave 0.01)' \
  --eval '(ext:run-program "mv" (list "gone" "moved"))' \
  --eval '(loop repeat 600
                until (with-open-file (s "err") (plusp (file-length s)))
                do (sleep 0.1))' --eval '(sleep 0.3)' --eval '(ext:quit 0)'
same 'what cannot be written is said once while it runs' \
  "mprof: cannot write '$PWD/gone/x.data': No such file or directory" \
  "$(head -n 1 err)"
same 'and at its end' 1 "$(grep -c '^mprof: cannot write.*directory\.$' err)"
same 'and not more often' 2 "$(grep -c 'cannot write' err)"

echo precious >victim
ln -s victim saved.data.tmp
rm -f saved.data
program '(mprof:with-profiling (:report nil :file "saved.data")
           (work 1234))' --eval '(ext:quit 0)'
same 'a link in place of the temporary file' '19744 1234 ' \
  "$(figures saved.data)"
same 'what it leads to' precious "$(cat victim)"

# Under a limit to its address space of 200 MB.
rm -f saved.data
(
  ulimit -v 200000
  program '(mprof:with-profiling (:report nil :file "saved.data")
             (work 1234))' --eval '(ext:quit 0)'
)
same 'little address space' '19744 1234 ' "$(figures saved.data)"

finish
