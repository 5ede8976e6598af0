#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A debugger in a program that is profiled: `bt' in a C function that Lisp called
# shows what it shows when nobody counts, `finish' leaves one frame after the
# other, and then the program goes on to the figures that it has without all
# that.

set -u
cd "$(dirname "$0")" || exit 1
source=$PWD
: "${BUILD:=$source/../../build}" "${ECL:=$BUILD/bin/ecl}" "${CC:=gcc}"
work=$BUILD/unwind/gdb
failed=0
rm -rf "$work"
mkdir -p "$work" || exit 1
cd "$work" || exit 1

# same TITLE EXPECTED GOT
same() {
  if [ "$2" = "$3" ]; then
    echo "ok - gdb: $1"
  else
    echo "not ok - gdb: $1"
    diff <(echo "$2") <(echo "$3") | sed 's/^/# /'
    failed=1
  fi
}

if ! command -v gdb >/dev/null; then
  echo 'ok - gdb # SKIP there is no gdb'
  exit 0
elif ! gdb -nx -batch -ex run "$(command -v true)" 2>&1 |
  grep -q 'exited normally'; then
  echo 'ok - gdb # SKIP it may not trace a program here'
  exit 0
fi

export STOPPING_LIBRARY=$work/stopping.so
$CC -O2 -g -fPIC -shared -o "$STOPPING_LIBRARY" "$source/stopping.c" || exit 1
"$ECL" --norc --eval '(require :mprof)' --eval '(require :cmp)' --eval \
  "(compile-file \"$source/stopping.lisp\" :output-file \"stopping.fas\")" \
  --eval '(ext:quit 0)' >compile.log 2>&1 </dev/null || exit 1

# debug WALK COMMAND...: stop in the twelfth call of the C function, and do
# these; the program counts as WALK says.
debug() {
  local command commands=()
  export STOPPING_WALK=$1
  shift
  for command; do commands+=(-ex "$command"); done
  timeout 120 gdb -nx -batch -ex 'set pagination off' \
    -ex 'set disable-randomization off' \
    -ex 'handle all nostop noprint pass' -ex 'set breakpoint pending on' \
    -ex 'break stop_here' -ex 'ignore 1 11' -ex run \
    -ex 'echo [stopped]\n' "${commands[@]}" -ex 'echo [ended]\n' \
    -ex delete -ex continue \
    --args "$ECL" --norc --eval '(require :mprof)' \
    --eval '(load "stopping.fas")' --eval '(ext:quit 3)' 2>&1 </dev/null
}

# functions: of the frames that gdb shows, after it stopped and before it ended.
functions() {
  sed -n '/^\[stopped\]/,/^\[ended\]/s/^#[0-9]* *\(0x[0-9a-f]* in \)\{0,1\}\([^ ]*\) .*/\2/p'
}

# What Lisp functions are called in C.
lisp_functions() { grep -E '^L[0-9]+(inner|middle|outer|run)$'; }

debug off bt >off.log
expected=$(functions <off.log)
same 'the Lisp functions are in the chain' 'inner middle outer run' \
  "$(echo $(lisp_functions <<<"$expected" | sed 's/^L[0-9]*//'))"
same 'it goes on to main' main "$(grep -x main <<<"$expected")"

# Out of each frame to RUN's.
out=$(grep -nE '^L[0-9]+run$' <<<"$expected" | cut -d: -f1)
steps=()
for ((i = 1; i < out; i++)); do steps+=(finish 'bt 1'); done

figures='inner 20 40 640
middle 20 40 640
outer 10 20 320
run 1 10 160
differing 0
exited with code 03'
figures() {
  sed -En '/^(inner|middle|outer|run|differing) /p
    s/^\[Inferior 1 .* (exited .*)\]$/\1/p'
}

for walk in words full; do
  debug $walk bt >$walk.log
  same "bt, $walk" "$expected" "$(functions <$walk.log)"
  same "figures after bt, $walk" "$figures" \
    "$(figures <$walk.log)"
  debug $walk "${steps[@]}" >$walk-finish.log
  same "finish, $walk" "$(head -n "$out" <<<"$expected" | tail -n +2)" \
    "$(grep -v '^Run till exit' $walk-finish.log | functions)"
  same "figures after finish, $walk" "$figures" \
    "$(figures <$walk-finish.log)"
done
exit $failed
