#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Objects of pools of the program's own are counted with the label pool=NAME,
# beside the blocks that they are in; those that are lost are found; and the
# program runs without mprof.

. "$(dirname "$0")/check.bash"

compile pools -O1

# check_case TITLE LINE...: objects and bytes allocated and kept in each region.
check_case() {
  same "$1" "$(tr ' ' '\n' <<<"${*:2}")" "$(rows pools.data region |
    awk '$2 != "-" { print $2 ":" $3 ":" $4 ":" $5 ":" $6 }')"
}

cases='
kept     pool=leaf:1:32:1:32 pool=node:10:160:6:96
region   load;pool=node:1:16:1:16 pool=node:2:32:2:32 pool=other:2:32:2:32
address  pool=node:3:72:2:48
again    pool=node:5:60:1:14
threads  pool=even:80000:640000:4:32 pool=odd:80000:640000:4:32
fork     pool=node:1:16:1:16
'
each_case 'pools' pools check_case
same 'fork: the child' 'region pool=node 1 48 1 48' \
  "$(rows pools.data.* region | grep pool | cut -d' ' -f 1-6)"
./pools kept 2>err
same 'without mprof' '0 ' "$? $(cat err)"

profile pools kept
"$MPROF" report --tables=regions --no-legend --verbose pools.data >got
same 'the report says that they count beside their blocks' \
  'In pools: 11 allocations, 192 bytes; the blocks that they take are counted as well' \
  "$(grep '^In pools' got)"
same 'and has them among the regions, with what is held' '10 160 96 pool=node
1 32 32 pool=leaf' "$(awk '/ pool=/ { print $3, $5, $7, $NF }' got)"
same 'apart from all else' '192 pool=leaf pool=node' \
  "$("$MPROF" export --format=folded --by=label:pool --value=bytes pools.data |
    awk '$1 ~ /pool=/ { names = names " " $1; n += $2 } END { print n names }')"

by_run=--reachable
cases='
reached  8:1:1:0 1001:1:0:0 1002:1:0:0 1003:2:2:0
ring     1001:2:1:1
block    -:1:0:0 1001:1:0:0 1002:1:0:0 1003:1:1:0
lost     -:1:1:0 1001:1:1:0 1002:1:0:1
mapped   1001:1:0:0 1002:1:1:0
'
each_case 'reachable' pools check_lost
finish
