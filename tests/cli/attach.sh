#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# mprof run --pid: a process is profiled from one moment to another, to the
# allocation, and goes on as if it had not been.
. "$(dirname "$0")/check.bash"

cc=${CC:-gcc}
programs=$top/tests/cli/programs
"$cc" -g -O1 -fno-builtin -w -o attached "$programs/attached.c" -lpthread ||
  exit 1
# The address of malloc is in its own linkage table.
"$cc" -g -O1 -fno-builtin -w -no-pie -fno-pic -o fixed \
  "$programs/attached.c" -lpthread || exit 1

# await FILE WORD: until the line is there, or the process $pid is not.
await() {
  until grep -q "^$2" "$1" 2>/dev/null; do
    kill -0 "$pid" 2>/dev/null || break
    sleep 0.02
  done
}

# begin ARGUMENT...: ./$binary runs, with the number $pid.
binary=attached
begin() {
  rm -f attached.now detached.now said p.data*
  ./$binary "$@" >said 2>&1 &
  pid=$!
  await said ready
}

# attach OPTION...: mprof does, with the number $profiler.
attach() {
  rm -f begun
  "$MPROF" run -o p.data --pid="$pid" "$@" >begun 2>err &
  profiler=$!
  until grep -q '^profiling' begun 2>/dev/null; do
    kill -0 $profiler 2>/dev/null || break
    sleep 0.02
  done
}

expect 'a process and a program' 2 'mprof: --pid cannot be combined with a'\
' program to run' run --pid=1 true
expect 'seconds alone' 2 'mprof: --seconds requires --pid=PID' \
  run --seconds=1 true
expect 'what does not fit' 2 'mprof: --pid cannot be combined with --off,'\
' --signal, --only or --trace-children' run --pid=1 --off

begin idle
if ! command -v gdb >/dev/null || ! gdb -batch -nx -p "$pid" \
  -ex 'print ((int (*)(void))getpid)()' 2>/dev/null | grep -q "= $pid\$"; then
  kill "$pid"
  echo 'ok - a process that runs # SKIP no gdb, or it cannot call functions'
  finish
fi
kill "$pid"

# sizes: allocations, frees and kept bytes of each size below 1,000.
sizes() {
  "$MPROF" report --tables=bins --no-legend -verbose p.data |
    awk '$1 + 0 > 0 && $1 < 1000 && $2 + 0 > 0 { print $1, $2, $6, $7 }'
}
wanted='15 1 1 0
77 300 200 7700
79 1 1 0
81 2 1 81
83 1 1 0'

for how in idle busy fixed; do
  [ $how != fixed ] || { how=idle binary=fixed; }
  begin $how
  attach
  [ "$(cat begun)" = "profiling process $pid; Ctrl-C writes the file" ]
  result $? "$binary, $how: it begins"
  : >attached.now
  await said done
  kill -TERM $profiler
  wait $profiler
  [ $? = 0 ]
  result $? "$binary, $how: exit status"
  [ "$how" = busy ] || [ "$(cat err)" = "mprof: wrote 'p.data': 305\
 allocations, 23439 bytes, 7781 of them kept; see: mprof report p.data" ]
  result $? "$binary, $how: says so"
  [ "$(sizes)" = "$wanted" ]
  result $? "$binary, $how: figures"
  sizes | diff <(echo "$wanted") - | sed 's/^/# /'
  cp p.data first.data
  # Again, to another file: what there was is forgotten.
  rm -f again.data
  attach --seconds=1 -o again.data
  wait $profiler
  result $? "$binary, $how: for a second, again"
  : >detached.now
  wait "$pid"
  [ $? = 0 ] && [ "$(tail -n 1 said)" = over ]
  result $? "$binary, $how: the program goes on"
  [ "$how" = busy ] && [ -s again.data ] ||
    { [ "$how" != busy ] && [ ! -e again.data ]; }
  result $? "$binary, $how: what follows is in the other file, if there is any"
done

binary=attached
for end in exit _exit exec; do
  begin idle $end
  attach
  : >attached.now
  wait "$pid"
  [ $? = 3 ]
  result $? "$end: exit status of the program"
  wait $profiler
  [ $? = 0 ] && [ "$(sizes)" = "$wanted" ]
  result $? "$end: figures"
done

# The program's file is not there any more, or another one is.
mkdir -p kept
for how in deleted replaced; do
  cp attached kept/going
  binary=kept/going
  begin idle exit
  if [ $how = deleted ]; then
    rm kept/going
  else
    cp /bin/true kept/true && mv kept/true kept/going
  fi
  attach
  : >attached.now
  wait "$pid" "$profiler"
  [ "$(sizes)" = "$wanted" ]
  result $? "a program that was $how: figures"
  "$MPROF" export --format=folded p.data | grep -q '^main;allocate'
  result $? "a program that was $how: names"
done
binary=attached

