#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# An allocator that a program has beside malloc: counted in a shared library,
# however it is bound; named if it is linked into the program.

. "$(dirname "$0")/check.bash"

# check_case TITLE COUNT BYTES KEPT BYTES
check_case() {
  same "$1" "${*:2}" "$(totals second.data)"
}

source=$tests/programs/second.c
for how in '' -DREPLACES; do
  # shellcheck disable=SC2086
  $CC -g -O1 -w -fno-builtin -shared -fPIC -DLIBRARY $how -o libsecond.so \
    "$source"
  cases='
each     9 381 3 210
failing  1 10 1 10
found    3 305 1 200'
  [ -z "$how" ] || cases+='
mixed    5 150 1 50'
  for flags in '-O1 -Wl,-z,lazy' '-O2 -Wl,-z,now' '-O0 -no-pie -fno-pie'; do
    # shellcheck disable=SC2086
    compile second $flags -L. -Wl,-rpath,"$work" -lsecond
    each_case "second $how $flags" second check_case
    profile second threads
    same "second $how $flags: threads" 'size 24 4000 96000 0 0
size 8 4000 32000 0 0' "$(rows second.data size |
      grep -e '^size 8 ' -e '^size 24 ' | cut -d' ' -f 1-6 | sort)"
  done
done
profile second each
same 'the caller is main' '9 case_each' "$("$MPROF" export --format=folded \
  --value=allocs second.data | awk -F'[; ]' '{ n += $NF; name = $(NF - 1) }
    END { print n, name }')"
same 'nothing is missing' '' "$("$MPROF" report second.data | grep '^ALLOCATORS')"

# Linked into the program it is not seen, but named.
compile second -O1 -DLINKED
"$MPROF" run -o second.data ./second linked 2>err
same 'linked in: a line names it' "mprof: wrote 'second.data': 1 allocations, \
50 bytes, 50 of them kept, without what je_malloc in $work/second allocated; \
see: mprof report second.data" "$(cat err)"
same 'linked in: and the report' "ALLOCATORS NOT COUNTED
  je_malloc in $work/second" "$("$MPROF" report second.data | head -n 2)"
"$MPROF" merge -o both.data second.data second.data
same 'of two files once' 1 "$("$MPROF" report both.data | grep -c je_malloc)"
strip second
"$MPROF" run -o second.data ./second linked 2>err
same 'without symbols there is no line' 0 "$(grep -c je_malloc err)"

# Another one that also replaces malloc, if there is one.
mimalloc=$(ldconfig -p | sed -n 's/.*libmimalloc[^ ]* .* => //p' | head -n 1)
if [ -n "$mimalloc" ]; then
  sed 's/je_/mi_/g; s/mi_mallocx(\([^,;]*\), 0)/mi_malloc(\1)/
    s/mi_sdallocx(\(.*\), 40, 0)/mi_free_size(\1, 40)/
    s/mi_rallocx(\(.*\), 0)/mi_realloc(\1)/
    s/mi_reallocarray(/mi_reallocn(/' "$source" >mi.c
  $CC -g -O1 -w -fno-builtin -I"$tests/programs" -o second mi.c "$mimalloc" -lpthread
  cases='
each     9 381 3 210
mixed    5 150 1 50'
  each_case 'mimalloc' second check_case
fi
finish
