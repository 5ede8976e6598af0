#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Copies of a process that no handler is told of: each counts for itself, in a
# file of its own, from when it first counts.  A child that shares its parent's
# memory counts in its parent's file.

. "$(dirname "$0")/check.bash"

# run WAY CASE TITLE LINE...: the case leaves these files.
run() {
  run_root copies "$1" "$2"
  files "$1: $3" "${@:4}"
}

compile copies -O1
ways='fork _Fork clone raw-clone'
for way in $ways; do
  run $way little 'the child counts a little' '3 230 3 230' '3 60 3 60'
  run $way freed 'the child frees' '100000 1600000 100000 1600000'
  run $way growth 'both grow' '1009 1500545 0 0' '1000 500500 0 0'
  run $way grandchild 'a grandchild' '1 10 1 10' '2 90 2 90' '3 60 3 60'
  run $way idle_child 'the child only makes another' '2 20 2 20' '3 60 3 60'
  run $way exec exec '4 40 4 40' '7 77 7 77'
  run $way handler 'in a handler' '2 20 2 20' '3 60 3 60'
  run $way stop 'the child stops counting' '4 40 4 40'
  run $way restart 'the child restarts' '4 40 4 40' '3 60 3 60'
  run $way region regions '4 40 4 40' '3 60 3 60'
  same "$way: the child in its parent's region" '0 60 outer 1 60 outer;inner' \
    "$(rows copies.data.* comment | awk '/outer/ { print $3, $7, $8 }' | xargs)"
  run_root copies $way threads
  same "$way: beside threads" '285 5' \
    "$(rows copies.data all | cut -d' ' -f 9) $(for file in copies.data.*; do
      totals "$file"
    done | grep -cx '3 60 3 60')"
done

run clone-vm little 'in shared memory' '6 290 6 290'
run clone-vm grandchild 'a grandchild' '6 160 6 160'
run clone-vm handler 'in a handler' '5 80 5 80'
run clone-vm region regions '7 100 7 100'
run clone-vm freed 'the child frees' '100000 1600000 0 0'
run clone-vm exec exec '4 40 4 40' '7 77 7 77'

export MPROF_CHILDREN=no
for way in $ways; do
  run $way little 'only the parent' '3 230 3 230'
done
finish
