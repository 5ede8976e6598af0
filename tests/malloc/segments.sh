#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Files with two executable segments, as BOLT, lld and linker scripts make them,
# the program and a library that is unloaded: each function has its own name and
# lines.

. "$(dirname "$0")/check.bash"

linkers=bfd
command -v ld.lld >/dev/null && linkers='bfd lld'

for linker in $linkers; do
  flags="-O0 -fuse-ld=$linker"
  # shellcheck disable=SC2086
  compile segments $flags -Wl,--section-start=moved=0x25000 -ldl
  # shellcheck disable=SC2086
  $CC -g -w -shared -fPIC -fno-builtin $flags -DLIBRARY -o segments.so \
    -Wl,--section-start=moved=0x35000 "$tests/programs/segments.c"
  for file in segments segments.so; do
    same "$linker: $file has two segments" 2 "$(readelf -lW $file |
      grep -c 'LOAD.* R E ')"
  done
  profile segments
  same "$linker: exit status" 0 "$status"
  same "$linker: each has its own name" 'library_moved 2
library_usual 2
program_moved 3
program_usual 4' "$("$MPROF" export --format=folded --value=allocs \
    segments.data | sed 's/.*;//' | grep -E '(moved|usual)' | LC_ALL=C sort)"
  # as they stand in the source
  same "$linker: and its own line" "$(awk '/malloc\(/ { print "segments.c:" NR }' \
    "$tests/programs/segments.c" | LC_ALL=C sort)" \
    "$("$MPROF" export --format=csv --by=line --tables=functions segments.data |
      grep -o 'segments\.c:[0-9]*' | LC_ALL=C sort -u |
      grep -xF "$(awk '/malloc\(/ { print "segments.c:" NR }' \
        "$tests/programs/segments.c")")"
done

finish
