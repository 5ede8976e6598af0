#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Whole chains by name: through libraries that are unloaded, by the program or
# by the C library, and others at the same address; handlers of signals.

. "$(dirname "$0")/check.bash"

# chains [SED]: with the allocations, and without what the C library calls
# main by.
chains() {
  "$MPROF" export --format=folded --value=allocs code.data 2>&1 |
    sed "s/^.*;main;/main;/; ${1:-}" | LC_ALL=C sort
}

export MPROF_UNFOLDED=1
# The third has gaps between its segments, as every twelfth of Debian has.
optimized='-O2 -fomit-frame-pointer -fno-optimize-sibling-calls'
for flags in -O0 "$optimized" \
  "$optimized -Wl,-z,separate-code -Wl,-z,max-page-size=0x200000"; do
  # shellcheck disable=SC2086
  compile code $flags
  for name in one two; do
    $CC -g -shared -fPIC -O1 -fno-builtin -DNAME=from_$name -o $name.so \
      "$tests/programs/loaded.c"
  done
  drop='s/run_case;//; s/case_[a-z]*;//g; s/;raise;.*;handler/;handler/'

  succeeds code unload
  same "$flags: functions of libraries that are gone" "main;use;from_one 30
main;use;from_two 30" "$(chains "$drop" | grep ';from_')"
  check_sizes "$flags: their figures" 61:30:1830:30:1830 67:30:2010:30:2010

  profile code modules
  if [ "$status" = 95 ]; then
    echo "ok - $flags: modules # SKIP the C library has none for UTF-16"
  else
    same "$flags: modules: exit status" 0 "$status"
    same "$flags: functions of modules that the C library unloaded" \
      gconv_init "$(chains | sed -n 's/.*;find_module;\([^;_]*_init\|\[.*\]\) .*/\1/p' |
        sort -u)"
    same "$flags: and of a library in that place" 'main;use;from_one 3' \
      "$(chains "$drop" | grep ';from_')"
  fi

  succeeds code signals
  same "$flags: signals: complete" 'comment cut_allocations 0' \
    "$(rows code.data comment | grep cut_)"
  same "$flags: signals: chains" "main;raise_deep 10
main;raise_deep;raise_deep 10
main;raise_deep;raise_deep;raise_deep 10
main;raise_deep;raise_deep;raise_deep;raise_deep 10
main;raise_deep;raise_deep;raise_deep;raise_deep;handler 10" "$(chains "$drop")"
done

# Not how many walks came to no end, but the allocations that they are for.
compile cut -O1 -fomit-frame-pointer -fno-unwind-tables \
  -fno-asynchronous-unwind-tables
profile cut
same 'cut short: all allocations' 'comment cut_allocations 1000' \
  "$(rows cut.data comment | grep cut_)"
same 'cut short: chains' '[cut short];lose 1000' \
  "$("$MPROF" export --format=folded --value=allocs cut.data 2>&1)"
same 'cut short: the report says so' \
  'CUT SHORT: 1000 allocations without the outermost callers' \
  "$("$MPROF" report cut.data 2>&1 | grep CUT)"

# ---- two executable segments ----

# As BOLT, lld and linker scripts make them, of the program and of a library
# that is unloaded: each function has its own name and lines.
unset MPROF_UNFOLDED
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
  succeeds segments
  same "$linker: each has its own name" 'library_moved 2
library_usual 2
program_moved 3
program_usual 4' "$("$MPROF" export --format=folded --value=allocs \
    segments.data | sed 's/.*;//' | grep -E '(moved|usual)' | LC_ALL=C sort)"
  # as they stand in the source
  lines=$(awk '/malloc\(/ { print "segments.c:" NR }' \
    "$tests/programs/segments.c" | LC_ALL=C sort)
  same "$linker: and its own line" "$lines" \
    "$("$MPROF" export --format=csv --by=line --tables=functions segments.data |
      grep -o 'segments\.c:[0-9]*' | LC_ALL=C sort -u | grep -xF "$lines")"
done
finish
