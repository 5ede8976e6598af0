#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The tasks of mprof-report(1), run as they stand: forms in the patched ECL,
# after those at the beginning of the section, and commands, in one folder.
. "$(dirname "$0")/check.bash"
unset MAKEFLAGS MFLAGS MAKELEVEL

mkdir bin
ln -s "$MPROF" bin/mprof
ln -s "$(realpath "${ECL:=$BUILD/bin/ecl}")" bin/mprof-ecl
export PATH=$scratch/bin:$PATH

# The programs.  MAIN leaves a list of 1000 numbers in *CACHE* each time.
cat >app.lisp <<'END'
(defvar *cache* nil)
(defun parse (n) (loop for i below n collect (* 1.5d0 i)))
(defun remember (n) (push (parse n) *cache*))
(defun main () (loop repeat 100 do (parse 100)) (remember 1000) nil)
END

# commit MESSAGE [EDIT]: widgets.c is another.
commit() {
  sed -i "${2:-\$a /* $1 */}" widgets.c
  git add widgets.c
  git -c user.name=n -c user.email=e commit -qm "$1"
}
cp "$top/tests/demo/producer-consumer.c" widgets.c
if command -v git >/dev/null; then
  export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null
  git init -q .
  commit 'First state'
  git tag good
  commit 'Say more'
  commit 'Make more widgets' 's/WIDGETS = 10000/WIDGETS = 11000/'
  commit 'Say still more'
  git tag bad
  git checkout -q good
fi
make -s CFLAGS= widgets

# block1 and so on, each with what the section shows between .nf and .fi, and
# task1 and so on, the heading above it.
sed -n '/^\.SH TASKS/,/^\.SH OPTIONS/p' "$top/reduce/mprof-report.1" |
  sed "s/\\\\-/-/g; s/\\\\(aq/'/g" |
  awk '/^\.SS/ { task = $0 }
    /^\.fi/ { within = 0 }
    within { print > ("block" n) }
    /^\.nf/ { within = 1; n++; print task > ("task" n) }'

# What the second run of a changed program would have left.
lisp() { cat block1 "$@" >session.lisp && mprof-ecl --norc --shell session.lisp; }
sed 's/before/after/' block2 >again
lisp again >out 2>err && mprof run -q -o new.data ./widgets
result $? 'the programs run'

for ((i = 2; ; i++)); do
  [ -e "block$i" ] || break
  name="$(sed 's/^\.SS //; s/"//g' "task$i"):$(head -n 1 "block$i")"
  if grep -q '^  (' "block$i"; then
    lisp "block$i" >out 2>err </dev/null
  elif grep -q git "block$i" && ! command -v git >/dev/null; then
    echo "ok - $name # SKIP there is no git"
    continue
  else
    bash -ec "$(cat "block$i")" >out 2>err </dev/null
  fi
  result $? "$name"
  case $(cat "block$i") in
  *--tables=direct*before*) says 'it is PARSE' 'CL-USER::PARSE' ;;
  *--tables=direct*old*) says 'it is make_widget' make_widget ;;
  *advise*) says 'there is advice' '1. saves up to' ;;
  *value=live*first*) says 'what grew' 'CL-USER::REMEMBER' ;;
  *leaks*) says 'the leak' 'main>make_red_widget' ;;
  *bisect*) says 'the commit' 'Make more widgets' ;;
  *tables=held*) says 'the root' 'CL-USER::*CACHE*' ;;
  esac
done
[ "$i" -gt 25 ]
result $? "there are blocks"

finish
