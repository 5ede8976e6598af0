#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Memory that there is not: what the monitor asks the kernel for fails, once
# or from some time on; and address space is limited, and used up by the
# program.  It does what it did, and its file has all allocations, or says how
# many it lacks, or there is a line that says why there is none.

. "$(dirname "$0")/check.bash"

compile memory -O1 -ldl
compile exhaust -O1
compile failing -O1 -fPIC -shared

# fail CASE [N]: as profile, with the N-th call for memory failing, if any.
fail() {
  rm -f memory.data*
  timeout 100 env MPROF_OUT="$work/memory.data" FAIL="memory:${2:-0}:12" \
    LD_PRELOAD="$monitor $work/failing" "$work/memory" "$1" \
    >out 2>err 9>log </dev/null
  status=$?
}

# counted: allocations, and what is kept, in all files; with those that say that
# they are missing.
counted() {
  local file
  for file in memory.data*; do
    [ ! -e "$file" ] || rows "$file" '' || echo all - wrong
  done | awk '
    /^all / { n += $3; kept += $5; wrong = wrong || $3 == "wrong" }
    /^comment lost_note / { n += $NF; kept += 0 }
    END { print (wrong ? "wrong" : n " " kept) }'
}

# ---- all calls fail, from some time on ----

fail objects
same 'objects that cannot be listed: status' 0 "$status"
same 'counted, or said to be missing' '266668 0' "$(counted)"
lost=$(rows memory.data comment | sed -n 's/^comment lost_note .*: //p')
result $((lost == 0)) "some are missing: $lost"
same 'the report says so' "NOT COUNTED
  allocations for which memory ran out: $lost" \
  "$("$MPROF" report memory.data 2>&1 | grep -A 1 '^NOT COUNTED')"
fail nothing
same 'no memory at all: status' 0 "$status"
same 'and a reason' \
  "mprof: cannot write '$work/memory.data': Cannot allocate memory" \
  "$(cat err)"
fail forget
same 'figures are forgotten where pages stay' 'all - 1 50 0 0 1 50 1' \
  "$(rows memory.data all)"

# ---- one call fails ----

fail every
wanted="$status $(cat out) $(counted)" n=0
same 'every' '0 done' "${wanted% * *}"
while n=$((n + 1)) && fail every $n && [ -s log ]; do
  same "every: call $n fails" "$wanted" "$status $(cat out) $(counted)"
done
result $((n < 40)) "every: all $((n - 1)) calls failed in turn"

# ---- memory that the program uses up ----

# exhaust LIMIT STATUS WAY BYTES [VARIABLE=VALUE...]: ulimit has that limit.
# Leaves in $got how many objects it got.
exhaust() {
  local title="$3 $4, ulimit $1" limit=$1 wanted=$2 way=$3 bytes=$4
  rm -f exhaust.data*
  timeout 100 bash -c 'ulimit $0 && exec env "$@"' "$limit" \
    MPROF_OUT="$work/exhaust.data" "${@:5}" LD_PRELOAD="$monitor" \
    "$work/exhaust" "$way" "$bytes" $own >out 2>err </dev/null
  status=$?
  got=$(cat out)
  same "$title: status" "$wanted" "$status"
  same "$title: all objects are in the file" "$got" "$(
    rows exhaust.data size | awk -v bytes="$bytes" '
      $2 == bytes { n = $3 }
      $2 == "-" { n += int(($4 - 72704) / bytes) } # beside one of libstdc++
      END { print n }')"
  same "$title: none is missing" '' \
    "$(rows exhaust.data comment |
      grep -E 'lost_note|unattributed_allocations [^0]')"
}

# most TITLE KIB BYTES: as many as without the monitor, but for the marks and
# 8 MB.  A block of the C library is a multiple of 16, and has 8 bytes before the
# object.
most() {
  local plain block=$((($3 + 8 + 15) / 16 * 16)) with=$((($3 + 16 + 15) / 16 * 16))
  plain=$(bash -c 'ulimit $0 && exec "$@"' "-v $2" "$work/exhaust" none "$3")
  result $((got * with < plain * block - (8 << 20))) "$1: $got of $plain objects"
}

own=
for kib in 15000 20000 30000 100000; do
  while read -r way wanted; do
    # how a program ends matters where there is next to nothing left
    case $way:$kib in none:* | *:15000 | *:30000) ;; *) continue ;; esac
    for bytes in 24 100000; do
      exhaust "-v $kib" "$wanted" "$way" $bytes 2>/dev/null
      most "$kib KiB: $way $bytes" $kib $bytes
    done
  done <<'E'
none     0
abort    134
_exit    3
new      0
uncaught 134
E
  exhaust "-d $kib" 0 none 24
done
for kib in 1500000 4000000; do
  exhaust "-v $kib" 0 none 1000000
  most "$kib KiB" $kib 1000000
done
exhaust '-v 100000' 0 none 24 MPROF_AUTOSAVE=100000
exhaust '-v 100000' 0 deep 24 MPROF_UNFOLDED=1
own=50000000
exhaust '-v unlimited' 0 none 24

finish
