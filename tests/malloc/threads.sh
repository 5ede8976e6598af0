#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Threads: the figures of objects by their size, which only the program's own
# objects have, and by the name of the thread.

. "$(dirname "$0")/check.bash"

# case, then as check_sizes has them
cases='
many        61:10000:610000:0:0
names       61:20:1220:0:0 67:1:67:0:0
many_names  61:300:18300:0:0
destructors 71:300:21300:0:0
hammer      61:160000:9760000:0:0 73:160000:11680000:8:584
peak        -:4:500082:2:200062
cancelled   61:10000:610000:0:0 79:10:790:0:0
outlived    61:1:61:0:0 67:1:67:0:0
'

check_case() {
  check_sizes "$@"
  same "$1: no walk was cut short" 'comment cut_allocations 0' \
    "$(rows threads.data comment | grep cut_)"
}

for flags in -O0 '-O2 -fomit-frame-pointer'; do
  # shellcheck disable=SC2086
  compile threads $flags
  each_case "$flags" threads check_case
  profile threads names
  same "$flags: by name" 'worker-0 2 122
worker-1 4 244
worker-2 6 366
worker-3 8 488' "$(rows threads.data thread | grep worker- | cut -d' ' -f 2-4)"
  profile threads many_names
  same "$flags: 254 names are told apart" '254 thread (others) 47 2867' \
    "$(rows threads.data thread | grep -vc '(others)') $(
      rows threads.data thread | grep '(others)' | cut -d' ' -f 1-4)"
  profile threads peak
  same "$flags: the peak of both" '2 300020' \
    "$(rows threads.data size | grep '^size - ' | cut -d' ' -f 7-8)"
done
finish
