#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# However a program ends, its status is the same as without the monitor, and
# what was counted is in the file.

. "$(dirname "$0")/check.bash"

compile ends -O1
# case, exit status as a shell has it, objects of 777 bytes
cases='none            0
exit            3   777:1:777:1:777
_exit           4
_Exit           5
exit_group      8
quick_exit      6   777:1:777:1:777
abort           134
assert          134
many            139 777:1:777:1:777
segv            139
divide          136
overflow        139
thread_overflow 139
thread_exit     7
corrupt         134
TERM            143
INT             130
HUP             129
QUIT            131
PIPE            141
USR1            138
ALRM            142
XCPU            152
handler         8   777:1:777:1:777
default         143
ignored         0'
# Signals that end it have a handler where lost objects are searched for.
for by_run in '' --reachable; do
  while read -r name wanted others; do
    profile ends "$name" 2>/dev/null
    same "${by_run:-alone}: $name" "$wanted 10:5:50:5:50${others:+ $others}" \
      "$status $(sizes ends.data 10 777)"
  done <<<"$cases"
done
by_run=
profile ends many 2>/dev/null
same 'much of it, until a crash: complete' '1991' "$(rows ends.data size |
  awk '$2 >= 10 && $2 <= 2000 { n++ } END { print n }')"
same 'the monitor needs the C library alone' libc "$(
  readelf -d "$monitor" | sed -n 's/.*NEEDED.*\[\([^-.]*\).*/\1/p' | sort)"

# A handler ends it in the midst of an allocation or free of two threads, which
# the figures then have or have not.
saved=0
for ((i = 0; i < 40; i++)); do
  profile ends midst 2>/dev/null
  [ "$status $(sizes ends.data 10)" = '9 10:5:50:5:50' ] && saved=$((saved + 1))
done
same '_exit in a handler in the midst of them' 40 "$saved"

for _ in 1 2 3; do
  succeeds ends midst_exec
  check_sizes 'exec in a handler, which fails: figures' \
    33:60000:1980000:0:0 44:1500:66000:1500:66000
done
finish
