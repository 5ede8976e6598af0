#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The monitor in a program that runs already, called as a debugger calls it.

. "$(dirname "$0")/check.bash"

compile attached -O0 -ldl
./attached "$monitor" "$work/first.data" "$work/second.data" \
  "$work/none/x.data" >out 2>err
same 'exit status' 0 $?
same 'what the debugger is told' 'attached
attached
it cannot write its profile there' "$(cat out)"
same 'the program says nothing' '' "$(cat err)"
for file in first second; do
  n=$([ $file = first ] && echo 52 || echo 53)
  same "$file: sizes" "size 77 $n $((77 * n)) $((n - 20)) $((77 * (n - 20)))
size 79 10 790 0 0" "$(rows $file.data size | grep -E '^size (77|79|1000) ' |
    cut -d' ' -f 1-6)"
done
finish
