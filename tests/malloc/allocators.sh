#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Other allocators than that of the C library, preloaded behind the monitor or
# linked with the program: the figures are the same.

. "$(dirname "$0")/check.bash"

arch_of_libraries() { uname -m | sed 's/x86_64/x86-64/; s/aarch64/AArch64/'; }

# library NAME: where it is; empty when it is not installed.
library() {
  ldconfig -p | sed -n "s/.*$1[^ ]* .*$(arch_of_libraries).* => //p" | head -n 1
}

# Requests of 0 bytes and realloc to 0 are each allocator's own business.
cases='malloc calloc realloc reallocarray failing aligned usable strings
  sized asprintf errno temporary peak sizes atexit'
cxx_cases='all_new all_delete exceptions containers'

# begin PROGRAM: run the case that does nothing but for what the C++ library
# does; an allocator may be written in C++ as well.
begin() {
  profile "$1" nothing
  rm -f "$1.nothing"
  [ ! -e "$1.data" ] || mv "$1.data" "$1.nothing"
}

# figures_of PROGRAM CASE: its exit status and totals.
figures_of() {
  profile "$1" "$2" 2>/dev/null
  echo "$status $(beyond "$1.nothing" "$1.data")"
}

for name in functions threads; do compile $name -O1 -c && mv $name $name.o; done
compile cxx -O1 -std=c++17 -c && mv cxx cxx.o

# link_all FLAG...: the three programs.
link_all() {
  $CC -o functions functions.o "$@" &&
    $CC -o threads threads.o "$@" -lpthread &&
    ${CXX:-g++} -o cxx cxx.o "$@" || result 1 "programs are linked with $*"
}

link_all
begin functions
begin cxx
for name in $cases; do
  declare "plain_$name=$(figures_of functions "$name")"
done
for name in $cxx_cases; do
  declare "plain_$name=$(figures_of cxx "$name")"
done

# compare_case HOW PROGRAM CASE: what an allocator cannot do by itself, it is
# not asked for under the monitor.
compare_case() {
  local variable=plain_$3
  if LD_PRELOAD=$preloaded timeout 100 "./$2" "$3" >out 2>err; then
    same "$1: $3" "${!variable}" "$(figures_of "$2" "$3")"
  else
    echo "ok - $1: $3 # SKIP fails without the monitor"
  fi
} 2>>err

# compare HOW: all cases with ./functions and ./cxx as they are now.
compare() {
  local name
  begin functions
  begin cxx
  for name in $cases; do compare_case "$1" functions "$name"; done
  for name in $cxx_cases; do compare_case "$1" cxx "$name"; done
  profile threads hammer
  same "$1: threads" '0 73:160000:11680000:8:584' \
    "$status $(sizes threads.data 73)"
}

# One whose free_sized knows nothing of the monitor's free.
$CC -shared -fPIC -O1 -fno-builtin -o sized.so "$tests/programs/sized.c"
ours=$monitor
monitor="$ours $work/sized.so" preloaded=$work/sized.so
for name in malloc sized; do
  compare_case 'an allocator with free_sized' functions $name
done
monitor=$ours

for allocator in libjemalloc.so.2 libtcmalloc_minimal.so.4 libmimalloc.so.2; do
  path=$(library $allocator)
  if [ -z "$path" ]; then
    echo "ok - $allocator # SKIP not installed"
    continue
  fi
  ours=$monitor
  monitor="$ours $path" preloaded=$path
  link_all
  compare "$allocator, preloaded"
  monitor=$ours preloaded=
  link_all -Wl,--no-as-needed "$path"
  compare "$allocator, linked"
done
finish
