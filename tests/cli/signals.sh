#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# mprof run and signals: what is sent to it reaches the program, it ends as the
# program does, and the profile has all until then; job control stops and
# continues both.
. "$(dirname "$0")/check.bash"
. "$top/tests/everyday/waiting.bash"
set -m # each job is a process group, and ignores nothing
ulimit -c 0
# With sanitizers, too, mprof has no handlers, and another library comes first.
ASAN_OPTIONS=${ASAN_OPTIONS:-}:verify_asan_link_order=0:handle_segv=0
export ASAN_OPTIONS=$ASAN_OPTIONS:handle_sigbus=0:handle_sigfpe=0

"${CC:-gcc}" -O1 -o signals "$top/tests/cli/programs/signals.c" &&
  "${CC:-gcc}" -shared -fPIC -o slow-sync.so \
    "$top/tests/cli/programs/slow-sync.c" || exit 1

# until_true COMMAND...: wait for it to become true.  A shell of its own does,
# as this one leaves its loops when a job stops.
until_true() {
  timeout --foreground 100 bash -c \
    'until "$@" 2>/dev/null; do sleep 0.05; done' - "$@" && return
  echo "# waited in vain: $*"
  return 1
}

# start ARGUMENT...: mprof run with these; $pid is mprof, $child the program,
# which is ready.
start() {
  rm -f s.data* ready handled
  "$MPROF" run -o s.data "$@" >out 2>err &
  pid=$!
  until_true test -s ready
  child=$(cat ready)
}

# parent PID: the process that has started it.
parent() { sed -n 's/^PPid:[^0-9]*//p' "/proc/$1/status"; }

export -f are is_gone

# ended NAME STATUS ALLOCATIONS BYTES
ended() {
  # Its end, and not that it stopped.  Not by wait -f: bash 5.2 waits for ever
  # for a child whose end it has noted before.
  until_true is_gone $pid
  wait $pid 2>/dev/null
  status=$?
  same "$1: exit status" "$2" "$status"
  same "$1: what is in the profile" "$3 allocations, $4 bytes" \
    "$("$MPROF" report s.data | grep -o '^[0-9]* allocations, [0-9]* bytes')"
}

for name in INT TERM HUP QUIT USR1 USR2 ALRM VTALRM PROF PIPE IO PWR STKFLT \
  XCPU XFSZ ABRT TRAP SYS ILL FPE BUS SEGV; do
  start ./signals wait
  kill -$name $pid
  ended "$name" $((128 + $(kill -l $name))) 5 50
done

# Handled by the program, which goes on.
for name in INT HUP QUIT USR1 USR2 ALRM VTALRM WINCH CONT TSTP RTMIN RTMAX; do
  number=$(kill -l $name)
  start ./signals handle "$number"
  kill -$name $pid
  until_true test -s handled # else the lower number would come first
  kill -TERM $pid
  ended "handled $name" 9 7 $((50 + number + 15))
done

# Signals that nobody can handle, or that say nothing of an end: the counts are
# in a file.
start ./signals wait
kill -RTMIN $pid
ended 'a signal of real time' $((128 + $(kill -l RTMIN))) 5 50
start ./signals wait
kill -KILL "$child"
ended 'KILL' 137 5 50
same 'KILL: said' "mprof: wrote 's.data': 5 allocations, 50 bytes, 50 of them\
 kept; see: mprof report s.data" "$(cat err)"
same 'KILL: no other file' ./s.data "$(find . -name 's.data*')"

# Signals that come while mprof finishes: the program has ended, and its end
# is what counts.
LD_PRELOAD=$PWD/slow-sync.so start ./signals wait
kill -TERM $pid
until_true test -e finishing
for name in TERM INT HUP QUIT TSTP ALRM VTALRM PROF PIPE USR1 URG RTMIN; do
  kill -$name -- -$pid
  kill -$name $pid
done
: >finish
ended 'while mprof finishes' 143 5 50
same 'while mprof finishes: said' "mprof: wrote 's.data': 5 allocations, 50\
 bytes, 50 of them kept; see: mprof report s.data" "$(cat err)"

