#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Programs whose parts do not find the allocator by the usual way.

. "$(dirname "$0")/check.bash"

# check_case TITLE SIZE...: each has been counted once, and freed.
check_case() {
  local title=$1
  shift
  check_sizes "$title: all is counted once" $(for size; do
    echo "$size:1:$size:0:0"
  done)
}

# A library loaded with RTLD_DEEPBIND finds the C library's own functions
# first; what it makes goes to the program, and back.
$CC -g -shared -fPIC -O1 -fno-builtin -w -o deepbound.so \
  "$tests/programs/deepbound.c" || exit 1
$CC -g -shared -fPIC -DLIBRARY -o liblocale.so "$tests/programs/locale.c"
compile locale -O1 -L. -Wl,--no-as-needed -llocale -Wl,-rpath,"$work"
succeeds locale # whose first allocation is where the lock of locales is held

# Beside a library that passes calls on, the C library's objects do not count.
echo 'void *dlsym(void *, const char *);
void *malloc(long n) { return ((void *(*)())dlsym((void *)-1, "malloc"))(n); }
void free(void *p) { ((void (*)())dlsym((void *)-1, "free"))(p); }' >passing.c
$CC -w -fno-builtin -shared -fPIC -o passing.so passing.c
compile binding -O1 -rdynamic
for order in "$monitor ./passing.so" "./passing.so $monitor"; do
  monitor=$order succeeds binding deepbound
  monitor=$order succeeds binding handle
  check_sizes 'beside a library that passes calls on' 71:1:71:0:0
done

for how in preloaded linked; do
  if [ $how = preloaded ]; then
    compile binding -O1 -rdynamic
  else
    # shellcheck disable=SC2086
    compile binding -O1 -rdynamic $linked
    monitor=
  fi
  cases='
deepbound 5 13 41 43 51 53 57 59 61 64 67
handle    71 73'
  each_case $how binding check_case
done
finish
