#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A profile on another machine than that of the program, which is nowhere, or
# somewhere else by its build id, or of which there is the debug file alone.
# The profile is one that the monitor wrote, or the image of a killed program.
# And a program with very many files.

. "$(dirname "$0")/check.bash"

cat >away.c <<'END'
#include <signal.h>
#include <stdlib.h>
void *volatile made;
static __attribute__((noinline)) void make(void) { made = malloc(333); }
int main(int count, char **arguments) {
  for (int i = 0; i < 10; i++) make();
  (void)arguments;
  return count > 1 ? raise(SIGKILL) : 0;
}
END
export MPROF_DEBUG_PATH=$work/debug

# chain: what the report says is missing, and the chain by functions and by
# lines.
chain() {
  "$MPROF" report --tables=leaks away.data 2>&1 |
    sed -n "/^MISSING NAMES/,/^$/s,^  $work/,,p"
  "$MPROF" export --format=folded away.data 2>&1 | sed 's/.*main;/main;/'
  "$MPROF" export --format=folded --by=line away.data 2>&1 |
    grep -o 'away.c:[0-9]*' | paste -sd' '
}

for flags in '' -no-pie; do
  for killed in '' killed; do
    title="${flags:-pie}${killed:+, killed}"
    rm -rf debug
    # shellcheck disable=SC2086
    $CC -g -O1 $flags -o away away.c || result 1 "$title compiles"
    # shellcheck disable=SC2086
    profile away $killed
    id=$(readelf -n away | sed -n 's/.*Build ID: //p')
    folder=debug/.build-id/${id:0:2}
    mkdir -p "$folder"
    mv away "$folder/${id:2}"
    made='main;make 3330
away.c:6 away.c:4'
    same "$title: the file by its build id" "$made" "$(chain)"
    strip -o stripped "$folder/${id:2}"
    objcopy --only-keep-debug "$folder/${id:2}" "$folder/${id:2}.debug"
    rm "$folder/${id:2}"
    same "$title: its debug file" "$made" "$(chain)"
    cp /bin/true away
    same "$title: another file in its place" "$made" "$(chain)"
    mv stripped away
    same "$title: the file without symbols in its place" "$made" "$(chain)"
    rm away "$folder/${id:2}.debug"
    same "$title: nothing" "away cannot be read, so its functions have no \
names (it had the build id $id)" "$(chain | head -n 1)"
  done
done

# A program with more libraries than may be open at a time: each has its
# functions' names, also where the first ones are looked at again.

cat >many_files.c <<'END'
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
  static void *libraries[150];
  char name[32];
  for (int round = 0; round < 2; round++)
    for (int i = 0; i < 150; i++) {
      snprintf(name, sizeof name, "./%d.so", i);
      if (round == 0)
        libraries[i] = dlopen(name, RTLD_NOW);
      void *found = dlsym(libraries[i], round == 0 ? "early" : "late");
      free(((void *(*)(size_t))found)(61 + 2 * (size_t)round));
    }
  return 0;
}
END
$CC -g -O1 -o many_files many_files.c -ldl
cat >library.c <<'END'
#include <stdlib.h>
void *early(size_t bytes) { void *volatile p = malloc(bytes); return p; }
void *late(size_t bytes) { void *volatile p = malloc(bytes); return p; }
END
$CC -g -O1 -shared -fPIC -fno-builtin -o 0.so library.c
for ((i = 1; i < 150; i++)); do cp 0.so $i.so; done
succeeds many_files
same 'with 100 files that may be open' 'early 150
late 150' "$(ulimit -n 100
  "$MPROF" export --format=folded --value=allocs many_files.data |
    sed 's/.*;//' | grep -E '^(early|late) ')"
finish
