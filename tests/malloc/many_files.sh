#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A program with more libraries than may be open at a time: each has its
# functions' names, also where the first ones are looked at again.

. "$(dirname "$0")/check.bash"

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
$CC -g -O1 -o many_files many_files.c -ldl || result 1 'it compiles'
cat >library.c <<'END'
#include <stdlib.h>
void *early(size_t bytes) { void *volatile p = malloc(bytes); return p; }
void *late(size_t bytes) { void *volatile p = malloc(bytes); return p; }
END
$CC -g -O1 -shared -fPIC -fno-builtin -o 0.so library.c ||
  result 1 'its library compiles'
for ((i = 1; i < 150; i++)); do cp 0.so $i.so; done
profile many_files
same 'its status' 0 "$status"
same 'with 100 files that may be open' 'early 150
late 150' "$(ulimit -n 100
  "$MPROF" export --format=folded --value=allocs many_files.data |
    sed 's/.*;//' | grep -E '^(early|late) ')"
finish
