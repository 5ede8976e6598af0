#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# mprof run: programs that take the place of malloc themselves, where the
# monitor stands aside: those with a sanitizer that is a library, and valgrind.
. "$(dirname "$0")/check.bash"

cc=${CC:-gcc}
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
# starter PROGRAM: becomes it; without an argument runs it as a child.
echo '#include <stdlib.h>
#include <unistd.h>
void *volatile kept;
int main(int count, char **arguments) {
  kept = malloc(77);
  return count == 1 ? WEXITSTATUS(system(getenv("CHILD")))
                    : execv(arguments[1], arguments + 1);
}' >starter.c
"$cc" -g -o starter starter.c || exit 1

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
  CHILD=./$sanitizer run run -q -o q.data ./starter
  ran "$sanitizer: a child" ''
  [ "$("$MPROF" export --format=folded --value=allocs q.data |
    grep '^main ')" = 'main 1' ]
  result $? "$sanitizer: its parent has a profile"
  run run -q -o q.data ./starter ./$sanitizer
  ran "$sanitizer: what a process becomes" ''
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
  CHILD='valgrind --error-exitcode=9 ./plain' run run -q -o q.data ./starter
  [ "$status" = 5 ] && cmp -s out expected && diff <(heap) heap >differ
  result $? 'valgrind as a child: status, output and messages'
else
  echo 'ok - valgrind # SKIP there is none'
fi
finish
