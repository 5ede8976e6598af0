#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# mprof run: programs that start without the monitor, since they take the place
# of malloc themselves: those with a sanitizer that is a library, and valgrind.
. "$(dirname "$0")/check.bash"

cc=${CC:-gcc}
programs=$top/tests/cli/programs
unset LD_PRELOAD

alone='a sanitizer takes the place of its malloc; build it without -fsanitize'
echo 'int puts(const char *), printf(const char *, ...);
void *malloc(unsigned long);
void *volatile kept;
int main(void) {
  kept = malloc(10);
  puts("ran");
  return 5;
}' >program.c
"$cc" -g -o starter "$programs/starter.c" || exit 1

# ---- sanitizers -----------------------------------------------------------

# ran NAME ERROR...: the last program did what it does by itself, and these
# lines were written on stderr.
ran() {
  local name=$1
  shift
  [ "$status" = 5 ] && [ "$(cat out)" = ran ] &&
    [ "$(cat err)" = "$(printf '%s\n' "$@")" ]
  result $? "$name"
}

export ASAN_OPTIONS=detect_leaks=0
for sanitizer in address leak thread; do
  if ! "$cc" -w -fsanitize=$sanitizer -o $sanitizer program.c 2>/dev/null ||
    ! readelf -d $sanitizer | grep -q 'lib.*san'; then
    echo "ok - -fsanitize=$sanitizer # SKIP it is no library"
    continue
  fi
  run run ./$sanitizer
  ran "$sanitizer" \
    "mprof: no profile of './$sanitizer' was written: $alone"
  run run -q -o q.data ./starter posix_spawn ./$sanitizer
  ran "$sanitizer: a child" ''
  [ "$("$MPROF" export --format=folded --value=allocs q.data |
    grep '^main ')" = 'main 1' ]
  result $? "$sanitizer: its parent has a profile"
  run run -q -o q.data ./starter execv ./$sanitizer
  ran "$sanitizer: what a process becomes" \
    "mprof: nothing more goes to '$PWD/q.data': $alone"
  run run -q -o q.data ./starter fexecve ./$sanitizer
  ran "$sanitizer: by its descriptor" \
    "mprof: nothing more goes to '$PWD/q.data': $alone"
  run run -q --only=nonesuch -o q.data sh -c "./$sanitizer"
  ran "$sanitizer: the child of what is not profiled" \
    "mprof: no profile was written: no program named 'nonesuch'\
 allocated anything, or a line above says why"
done
if command -v clang >/dev/null &&
  clang -w -fsanitize=address -o inside program.c 2>/dev/null; then
  run run ./inside
  ran 'a sanitizer in the program' "mprof: no profile of './inside' was\
 written: it has its own malloc; link it without one"
else
  echo 'ok - a sanitizer in the program # SKIP no clang'
fi

# ---- valgrind -------------------------------------------------------------

# It is told by its name, and so is this one.
printf '#!/bin/sh\necho "<$LD_PRELOAD>"\nexit 5\n' >valgrind
chmod +x valgrind
echo 'int other;' >other.c
"$cc" -shared -fPIC -o other.so other.c
other=$PWD/other.so
PATH=$PWD:$PATH
for function in execv execve execl execle execveat posix_spawn \
  system execvp execvpe execlp posix_spawnp; do
  name=./valgrind
  case $function in *p | *pe | *at) name=valgrind ;; esac
  # not into mprof itself, which may have a sanitizer
  run run -q -o q.data \
    sh -c "LD_PRELOAD=\$LD_PRELOAD:$other exec ./starter $function $name"
  [ "$status" = 5 ] && [ "$(cat out)" = "<$other>" ]
  result $? "$function: only what else is preloaded"
done
run run -q -o q.data ./starter execv ./valgrind
[ "$(cat out)" = '<>' ]
result $? 'nothing else is preloaded'

PATH=${PATH#*:}
if command -v valgrind >/dev/null; then
  # heap: what valgrind says, but for the number of the process.
  heap() { sed 's/^==[0-9]*==//' err | grep -v '^mprof:'; }
  "$cc" -w -g -o plain program.c
  valgrind --error-exitcode=9 ./plain >expected 2>err
  [ $? = 5 ]
  result $? 'valgrind without mprof'
  heap >heap
  run run valgrind --error-exitcode=9 ./plain
  [ "$status" = 5 ] && cmp -s out expected && diff <(heap) heap >differ
  result $? 'valgrind: status, output and messages'
  [ "$(tail -n 1 err)" = "mprof: no profile of 'valgrind' was written:\
 valgrind takes the place of malloc itself; run the program without it" ]
  result $? 'valgrind: says so'
else
  echo 'ok - valgrind # SKIP there is none'
fi
finish
