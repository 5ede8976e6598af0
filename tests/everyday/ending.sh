#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# How programs begin and end: signals to the whole group, once and twice, as
# timeout, a terminal, systemd and docker stop send them; a reader that is
# gone; a folder that is gone; the first process of a container; PATH.  The
# profile is there, it is finished, and mprof ends as the program does.

. "$(dirname "$0")/../cli/check.bash"
. "$top/tests/everyday/waiting.bash"
set -m # each job is a process group, and ignores nothing
unset "${!MPROF_@}"
export MPROF

"${CC:-gcc}" -g -O1 -o program "$top/tests/everyday/program.c" || exit 1
first='main;first;allocate 100'
second='main;second;allocate 100'

# begin COMMAND...: start it, a program that waits, as a group of its own;
# leaves $pid, and $mprof.
begin() {
  rm -rf go ready p.data*
  mkfifo go
  "$@" >out 2>err &
  pid=$!
  until_true test -e ready
  mprof=$(<ready)
}

# ended NAME STATUS CHAINS
ended() {
  until_true is_gone $pid
  wait $pid 2>/dev/null
  same "$1: status" "$2" "$?"
  same "$1: chains" "$3" "$(chains p.data)"
  same "$1: a finished file" ' 1f 8b' "$(od -An -N2 -tx1 p.data)"
  same "$1: no other file" p.data "$(echo p.data*)"
}

for options in '' --timeline=0.1 --serve=0; do
  for signal in TERM INT HUP; do
    number=$((128 + $(kill -l $signal)))
    name="$signal to all${options:+, $options}"
    # shellcheck disable=SC2086
    begin "$MPROF" run $options -o p.data ./program wait
    kill -$signal -- -$pid
    ended "$name" $number "$first"
    same "$name: said" 1 "$(grep -c "^mprof: wrote 'p.data'" err)"

    # As timeout does: to mprof and then to all; and by an impatient user.
    # shellcheck disable=SC2086
    begin "$MPROF" run $options -o p.data ./program wait
    for _ in 1 2 3 4; do kill -$signal $pid -- -$pid 2>/dev/null; done
    ended "$name, and again" $number "$first"
    same "$name, and again: said" 1 "$(grep -c "^mprof: wrote 'p.data'" err)"
  done
done

# Nobody waits for the shell's line any more.
begin nohup "$MPROF" run -q -o p.data ./program wait
kill -HUP -- -$pid
echo >go
ended 'HUP below nohup' 3 "$first"$'\n'"$second"

# Who reads its output has ended.
mkfifo pipe
exec 3<>pipe 4<pipe # so that neither waits for the other
begin sh -c 'exec "$MPROF" run -q -o p.data ./program wait >pipe 3>&- 4>&-'
exec 3>&- 4<&-
echo >go
ended 'a reader that is gone' 141 "$first"$'\n'"$second"

# The first process of a container, which gets no signals that it does not
# handle.
if unshare --pid --fork --map-root-user true 2>/dev/null; then
  begin unshare --pid --fork --map-root-user "$MPROF" run -q -o p.data \
    ./program wait
  kill -TERM "$(pgrep -P $pid)"
  ended 'TERM to the first process' 143 "$first"
fi

# ---- a folder that is gone ----------------------------------------------

mkdir gone
result $? 'a folder'
(cd gone && rmdir ../gone && "$MPROF" run -q -o "$scratch/p.data" \
  "$scratch/program" >../out 2>../err)
same 'in a folder that is gone: status' 3 $?
same 'in a folder that is gone: chains' "$first"$'\n'"$second" \
  "$(chains p.data)"
mkdir gone
(cd gone && rmdir ../gone && "$MPROF" run -q "$scratch/program" \
  >"$scratch/out" 2>"$scratch/err")
same 'a profile in a folder that is gone: status' 1 $?
same 'a profile in a folder that is gone: said' \
  "mprof: cannot write 'mprof.data': No such file or directory" "$(cat err)"
mkdir gone
(cd gone && rmdir ../gone && "$MPROF" report --tables=direct "$scratch/p.data" \
  >"$scratch/out")
same 'a report in a folder that is gone: status' 0 $?

mkdir gone
mkfifo gone/go
(cd gone && "$MPROF" run -q -o p.data ../program wait >../out 2>../err) &
until_true test -e gone/ready
exec 3<>gone/go
rm -r gone
echo >&3
wait $!
same 'a folder that goes: status' 3 $?
same 'a folder that goes: said' \
  "mprof: cannot write 'p.data': No such file or directory" "$(cat err)"

# ---- PATH ----------------------------------------------------------------

PATH=$(dirname "$MPROF"):$PATH "${MPROF##*/}" run -q -o p.data ./program >out
same 'found by PATH: status' 3 $?
PATH=$(dirname "$MPROF"):$PATH "${MPROF##*/}" run -q -o p.data env ./program \
  >out
same 'a program found by PATH: status' 3 $?
finish
