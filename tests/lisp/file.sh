#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Programs that count in a file: what is there while they run, when they are
# killed, and when they end.

. "$(dirname "$0")/../cli/check.bash"

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

# program STATUS FORM [ARGUMENT...]: run to its end, which STATUS tells: ECL has
# 0 when its debugger reads the end of the input.
program() {
  (begin "${@:2}") 2>/dev/null
  local status=$?
  [ $status = "$1" ] || same 'how a program ended' "$1" $status
}

# figures FILE: of the function WORK, its objects and bytes.
figures() {
  "$MPROF" report --tables=direct --no-legend --verbose "$1" |
    awk '$NF == "CL-USER::WORK" { for (i = 1; i <= NF; i++)
      if ($i ~ /^[0-9][0-9][0-9][0-9]+$/) printf "%s ", $i }'
}

wait_for() { # COMMAND...
  for ((i = 0; i < 600; i++)); do
    "$@" && return
    sleep 0.1
  done
}

# An image takes more room than its profile.
"$ECL" --norc --load prelude.lisp --eval \
  '(ext:system (format nil "prlimit --fsize=100000 --pid ~D" (ext:getpid)))' \
  --eval '(mprof:with-profiling (:report nil :file "saved.data") (work 1234))' \
  --eval '(ext:quit 3)' </dev/null >log 2>err
same 'a body whose file cannot be counted in is saved at its end' '3 19744 1234 ' \
  "$? $(figures saved.data)"

start='(mprof:start :file "saved.data")'
for signal in KILL ABRT TERM; do
  rm -f saved.data* log
  begin "$start" --eval '(say (format nil "pid ~D" (ext:getpid)))' \
    --eval '(sleep 100)' &
  wait_for grep -qs '^pid' log
  same "SIG$signal: what was made is there while it runs" '19744 1234 ' \
    "$(figures saved.data)"
  "$MPROF" report --no-legend --tables=threads --verbose saved.data >first
  kill -$signal "$(sed -n 's/^pid //p' log)"
  wait $! 2>/dev/null
  same 'and when it is gone' '19744 1234 ' "$(figures saved.data)"
  same 'meanwhile nothing is allocated' "$(cat first)" \
    "$("$MPROF" report --no-legend --tables=threads --verbose saved.data)"
  same 'there is no other file' saved.data "$(ls -d saved.data*)"
done

rm -f saved.data
program 3 "$start" --eval '(ext:quit 3)'
same 'what it made is in the file' '19744 1234 ' "$(figures saved.data)"
run report --tables=reconciliation saved.data
grep -q '^ *0  residual' out
result $? 'the collector has counted the same'
same 'the file is for pprof' 1f8b "$(od -An -tx1 -N2 saved.data | tr -d ' ')"
same 'nothing is said' '' "$(cat err)"

# What was there before is replaced, with its rights and the link to it, but for
# the image of a program that was killed, which gets another name.
program 134 "$start" --eval '(si:call-cfun (si:find-foreign-symbol
  "abort" :default :pointer-void 0) :void nil nil)'
same 'a profile that was there is replaced' '19744 1234 ' \
  "$(figures saved.data)"
program 3 "$start" --eval '(work 1)' --eval '(ext:quit 3)'
same 'an image that was there' '19744 1234 ' "$(figures saved.data.*)"
same 'and the profile in its place' '19760 1235 ' "$(figures saved.data)"
rm saved.data*
: >real.data
chmod 600 real.data
ln -s real.data saved.data
program 137 "$start" --eval '(c "kill" (ext:getpid) 9)'
same 'a link: what was made is there' '19744 1234 ' "$(figures real.data)"
same 'the link is still there' real.data "$(readlink saved.data)"
same 'the file has its rights' 600 "$(stat -c %a real.data)"

# What is noted for one image is not in the next one.
rm -f saved.data
program 3 '(dotimes (i 5)
           (mprof:start :file "saved.data")
           (with-open-file (s "saved.data") (say (file-length s)))
           (mprof:stop))' --eval '(ext:quit 3)'
same 'again and again: all are of one size' 1 \
  "$(grep -E '^[0-9]+$' log | tail -n 4 | sort -u | wc -l)"
same 'and some size' 5 "$(grep -cE '^[0-9]{6,}$' log)"

mkdir gone
program 3 '(mprof:start :file "gone/x.data")' \
  --eval '(ext:run-program "mv" (list "gone" "moved"))' \
  --eval '(ext:quit 3)'
same 'what cannot be written is said at its end' 1 \
  "$(grep -c "^mprof: cannot write '$PWD/gone/x.data': No such file" err)"
same 'and is in the image' '19744 1234 ' "$(figures moved/x.data)"

# Under a limit to the size of files: each stays as it was.
for start in start save; do
  rm -f saved.data*
  echo precious >saved.data
  (
    ulimit -f 8
    if [ $start = start ]; then
      program 3 '(handler-case (mprof:start :file "saved.data")
                 (mprof:profile-file-error (c) (say c)))' --eval '(ext:quit 3)'
    else
      program 3 '(mprof:with-profiling (:report nil)
                 (dotimes (i 300)
                   (funcall (eval `(defun ,(intern (format nil "F~D" i)) ()
                                     (list ,i))))))' \
        --eval '(handler-case (mprof:save "saved.data" :format :json)
                  (mprof:profile-file-error (c) (say c)))' --eval '(ext:quit 3)'
    fi
  )
  same "$start beyond the limit to files: why" 1 \
    "$(grep -c "cannot write '$PWD/saved.data': File too large" log)"
  same 'the file' precious "$(cat saved.data)"
  same 'and no other' saved.data "$(ls -d saved.data*)"
done

echo precious >victim
ln -s victim saved.data.tmp
rm -f saved.data
program 3 '(mprof:with-profiling (:report nil :file "saved.data")
           (work 1234))' --eval '(ext:quit 3)'
same 'a link in place of the temporary file' '19744 1234 ' \
  "$(figures saved.data)"
same 'what it leads to' precious "$(cat victim)"

# Under a limit to its address space of 200 MB.
rm -f saved.data
(
  ulimit -v 200000
  program 3 '(mprof:with-profiling (:report nil :file "saved.data")
             (work 1234))' --eval '(ext:quit 3)'
)
same 'little address space' '19744 1234 ' "$(figures saved.data)"

finish
