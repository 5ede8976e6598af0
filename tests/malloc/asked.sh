#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# mprof run --serve: a program is asked for its figures while it runs, forks,
# becomes another one, gives up rights or stands still: they are what it has
# been told to allocate, to the object.
. "$(dirname "$0")/told.bash"

# is TITLE ALLOCS BYTES KEPT BYTES PEAK-BYTES: the program's figures.
is() {
  ask
  same "$1" "${*:2}" "$(rows now.data all | cut -d' ' -f 3-6,8)"
}

begin --serve=0
is 'at the beginning' 0 0 0 0 0
tell first 100 24
is 'objects' 100 2400 100 2400 2400
tell free 70 0
is 'some are freed' 100 2400 30 720 2400
tell other 3 1048576
is 'large ones' 103 3148128 33 3146448 3146448
is 'asked again' 103 3148128 33 3146448 3146448
same 'the file says the same' "$(rows now.data size)" \
  "$(rows told.data size)"
tell free 33 0
is 'all are freed' 103 3148128 0 0 3146448
tell close 0 0
tell lock 0 0
tell first 10 24
is 'with its files closed and its memory locked' 113 3148368 10 240 3146448
tell forget 0 0
is 'figures are forgotten' 0 0 0 0 0
tell first 5 40
is 'and begin again' 5 200 5 200 200
tell fork 100 1000
is 'a child counts for itself' 5 200 5 200 200
pid=$answer
echo stop 0 0 >&3
until grep -q '^State:.*stopped' "/proc/$pid/status"; do sleep 0.02; done
is 'a program that stands still' 5 200 5 200 200
kill -CONT "$pid"
read -r answer <&4
tell first 3 7
is 'and goes on' 8 221 8 221 221

# A snapshot is of one moment, also of a thread that allocates and frees.
tell work 0 0
last=0 rises=0
for _ in 1 2 3 4 5 6 7 8 9 10; do
  ask
  read -r allocs kept <<<"$(rows now.data all | cut -d' ' -f 3,5 2>&1)"
  [ "$allocs" -ge $last ] && [ "$kept" -le 64 ] && [ "$kept" -le "$allocs" ] &&
    rises=$((rises + 1))
  last=$allocs
done
same 'while a thread allocates' 10 $rises
tell rest 0 0
kept=$((answer < 64 ? answer : 64))
ask
same 'when it rests' "$answer $((9 * answer)) $kept $((9 * kept))" \
  "$(totals now.data)"
end

begin --serve=0
tell unshare 0 0
tell first 10 24
is 'in name spaces of its own' 10 240 10 240 240
end
begin --serve=0
[ "$(id -u)" != 0 ] || tell rights 0 0
[ "$(id -u)" != 0 ] || same 'it gives up its rights' 0 "$answer"
tell first 10 24
is 'without rights' 10 240 10 240 240
end

begin --serve=0
tell first 1000 24
tell exec 0 0
tell first 10 24
is 'it has become another program' 10 240 10 240 240
tell leave 0 0
tell first 10 24
ask
same 'it has become one that is not profiled' \
  'cannot query the program: it is no longer profiled' "$(cat now.data)"
end
finish
