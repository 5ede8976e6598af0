#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Copies of a process that no handler is told of: each counts for itself, in a
# file of its own, from when it first counts.  A child that shares its parent's
# memory counts in its parent's file.

. "$(dirname "$0")/check.bash"

# run WAY CASE: like `mprof run', which names the process that the file is for.
run() {
  rm -f copies.data*
  # shellcheck disable=SC2016
  timeout 100 env MPROF_OUT="$work/copies.data" sh -c \
    'MPROF_ROOT_PID=$$ LD_PRELOAD=$0 exec "$@"' "$monitor" \
    "$work/copies" "$@" >out 2>err </dev/null
  same "$*: exit status" 0 "$?"
}

# files TITLE LINE...: a line for each profile of this program (ALLOCS BYTES
# KEPT BYTES), the first one that of the file asked for, the others in order.
files() {
  local title=$1 file got=''
  shift
  for file in copies.data copies.data.*; do
    [ ! -e "$file" ] || got+="$(rows "$file" all | cut -d' ' -f 3-6)"$'\n'
  done
  same "$title" "$(printf '%s\n' "$@")" \
    "$(head -n 1 <<<"$got"; tail -n +2 <<<"$got" | sed '/^$/d' | sort -n)"
}

compile copies -O1
ways='fork _Fork clone raw-fork raw-clone raw-clone3'
for way in $ways; do
  run $way little
  files "$way" '3 230 3 230' '3 60 3 60'
  run $way freed
  files "$way: the child frees" '100000 1600000 100000 1600000'
  run $way growth
  files "$way: both grow" '16144 24008720 0 0' '16000 8008000 0 0'
  run $way grandchild
  files "$way: a grandchild" '1 10 1 10' '2 90 2 90' '3 60 3 60'
  run $way idle-child
  files "$way: the child only makes another" '2 20 2 20' '3 60 3 60'
  run $way exec
  files "$way: exec" '4 40 4 40' '7 77 7 77'
  run $way handler
  files "$way: in a handler" '2 20 2 20' '3 60 3 60'
  run $way stop
  files "$way: the child stops counting" '4 40 4 40'
  run $way restart
  files "$way: the child restarts" '4 40 4 40' '3 60 3 60'
  run $way region
  files "$way: regions" '4 40 4 40' '3 60 3 60'
  same "$way: the child is in its parent's region" 'outer;inner 3 60' \
    "$(rows copies.data.* region | cut -d' ' -f 2-4)"
  run $way threads
  same "$way: beside threads" '4560 5' \
    "$(rows copies.data all | cut -d' ' -f 9) $(for file in copies.data.*; do
      rows "$file" all | cut -d' ' -f 3-6
    done | grep -cx '3 60 3 60')"
done

for case in 'little 6 290 6 290' 'grandchild 6 160 6 160' \
  'handler 5 80 5 80' 'region 7 100 7 100'; do
  run clone-vm "${case%% *}"
  files "shared memory: ${case%% *}" "${case#* }"
done
run clone-vm freed
files 'shared memory: the child frees' '100000 1600000 0 0'
run clone-vm exec
files 'shared memory: exec' '4 40 4 40' '7 77 7 77'

export MPROF_CHILDREN=no
for way in $ways; do
  run $way little
  files "$way: only the parent" '3 230 3 230'
done
unset MPROF_CHILDREN
finish
