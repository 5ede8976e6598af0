#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What the C library allocates in its own functions: counted to the byte.  The
# program runs twice, once with the monitor, once with the C library's own
# trace of all calls (mtrace, in the library that is preloaded for it), of
# which we make allocations, bytes, what is kept, and the peak.  Where sizes
# are known from the library's own types, they are compared as well.

. "$(dirname "$0")/check.bash"

export MALLOC_TRACE=$work/trace # for both, as programs copy their variables

# traced NAME CASE: the figures of the trace, as figures.c orders them.
traced() {
  local -A sizes=()
  local sign where address size allocs=0 bytes=0 count=0 live=0 n=0 most=0
  rm -f trace
  timeout 100 env MPROF_OUT="$work/$1.data" MPROF_ROOT_PID= \
    LD_PRELOAD=libc_malloc_debug.so.0 "$work/$1" "$2" trace \
    >out 2>err </dev/null || echo "exit status $?"
  # Lines: @ WHERE + ADDRESS SIZE, - ADDRESS, < OLD, > NEW SIZE.
  while read -r where _ sign address size; do
    [ "$where" = @ ] || continue
    case $sign in
    + | '>')
      sizes[$address]=$((size))
      allocs=$((allocs + 1)) bytes=$((bytes + size))
      live=$((live + size)) count=$((count + 1))
      [ "$live" -le "$most" ] || most=$live n=$count
      ;;
    - | '<')
      live=$((live - sizes[$address])) count=$((count - 1))
      unset "sizes[$address]"
      ;;
    esac
  done <trace
  echo "$allocs $bytes $count $live $n $most"
}

# A stream: 472 bytes, 280 without room for wide characters, and a buffer of
# 4096, or of 8192 where no file is behind it.  A line begins with 120; then
# it is what is needed, but at least doubled.  asprintf's text begins with
# 100.  A pipe, and what is to be done in its child: 256 each.
known='
getline   4 5190   0 0    3 5070
getdelim  4 5270   1 502  3 5070
fmemopen  7 18024  0 0    4 9512
vasprintf 5 805    1 4    3 404
fopen     7 10552  1 472  3 5040
fdopen    2 4568   0 0    2 4568
freopen   3 8664   0 0    2 4568
setvbuf   2 944    0 0    2 944
cookie    2 8472   0 0    2 8472
popen     6 9216   0 0    2 4352
'

# The names in the program's table.
cases() {
  sed -n 's/^  { "\([a-z-]*\)", case_.*/\1/p' "$tests/programs/streams.c"
}

compile streams -O1 2>/dev/null
for name in $(cases); do
  profile streams "$name"
  same "$name: exit status" 0 "$status"
  got=$(rows streams.data all 2>&1 | cut -d' ' -f 3-8)
  same "$name: as the C library has it" "$(traced streams "$name")" "$got"
  wanted=$(awk -v name="$name" '$1 == name { $1 = ""; print }' <<<"$known")
  [ -z "$wanted" ] || same "$name: as calculated" "${wanted# }" "$got"
done
finish
