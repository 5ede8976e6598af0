#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The monitor of C programs under the sanitizer that SANITIZE names.  A library
# that is preloaded cannot be, and neither can what stands for malloc: the
# dynamic linker calls it before the sanitizer is there.  So the monitor is a
# part of the program here, with other names for the functions that allocate,
# and the program is compiled to call these.  What the C library allocates
# itself is not counted so; objects are compared by sizes that only the program
# uses.

. "$(dirname "$0")/../malloc/check.bash"

: "${SANITIZE:?says which sanitizer}"
export ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1
export TSAN_OPTIONS=die_after_fork=0:allocator_may_return_null=1
TSAN_OPTIONS+=:suppressions=$top/tests/sanitized/thread-sanitizer.supp

functions='malloc calloc realloc reallocarray free posix_memalign
  aligned_alloc memalign valloc pvalloc malloc_usable_size'
renamed=()
defined=()
for function in $functions; do
  renamed+=("--redefine-sym=$function=monitored_$function")
  defined+=("-D$function=monitored_$function")
done
objcopy "${renamed[@]}" "$BUILD/lib/libmprof_malloc.a" monitor.a ||
  result 1 'the monitor gets its names'

# sanitized NAME [ARGUMENT...]: run ./NAME, $program; no complaint, and a profile.
sanitized() {
  program=$1
  rm -f "$work/$1".data*
  timeout 300 env MPROF_OUT="$work/$1.data" "./$@" >out 2>err </dev/null
  status=$?
  if [ "$status" = 0 ] && ! grep -q 'WARNING: Thread\|runtime error' err; then
    result 0 "$*: nothing to complain of"
  else
    result 1 "$*: exit status $status"
    grep -v '^=*$' err | head -n 30 | sed 's/^/# /'
  fi
}

for name in functions recursion regions threads soak budget; do
  # shellcheck disable=SC2086
  compile $name -O1 $SANITIZE "${defined[@]}" \
    -rdynamic -Wl,--whole-archive monitor.a -Wl,--no-whole-archive -ldl
done
sanitized functions all
sanitized recursion down 5000
sanitized recursion grow 5 1000 6 1001
sanitized recursion random 9 3000
for name in nested odd many restart; do sanitized regions $name; done
while read -r name wanted; do
  sanitized threads "$name"
  # shellcheck disable=SC2086
  check_sizes "threads: $name" $wanted
done <<'E'
many        61:10000:610000:0:0
destructors 71:300:21300:0:0
hammer      61:160000:9760000:0:0 73:160000:11680000:8:584
peak        -:4:500082:2:200062
cancelled   61:10000:610000:0:0 79:10:790:0:0
E
MPROF_BUDGET=3000 sanitized budget 7 4000
# shellcheck disable=SC2046
check_sizes budget $(sed -n 's/^size \(.*\) - - .*/\1/p' out | tr ' ' :)
same 'budget: some is over it' 1 \
  "$(rows budget.data comment | grep -c 'unattributed_allocations [1-9]')"
for name in one two; do
  # shellcheck disable=SC2086
  $CC -g -shared -fPIC -O1 -fno-builtin -DNAME=from_$name "${defined[@]}" \
    -o $name.so "$tests/programs/loaded.c"
done
sanitized soak 10
read -r allocated kept replaced _ <out
check_sizes soak "61:$allocated:$((61 * allocated)):$kept:$((61 * kept))" \
  "73:$replaced:$((73 * replaced)):0:0"
finish
