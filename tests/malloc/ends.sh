#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# However a program ends, its status is the same as without the monitor, and
# what was counted is in the file.

. "$(dirname "$0")/check.bash"

compile ends -O1
# case, exit status as a shell has it, objects of 10 bytes, all others
while read -r name wanted others; do
  profile ends "$name" 2>/dev/null
  same "$name: exit status" "$wanted" "$status"
  same "$name: objects" '5 50' \
    "$(rows ends.data size | sed -n 's/^size 10 \([0-9]* [0-9]*\) .*/\1/p')"
  [ "$others" = - ] || same "$name: at the end" "$others" \
    "$(rows ends.data size | sed -n 's/^size 100 \([0-9]* [0-9]*\) .*/\1/p')"
done <<'E'
none            0
exit            3   1 100
_exit           4
_Exit           5
exit_group      8
quick_exit      6   1 100
abort           134
assert          134 -
many            139 1 100
segv            139
divide          136
overflow        139
thread-overflow 139
thread-exit     7
corrupt         134 -
TERM            143
INT             130
HUP             129
QUIT            131
PIPE            141
USR1            138
ALRM            142
XCPU            152
handler         8   1 100
small-stack     8   1 100
default         143
ignored         0
E
profile ends many 2>/dev/null
same 'much of it, until a crash: complete' '1991' "$(rows ends.data size |
  awk '$2 >= 10 && $2 <= 2000 { n++ } END { print n }')"
same 'the monitor needs the C library alone' libc "$(
  readelf -d "$monitor" | sed -n 's/.*NEEDED.*\[\([^-.]*\).*/\1/p' | sort)"

# One signal in the midst of allocations, again and again.
saved=0
for _ in 1 2 3 4 5 6 7 8 9 10; do
  profile ends midst 2>/dev/null
  [ "$status" = 143 ] && [ "$(rows ends.data size |
    sed -n 's/^size 10 \([0-9]* [0-9]*\) .*/\1/p')" = '5 50' ] &&
    saved=$((saved + 1))
done
same 'signals in the midst of allocations' 10 "$saved"
# A handler ends it in the midst of an allocation or free of two threads, which
# the figures then have or have not.
saved=0
for ((i = 0; i < 60; i++)); do
  profile ends midst-of-threads 2>/dev/null
  [ "$status" = 9 ] && [ "$(rows ends.data size |
    sed -n 's/^size 10 \([0-9]* [0-9]*\) .*/\1/p')" = '5 50' ] &&
    saved=$((saved + 1))
done
same '_exit in a handler in the midst of them' 60 "$saved"

for _ in 1 2 3; do
  profile ends midst-exec
  same 'exec in a handler, which fails: exit status' 0 "$status"
  same 'exec in a handler, which fails: figures' '60000 1980000 0 0
1500 66000 1500 66000' "$(rows ends.data size |
    sed -n 's/^size \(33\|44\) \([0-9 ]*\)/\2/p' | cut -d' ' -f 1-4)"
done
finish
