#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A thread is interrupted while it allocates, COUNT times [5] in each allocator,
# without mprof and with it.

. "$(dirname "$0")/../cli/check.bash"
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

threads 'not counted'
threads counted --eval '(require :mprof)'
finish
