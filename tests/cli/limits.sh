#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Sentences of mprof-limits(7) and mprof-run(1) on C programs, each tried.
. "$(dirname "$0")/check.bash"
cc=${CC:-gcc}

# says_so WORDS: the pages say so, whatever the line breaks.
tr -d '\\' <"$top/reduce/mprof-limits.7" | sed 's/^\.[A-Z]* //' |
  tr -s ' \n' ' ' >limits
says_so() {
  grep -qF -e "$1" limits
  result $? "mprof-limits(7): $1"
}

# profiled PROGRAM ARGUMENT...: the total of its allocations and its bytes, or
# nothing if there is no profile.
profiled() {
  rm -f p.data
  "$MPROF" run -q -o p.data "$@" >out 2>err
  [ ! -e p.data ] || "$MPROF" export --format=csv --tables=types p.data |
    awk -F , 'NR > 1 { b += $4; n += $5 } END { print b + 0, n + 0 }'
}

cat >work.c <<'E'
#include <stdlib.h>
static inline __attribute__((always_inline)) void *helper(int n) {
  return malloc(n);
}
__attribute__((noinline)) void *work(int n) { return helper(n); }
void *volatile made;
int main(void) {
  free(work(10));
  made = work(20);
}
E

# lines FLAG...: the path to the object of WORK, by line.
lines() {
  "$cc" -O1 -g "$@" -o lined work.c && "$MPROF" run -q -o p.data ./lined &&
    "$MPROF" report --tables=leaks --by=line --no-legend p.data |
    sed -n 's/.*  \(main.*\)/\1/p' | sed "s|$PWD/||g" | tail -n 1
}
whole='main work.c:9>work work.c:5>helper work.c:3'
[ "$(lines)" = "$whole" ]
result $? 'with debug information there are lines and inlined functions'
"$cc" -O1 -g -o lined work.c
if objcopy --compress-debug-sections=zstd lined 2>err; then
  says_so 'Debug information in sections compressed with zstd is not read'
  "$MPROF" run -q -o p.data ./lined
  [ "$("$MPROF" report --tables=leaks --by=line --no-legend p.data |
    sed -n 's/.*  \(main.*\)/\1/p' | tail -n 1)" = 'main>work' ]
  result $? 'zstd: neither'
else
  echo 'ok - zstd: neither # SKIP objcopy cannot compress with zstd'
fi

# cli/run and cli/alone try these.
says_so 'programs that are statically linked'
says_so 'have a sanitizer'
says_so 'define malloc themselves'

says_so 'Memory from mmap or sbrk is not counted.'
cat >mapped.c <<'E'
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
void *volatile made;
int main(void) {
  made = mmap(0, 1 << 20, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  made = sbrk(4096);
  made = malloc(30);
}
E
"$cc" -o mapped mapped.c
[ "$(profiled ./mapped)" = '30 1' ]
result $? 'memory from mmap or sbrk is not counted'

says_so 'A program that never allocates leaves no file.'
echo 'int main(void) { return 7; }' >seven.c
"$cc" -o seven seven.c
profiled ./seven >found
[ ! -s found ]
result $? 'a program that never allocates leaves no file'

says_so 'Libraries loaded by dlmopen have a C library of their own'
cat >spaces.c <<'E'
#define _GNU_SOURCE
#include <dlfcn.h>
void *volatile made;
int main(int count, char **words) {
  void *library = dlmopen(LM_ID_NEWLM, words[1], RTLD_NOW);
  void *(*work)(int) = (void *(*)(int))dlsym(library, "work");
  return (made = work(12345)) == 0;
}
E
"$cc" -shared -fPIC -o libwork.so work.c && "$cc" -o spaces spaces.c
profiled ./spaces ./libwork.so >found
[ -s found ] && "$MPROF" export --format=csv --tables=bins p.data >bins &&
  ! grep -q '^12345,' bins
result $? 'what such a library allocates is not counted'

says_so 'regions 4,095, nested 64 deep; 199 bytes of the names on a path'
cat >deep.c <<'E'
#include <mprof_malloc.h>
#include <stdio.h>
#include <stdlib.h>
void *volatile made;
int main(void) {
  char name[16];
  for (int i = 0; i < 70; i++) {
    snprintf(name, sizeof name, WORDS, i % 10);
    mprof_region_begin(name);
    made = malloc(10);
  }
}
E
# 64 names of a digit are a path of 127 bytes.
for case in '%d 127' 'region%d 199'; do
  read -r words bytes <<<"$case"
  "$cc" -I"$top/monitor" -DWORDS="\"$words\"" -o deep deep.c \
    "$MPROF_LIB/libmprof-malloc.so" && "$MPROF" run -q -o p.data ./deep
  longest=$("$MPROF" export --format=csv --tables=regions p.data |
    awk -F , 'NR > 1 { gsub(/"/, "", $1)
        if (length($1) > most) most = length($1) } END { print most }')
  [ "$longest" = "$bytes" ]
  result $? "the longest path of regions called $words: $longest"
done

finish
