#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# When it is counted and what is written when: by functions of the program, by
# the environment, by signals; and what does not fit.

. "$(dirname "$0")/check.bash"

# The same with the monitor preloaded, and linked with the program.
compile control -O1
mv control control-preloaded
# shellcheck disable=SC2086
compile control -O1 $linked
mv control control-linked
compile control -O1 -L"$MPROF_LIB" -Wl,-rpath,"$MPROF_LIB" \
  -Wl,--no-as-needed -lmprof-malloc
mv control control-shared
# Two of them, as `mprof run' has it: the first one counts.  The second is a
# copy, or the same file would be loaded once.
cp control-linked control-linked-preloaded
mkdir copy && cp "$monitor" copy/libmprof-malloc.so
cp control-shared control-shared-preloaded

# with VARIABLE=VALUE...: what the next `start' sets.
with() { settings=("$@"); }
with

# start CASE [STATUS]: as $how says.
start() {
  local preload=()
  rm -f ./*.data*
  case $how in
  shared-preloaded) preload=(LD_PRELOAD="$work/copy/libmprof-malloc.so") ;;
  *preloaded) preload=(LD_PRELOAD="$monitor") ;;
  esac
  timeout 100 env MPROF_OUT="$work/control.data" "${settings[@]}" \
    "${preload[@]}" "$work/control-$how" "$1" >out 2>err </dev/null
  status=$?
  same "$how: $1: exit status" "${2:-0}" "$status"
  with
}

for how in preloaded linked shared linked-preloaded shared-preloaded; do
  start plain
  expect "$how: plain" control.data 5 50 5 50 5 50 0
  start stop
  expect "$how: mprof_stop" control.data 5 50 3 30 5 50 0
  start restart
  expect "$how: mprof_restart" control.data 3 60 2 40 3 60 0
  start large
  expect "$how: large ones" control.data \
    4 12884901928 1 4294967296 1 4294967316
  start restart_file
  expect "$how: the first file" control.data 5 50 5 50
  expect "$how: the second file" second.data 3 60 3 60
  expect "$how: the third file" third.data 4 120 4 120
  start save
  expect "$how: mprof_save" control.data 8 110 8 110
  start autosave 137 2>/dev/null
  expect "$how: set_mprof_autosave, killed" control.data 27 270 27 270
  start killed_child
  expect "$how: a child that is killed" control.data.[0-9]* 1000 10000 0 0 1 10
  expect "$how: its parent" control.data 5 50 0 0 1 10
  with MPROF_COUNT=off
  start plain
  same "$how: MPROF_COUNT=off: nothing counted, no file" '' \
    "$(find . -name '*.data*')"
  with MPROF_COUNT=off MPROF_SIGNAL=USR2
  start signal
  expect "$how: a signal starts and stops" control.data 3 60 2 40
  with MPROF_SIGNAL=SIGUSR2
  start signals
  expect "$how: signals" control.data 10 100 10 100
  with MPROF_SIGNAL=12
  start signals
  expect "$how: the signal by its number" control.data 10 100 10 100
  with MPROF_OUT="$work/x%p.data"
  start plain
  same "$how: the number of the process in the name" 1 \
    "$(find . -name 'x[0-9]*.data' | wc -l)"
  with MPROF_OUT=$'/nonexistent/\e[31m\u009b\u00e9.data'
  start plain
  same "$how: a file that cannot be written, with control characters" \
    $'mprof: cannot write \'/nonexistent/?[31m??\u00e9.data\': No such file or directory' \
    "$(cat err)"
done

how=preloaded
start restarts
expect 'mprof_restart 65,536 times' control.data 3 60 3 60 3 60 0
start restart_threads
same 'mprof_restart beside threads: exit status' 0 "$status"
same 'mprof_restart beside threads: all they allocate is in a file' \
  "$(cat out)" "$(for file in control.data restarted-*.data; do
    [ ! -e "$file" ] || rows "$file" all
  done | awk '{ n += $3 } END { print n }')"
start restart_handler
expect 'mprof_restart in handlers that interrupt counts' control.data \
  4 120 4 120 4 120 0

finish
