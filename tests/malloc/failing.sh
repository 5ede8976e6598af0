#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Each system call that the monitor makes fails once, at its start, when it
# counts, and at its end.  The program ends as without the monitor; there is
# a complete file, and where it is not all of this run, or there is none, a
# line that says so.

. "$(dirname "$0")/check.bash"

compile rights -O1
compile faults -O1
compile failing -O1 -fPIC -shared
mkdir jail folder
profile faults none # has the objects before alone
"$MPROF" merge -o faults.data faults.data 2>err # as `mprof run' leaves it
all=$(MPROF_OUT=$work/all.data LD_PRELOAD=$monitor ./rights jail none
      rows all.data all)
before=$(rows faults.data all)

# says_what_it_lacks FILE: it has all objects but those of which it says that
# there was no memory for them.
says_what_it_lacks() {
  local lost
  lost=$(rows "$1" comment | sed -n 's/^comment lost_note .*: //p')
  [ -n "$lost" ] && [ $(($(rows "$1" all | cut -d' ' -f 3) + lost)) = \
    "$(cut -d' ' -f 3 <<<"$all")" ]
}

# judge STATUS: what is wrong with what a run has left; nothing: all is well.
judge() {
  local file got
  [ "$1" = 0 ] || echo "status $1"
  [ ! -s err ] || [ -z "$(grep -v '^mprof: ' err)" ] || echo "says $(cat err)"
  for file in folder/*; do
    got=$([ ! -e "$file" ] || rows "$file" all)
    case $file:$got in
    *x.data:"$all" | *x.data.*:'all - 2 60 2 60 2 60 0') ;;
    *x.data.old.*:"$before") ;; # where it cannot be removed
    *x.data:"$before" | *'*':) [ -s err ] || echo 'says nothing' ;;
    *) says_what_it_lacks "$file" || echo "$file: $got" ;;
    esac
  done
}

# fail CASE CALL ERROR: the first one fails, the second one, and so on; or each
# EVERY-th, where the environment has that.
fail() {
  local n status found reached='' wrong=''
  for ((n = 1; ; n += ${EVERY:-1})); do
    rm -f folder/* && cp faults.data folder/x.data
    (cd folder && timeout -k 1 60 env FAIL="$2:$n:$3" \
      MPROF_OUT=x.data LD_PRELOAD="$monitor:$work/failing" \
      ../rights ../jail "$1" >../out 2>../err 9>../reached </dev/null)
    status=$?
    [ -s reached ] || break
    reached=1
    found=$(judge "$status")
    wrong+=${found:+$n-th: $found$'\n'}
  done
  [ -z "$reached" ] || same "$1: $2 fails" '' "$wrong"
}

for case in none fork filter_nothing; do
  for call in open close rename stat lstat fstat fstatfs readlink getrlimit \
    mremap madvise getcwd unlink ftruncate fallocate pread writev; do
    fail $case $call 28 # ENOSPC
  done
done
fail none mmap 12
finish