# A program inherits what mprof was started with, and mprof works with it.  The
# x stands for signals 33 to 36: 33 is the C library's own, which it resets in
# a process with threads.
inherited='grep -E "^Sig(Blk|Ign)" /proc/self/status |
  sed -E "s/^(SigIgn:.{8})./\1x/"
for i in 0 1 2; do test -e /proc/$$/fd/$i || echo closed $i >&3; done'
for with in 'env -i' 'env --ignore-signal=CHLD' 'env --ignore-signal=PIPE' \
  'env --block-signal' 'env --ignore-signal'; do
  $with /bin/sh -c "$inherited" >wanted
  rm -f s.data
  $with MPROF_LIB="$MPROF_LIB" "$MPROF" run -o s.data /bin/sh -c "$inherited; exit 4" >out 2>err
  same "$with: exit status" 4 $?
  same "$with: what a program inherits" "$(cat wanted)" "$(cat out)"
  grep -q "^mprof: wrote 's.data'" err && [ "$(wc -l <err)" = 1 ]
  result $? "$with: writes the profile"
done
for closed in '<&-' '>&-' '2>&-' '<&- >&- 2>&-'; do
  eval "/bin/sh -c '$inherited' 3>wanted $closed" 4>&2 2>/dev/null
  rm -f s.data
  eval "'$MPROF' run -o s.data /bin/sh -c '$inherited; exit 4'" \
    '3>out' "$closed"
  same "closed $closed: exit status" 4 $?
  same "closed $closed: what a program inherits" "$(cat wanted)" "$(cat out)"
  "$MPROF" report s.data >/dev/null
  result $? "closed $closed: writes the profile"
done

# ---- job control --------------------------------------------------------

start ./signals wait
kill -TSTP $pid
until_true are T $pid "$child"
result $? 'TSTP stops both'
kill -CONT $pid
until_true are S $pid "$child"
result $? 'CONT continues both'
kill -TSTP -- -$pid
until_true are T $pid "$child"
result $? 'a job is stopped'
kill -CONT -- -$pid
until_true are S $pid "$child"
result $? 'and continued'
kill -TSTP "$child"
until_true are T $pid "$child"
result $? 'a program that stops itself'
kill -TERM $pid
kill -CONT $pid
ended 'a signal while it is stopped' 143 5 50

start ./signals wait
for continued in "$child" $pid; do
  kill -STOP "$child"
  until_true are T $pid "$child"
  result $? 'STOP to the program stops both'
  kill -CONT "$continued"
  until_true are S $pid "$child"
  result $? 'each continues the other'
done
kill -STOP "$child"
until_true are T $pid "$child"
kill -KILL "$child"
ended 'killed while both are stopped' 137 5 50

# ---- a terminal (what is typed: ../everyday/typed.sh) ----------------------

# On a terminal, too, nothing is mprof's own: no signal that it handles and no
# alarm that could reach the program.
rm -f ready
{ until_true test -s ready
  child=$(cat ready)
  own=$(parent "$child")
  until_true are S "$child" "$own"
  # without the two that the C library handles for its threads
  printf '%x\n' $((0x$(sed -n 's/^SigCgt:\s*//p' "/proc/$own/status") &
    ~0x180000000)) >handles
  cat "/proc/$own/timers" >timers
  printf '\003'
  until_true is_gone "$child"; } |
  timeout 60 script -qec "'$MPROF' run -q -o s.data ./signals wait" /dev/null \
    >typed
same 'mprof run handles no signal' 0 "$(cat handles)"
same 'and has no timer' '' "$(cat timers)"

# A loop in a shell ends by Ctrl-C, as it would without mprof.
cat >loop <<'END'
for i in 1 2 3; do
  echo round >>said
  "$MPROF" run -q -o s.data ./signals wait
done
END
rm -f ready
: >said
{ until_true test -s ready
  child=$(cat ready)
  until_true are S "$child"
  printf '\003'
  until_true is_gone "$child"; } |
  timeout 60 script -qec 'bash loop' /dev/null >typed
same 'Ctrl-C ends a loop' round "$(cat said)"
finish
