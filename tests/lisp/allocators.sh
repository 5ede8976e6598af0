#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A thread is interrupted while it allocates, COUNT times in each allocator,
# and a REPL by SIGINT, COUNT times [5]; without mprof and with it.  With
# UNPATCHED=1 ECL is one that has no mprof.

. "$(dirname "$0")/../cli/check.bash"
: "${BUILD:=$top/build}" "${ECL:=$BUILD/bin/ecl}"
case $ECL in /*) ;; *) ECL=$top/$ECL ;; esac
export COUNT=${COUNT:-5}
program=$PWD/allocators.fas

"$ECL" --norc --eval '(require :cmp)' --eval "(compile-file
  \"$top/tests/lisp/allocators.lisp\" :output-file \"$program\")" \
  --eval '(ext:quit 0)' </dev/null >log 2>&1 || sed 's/^/# /' log

# threads STATE FLAG...: each allocator, in a thread.
threads() {
  timeout 600 "$ECL" --norc "${@:2}" --load "$program" \
    --eval '(allocators::test-all)' </dev/null >out 2>err
  [ $? = 3 ] # 0: its debugger has read the end of the input
  result $? "threads are interrupted, $1: it ends"
  grep '^ok\|^not ok' out
}

# prints WORD: whether the REPL does so, within SECONDS.
prints() {
  local word
  while IFS= read -r -d ' ' -t "${2:-60}" word <&"$from"; do
    printf '%s ' "$word" >>said
    case $word in *"$1"*) return ;; esac
  done
  return 1
}

# repl STATE FLAG...: SIGINT while it allocates, then back to the top level.
repl() {
  local round=0 pid from to
  : >said
  coproc REPL { exec "$ECL" --norc "${@:2}" --load "$program" 2>&1; }
  pid=$REPL_PID
  exec {from}<&"${REPL[0]}" {to}>&"${REPL[1]}"
  while [ "$round" -lt "$COUNT" ]; do
    printf '%s\n' "(progn (format t \" in-$round \") (finish-output)
      (allocators::work 'allocators::structures nil))" >&"$to"
    prints "in-$round" || break
    kill -INT "$pid"
    prints '>>' || break
    printf '%s\n' "(invoke-restart 'si::restart-toplevel)" \
      "(format t \" out-$round \")" >&"$to"
    prints "out-$round" || break
    round=$((round + 1))
  done
  [ "$round" = "$COUNT" ]
  result $? "a REPL is interrupted, $1: $round of $COUNT"
  kill -KILL "$pid" 2>/dev/null
  wait "$pid" 2>/dev/null
  exec {from}<&- {to}>&-
}

threads 'not counted'
repl 'not counted'
if [ -z "${UNPATCHED:-}" ]; then
  threads 'counted' --eval '(require :mprof)'
  repl 'counted' --eval '(require :mprof)' --eval '(mprof:start)'
fi
finish
