#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Whatever goes wrong while the monitor writes, the program does and ends as
# without it; there is a complete file, or one line that says why not.

. "$(dirname "$0")/check.bash"

# faulty CASE [VARIABLE=VALUE...]: like profile; what is said goes to a pipe,
# since what limits the size of files would limit it too.
faulty() {
  local name=$1
  shift
  rm -f faults.data*
  timeout -k 1 60 env MPROF_OUT="$work/faults.data" LD_PRELOAD="$monitor" \
    "$@" ./faults "$name" 2>&1 >out </dev/null | cat >err
  status=${PIPESTATUS[0]}
}

# refused CASE WHY [FILE]: there is no file then, and no part of it.
refused() {
  same "$1: exit status" 0 "$status"
  same "$1: what is said" \
    "mprof: cannot write '${3:-$work/faults.data}': $2" "$(cat err)"
  same "$1: no file is left" '' "$(find . -name 'faults.data*')"
}

compile faults -O1
faulty cancel MPROF_AUTOSAVE=1
same 'a thread is cancelled: exit status' 0 "$status"
same 'a thread is cancelled: its objects' 'size 44 31 1364 0 0' \
  "$(rows faults.data size | grep '^size 44 ' | cut -d' ' -f 1-6)"
for case in no-file small-file; do
  faulty "$case"
  refused "$case" 'File too large'
done
faulty own-signal
same 'own-signal: exit status' 0 "$status"
same 'own-signal: what is said' \
  "mprof: cannot write '$work/faults.data': File too large" "$(uniq err)"
faulty pipe MPROF_OUT=/dev/fd/50
refused pipe 'Broken pipe' /dev/fd/50
mkfifo nobody
faulty none MPROF_OUT="$work/nobody"
refused 'a pipe without a reader' 'No such device or address' "$work/nobody"

for case in left-free left-lock left-thread; do
  faulty $case
  same "$case: exit status" 0 "$status"
  n=20
  [ $case != left-thread ] || n=23
  same "$case: what follows is counted" "size 44 $n $((44 * n)) 0 0
size 55 1 55 1 55" \
    "$(rows faults.data size | grep -E '^size (44|55) ' | cut -d' ' -f 1-6)"
done
finish
