#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Threads: the figures of objects by their size, which only the program's own
# objects have, and by the name of the thread.

. "$(dirname "$0")/check.bash"

# sizes CASE SIZE FIGURES...: the figures of objects of that size, as far as
# they are given.
sizes() {
  local size=$2 title="$flags: $1: objects of $2 bytes"
  shift 2
  same "$title" "$*" \
    "$(rows threads.data size | grep "^size $size " | cut -d' ' -f 3-$(($# + 2)))"
}

run() {
  profile threads "$1"
  same "$flags: $1: exit status" 0 "$status"
  same "$flags: $1: no walk was cut short" 'comment cut_allocations 0' \
    "$(rows threads.data comment | grep cut_)"
}

for flags in -O0 '-O2 -fomit-frame-pointer'; do
  # shellcheck disable=SC2086
  compile threads $flags
  run many
  sizes many 61 10000 610000 0 0
  run names
  for n in 0 1 2 3; do
    same "$flags: names: those of worker-$n" \
      "thread worker-$n $((2 * n + 2)) $((61 * (2 * n + 2))) 0 0" \
      "$(rows threads.data "thread" | grep "worker-$n " | cut -d' ' -f 1-6)"
  done
  sizes names 61 20 1220 0 0
  sizes names 67 1 67 0 0
  run many_names
  same "$flags: many names: 254 are told apart" '254 thread (others) 47 2867' \
    "$(rows threads.data thread | grep -vc '(others)') $(
      rows threads.data thread | grep '(others)' | cut -d' ' -f 1-4)"
  sizes many_names 61 300 18300 0 0
  run destructors
  sizes destructors 71 300 21300 0 0
  run hammer
  sizes hammer 61 160000 9760000 0 0
  sizes hammer 73 160000 11680000 8 584
  run peak
  same "$flags: peak: large objects" '4 500082 2 200062 2 300020' \
    "$(rows threads.data size | grep '^size - ' | cut -d' ' -f 3-8)"
  run cancelled
  sizes cancelled 61 10000 610000 0 0
  sizes cancelled 79 10 790 0 0
  run outlived
  sizes outlived 61 1 61 0 0
  sizes outlived 67 1 67 0 0
done
finish