# What a process was started to ignore, as by nohup, does not end it, and what
# would end another process does.
begin idle exit
rm -f begun
env --ignore-signal=HUP "$MPROF" run -o p.data --pid="$pid" >begun 2>err &
profiler=$!
await begun profiling
# waits: how often it has begun to wait.
waits() { sed -n 's/^voluntary_ctxt.*://p' /proc/$profiler/status; }
kill -HUP $profiler
while grep -q '^ShdPnd:.*1$' /proc/$profiler/status; do sleep 0.01; done
count=$(waits) # it has taken the signal, and goes on
until (($(waits) > count + 1)); do sleep 0.01; done
kill -0 $profiler && [ -z "$(cat /proc/$profiler/task/$profiler/children)" ]
result $? 'nohup: SIGHUP starts no debugger'
: >attached.now
wait "$pid" "$profiler"
[ "$(sizes)" = "$wanted" ]
result $? 'nohup: all is counted'
begin idle
attach
: >attached.now
await said done
kill -USR1 $profiler
wait $profiler
[ $? = 0 ] && [ "$(sizes)" = "$wanted" ]
result $? 'any signal that ends other programs ends it'
: >detached.now
wait "$pid"

mkdir -p 'a"b'
cp "$MPROF_LIB/libmprof-malloc.so" 'a"b'
begin idle exit
MPROF_LIB=$PWD/'a"b' attach
[ -s begun ]
result $? 'a library in a folder with quotes'
: >attached.now
wait "$pid" "$profiler"

begin idle exit
attach
run run --pid="$pid"
[ "$(cat err)" = "mprof: cannot profile process $pid: it is already being profiled" ]
result $? 'it is profiled by another mprof'
{ kill -KILL $profiler && wait $profiler; } 2>killed
attach
: >attached.now
wait "$pid" "$profiler"
[ "$(sizes)" = "$wanted" ]
result $? 'a process whose profiler was killed'

# Its collector is called by addresses that are known from the start.
rm -f said p.data
"$ECL" --norc --eval '(progn (print :ready) (finish-output)
  (loop (list 1)))' >said 2>&1 &
pid=$!
await said :READY
attach --seconds=1
wait "$profiler"
[ $? = 0 ] && grep -q 'Lisp objects, which --pid cannot see' err
result $? 'ECL: says what is not seen'
{ kill "$pid" && wait "$pid"; } 2>killed

# ---- what cannot be -----------------------------------------------------

# refused NAME WHY PID: and the process is as it was.
refused() {
  run run --pid="$3"
  [ "$status" = 1 ] &&
    [ "$(cat err)" = "mprof: cannot profile process $3: $2" ]
  result $? "$1"
}
cp first.data mprof.data
refused 'no such process' 'there is no such process' 4194304
cmp -s first.data mprof.data
result $? 'no such process: the earlier profile is there'
bash -c 'sleep 0.01 & echo $!; exec sleep 100' >zombie &
pid=$!
until grep -qs '^State:.Z' "/proc/$(cat zombie)/status"; do sleep 0.01; done
refused 'it has ended' 'it has ended' "$(cat zombie)"
kill $pid
"$cc" -static -w -o attached-static "$programs/attached.c" -lpthread 2>/dev/null
for program in static preloaded stopped; do
  rm -f attached.now detached.now said
  case $program in
  static)
    why='it is statically linked, so mprof cannot be preloaded; link it without -static'
    ./attached-static idle >said &
    ;;
  preloaded)
    why='it is already being profiled'
    LD_PRELOAD=$MPROF_LIB/libmprof-malloc.so MPROF_OUT=$PWD/q.data \
      ./attached idle >said &
    ;;
  stopped)
    why='it is stopped'
    ./attached idle >said &
    ;;
  esac
  pid=$!
  await said ready
  [ $program != stopped ] || { kill -STOP $pid
    until grep -q '^State:.T' /proc/$pid/status; do sleep 0.01; done; }
  refused "$program: says why" "$why" $pid
  [ $program != stopped ] || kill -CONT $pid
  : >attached.now
  : >detached.now
  wait $pid
  result $? "$program: the program goes on"
done
# gdb would take the new file for the one that runs.
echo 'int other;' >other.c
"$cc" -shared -o libmymalloc.so other.c && cp libmymalloc.so new.so
LD_PRELOAD=$PWD/libmymalloc.so begin idle
mv new.so libmymalloc.so
refused 'a library that was replaced' "its library '$PWD/libmymalloc.so' was\
 deleted or replaced since it started; restart the program" $pid
kill $pid
begin idle
PATH=$scratch run run --pid="$pid"
[ "$(cat err)" = "mprof: cannot profile process $pid: gdb is required but\
 not installed" ]
result $? 'no debugger'
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null; then
  setpriv --reuid=65534 --clear-groups "$MPROF" run -o /tmp/no.data \
    --pid="$pid" >out 2>err
  [ "$(cat err)" = "mprof: cannot profile process $pid: Permission denied" ]
  result $? 'the process of somebody else'
  kill "$pid"
  chmod 755 .
  setpriv --reuid=65534 --clear-groups ./attached idle >said &
  pid=$!
  await said ready
  refused 'a folder that is not its' 'it cannot write its profile there' $pid
else
  echo 'ok - the process of somebody else # SKIP needs root'
fi
kill "$pid"
finish
