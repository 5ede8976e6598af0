#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The monitor needs little of the stack that it is called on, also for what it
# does once: opening its file, in a program, a thread or a child process; and
# for what it says.  Functions are bound at once: the dynamic linker alone takes
# 3 KB for one that is called for the first time.

. "$(dirname "$0")/check.bash"

compile shallow -O1 -Wl,-z,now
mv shallow shallow-preloaded
# shellcheck disable=SC2086
compile shallow -O1 -Wl,-z,now $linked
mv shallow shallow-linked

# calls HOW CASE FILE [VARIABLE=VALUE...]: it ends as without the monitor.
calls() {
  local how=$1 name=$2 file=$3 preload=()
  shift 3
  [ "$how" = linked ] || preload=(LD_PRELOAD="$monitor")
  rm -f shallow.data*
  timeout 60 env MPROF_OUT="$file" "$@" "${preload[@]}" "./shallow-$how" \
    "$name" >out 2>err </dev/null
  same "$how: $name $*: exit status" 0 $?
}

# gives WHAT: each file has all objects.
gives() {
  local file
  for file in shallow.data*; do
    same "$1: objects" 10:5:50 "$(sizes "$file" 10 | cut -d: -f 1-3)"
  done
}

for how in preloaded linked; do
  for case in signal functions more thread child file exec exec_true end \
    coroutine; do
    calls $how $case "$work/shallow.data"
    gives "$how: $case"
    same "$how: $case: what is said" '' "$(cat err)"
  done
  # an image of another process has that name already
  calls $how signal "$work/shallow.data"
  mv shallow.data taken.data
  calls $how signal "$work/taken.data"
  same "$how: a name that is taken" 2 "$(ls taken.data* | wc -l)"
  rm -f taken.data*
  calls $how signal "$work/nowhere/shallow.data"
  same "$how: what is said" "mprof: cannot write \
'$work/nowhere/shallow.data': No such file or directory" "$(cat err)"
  calls $how signal "$work/shallow.data" MPROF_BUDGET=99999999
  gives "$how: a budget that is too large"
done
finish
