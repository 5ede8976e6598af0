#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Programs whose parts do not find the allocator by the usual way.

. "$(dirname "$0")/check.bash"

# sizes FILE SIZE...: allocations and what is kept of each of these sizes.
sizes() {
  local file=$1 size
  shift
  for size; do
    rows "$file" size | sed -n "s/^size $size \([0-9]*\) [0-9]* \([0-9]*\) .*/$size \1 \2/p"
  done
}

# A library loaded with RTLD_DEEPBIND finds the C library's own functions
# first; what it makes goes to the program, and back.
$CC -g -shared -fPIC -O1 -fno-builtin -w -o deepbound.so \
  "$tests/programs/deepbound.c" || exit 1
linked="-Wl,--whole-archive $MPROF_LIB/libmprof_malloc.a -Wl,--no-whole-archive"
$CC -g -shared -fPIC -DLIBRARY -o liblocale.so "$tests/programs/locale.c"
compile locale -O1 -L. -Wl,--no-as-needed -llocale -Wl,-rpath,"$work"
profile locale
same 'the first allocation holds the lock of locales: exit status' 0 "$status"

for how in preloaded linked; do
  if [ $how = preloaded ]; then
    compile binding -O1 -rdynamic
  else
    # shellcheck disable=SC2086
    compile binding -O1 -rdynamic $linked
    monitor=
  fi
  profile binding deepbound
  same "$how, RTLD_DEEPBIND: exit status" 0 "$status"
  same "$how, RTLD_DEEPBIND: all is counted once" '13 1 0
41 1 0
43 1 0
61 1 0
5 1 0
67 1 0
51 1 0
53 1 0
57 1 0
59 1 0
64 1 0' "$(sizes binding.data 13 41 43 61 5 67 51 53 57 59 64)"
  profile binding handle
  same "$how, dlsym of the C library: exit status" 0 "$status"
  same "$how, dlsym of the C library: counted" $'71 1 0\n73 1 0' \
    "$(sizes binding.data 71 73)"
done
finish
