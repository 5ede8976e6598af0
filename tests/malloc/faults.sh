#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Whatever goes wrong while the monitor needs room in its file, the program does
# and ends as without it; the file has all counts, or there is one line that says
# why there is none.

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
# found_room FILE: how many sizes its objects have, from 30 bytes on.
found_room() { rows "$1" size | awk '$2 >= 30 && $2 < 2030 { n += $3 }
  END { print n + 0 }'; }

faulty cancel
same 'a thread is cancelled: exit status' 0 "$status"
same 'a thread is cancelled: its objects' 2000 \
  "$("$MPROF" export --format=folded --value=allocs --focus=use_sizes \
    faults.data | awk '{ n += $NF } END { print n }')"
faulty no_file
same 'no_file: exit status' 0 "$status"
same 'no_file: what is said' '' "$(cat err)"
same 'no_file: all is counted' '2005 2059050' \
  "$(rows faults.data all | cut -d' ' -f 3-4)"
same 'no_file: all sizes found room' 2000 "$(found_room faults.data)"

# growth_fails CASE FILE: an array begins with a page, and gets no other.
growth_fails() {
  local n
  same "$1: exit status" 0 "$status"
  same "$1: what is said" '' "$(cat err)"
  same "$1: all is counted" '2005 2059050' \
    "$(rows "$2" all | cut -d' ' -f 3-4)"
  n=$(rows "$2" comment | sed -n 's/^comment unattributed_allocations //p')
  same "$1: sizes that found room, and others" 2000 $((n + $(found_room "$2")))
  result $((n == 0)) "$1: some found none"
  same "$1: why" "the file had no room to grow" \
    "$(rows "$2" comment | sed -n 's/^comment unattributed_note //p')"
}

for case in no_remap no_mask; do
  faulty "$case"
  if [ "$status" = 95 ]; then
    echo "ok - $case # SKIP the kernel has no filters"
  else
    growth_fails "$case" faults.data
  fi
done

# A disk that is full in the midst: a page of a hole is a signal there, if it is
# not asked for first.
mkdir disk
if [ "$(id -u)" = 0 ] && unshare -m mount -t tmpfs none disk 2>/dev/null; then
  # shellcheck disable=SC2016
  unshare -m bash -c 'mount -t tmpfs -o size=1m none disk
    MPROF_OUT=disk/full.data LD_PRELOAD=$1 ./faults full_disk 2>err
    echo $? >status
    cp --sparse=always disk/full.data .
    rm disk/*
    "$2" run -q -o disk/run.data ./faults full_disk 2>run.err' - "$monitor" "$MPROF"
  status=$(cat status)
  growth_fails 'a full disk' full.data
  same 'a full disk, with mprof run' "mprof: cannot write '$work/disk/run.data': \
No space left on device; it is still the program's image, which can be read" \
    "$(tail -n 1 run.err)"
else
  echo 'ok - a full disk # SKIP for root alone'
fi
faulty none MPROF_OUT=/dev/fd/50
refused 'no descriptor' 'No such file or directory' /dev/fd/50
mkfifo nobody
faulty none MPROF_OUT="$work/nobody"
refused 'a pipe' 'it is not a regular file' "$work/nobody"
ln -s victim link
echo precious >victim
faulty none MPROF_OUT="$work/link"
refused 'a link' 'it is not a regular file' "$work/link"
same 'a link: what it leads to' precious "$(cat victim)"

faulty errno
same 'errno: which calls change it' 'child 0' "$(cat out)"

if [ "$(uname -m)" = x86_64 ]; then
  faulty left_anywhere
  same 'left_anywhere: exit status' 0 "$status"
  n=$(cat out)
  program=faults check_sizes 'left_anywhere: what follows is counted' \
    44:$n:$((44 * n)):0:0 55:$n:$((55 * n)):0:0 64:$n:$((64 * n)):0:0
else
  echo 'ok - left_anywhere # SKIP no traps after instructions'
fi
while read -r case n; do
  faulty $case
  same "$case: exit status" 0 "$status"
  program=faults check_sizes "$case: what follows is counted" \
    44:$n:$((44 * n)):0:0 55:1:55:1:55
done <<'E'
left_free   20
left_thread 23
E
finish
