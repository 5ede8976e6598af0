#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A line is in its own file, which after #include in a body or #line is not that
# of its function: in rows, in files for pprof and in those for callgrind; also
# when the debug information is in files apart.

. "$(dirname "$0")/check.bash"

cat >part.h <<'END'
  /* a part of a body */
  kept = malloc(11);
  free(kept);
END
cat >parts.c <<'END'
#include <stdlib.h>
void *volatile kept;
static inline __attribute__((always_inline)) void in_line(void)
{
#line 500 "grammar.y"
  kept = malloc(13);
  free(kept);
#line 9 "parts.c"
}
int main(void)
{
  kept = malloc(12);
  free(kept);
#include "part.h"
  in_line();
#line 700 "scan.l"
  kept = malloc(14);
  free(kept);
  return 0;
}
END

# lines FILE: the chains by line, without the folders.
lines() {
  "$MPROF" export --format=folded --by=line "$1" | sed "s|$work/||g"
}

whole='main parts.c:12 12
main parts.c:15;in_line grammar.y:500 13
main part.h:2 11
main scan.l:700 14'
without='main grammar.y:500 13
main part.h:2 11
main parts.c:12 12
main scan.l:700 14'

for flags in '' -gdwarf-4 -gsplit-dwarf '-gsplit-dwarf -gdwarf-4'; do
  rm -f ./*.dwo
  # shellcheck disable=SC2086
  $CC -g $flags -O1 -fno-builtin -o parts parts.c
  profile parts
  same "lines ($flags)" "$(LC_ALL=C sort <<<"$whole")" \
    "$(lines parts.data | LC_ALL=C sort)"
  "$MPROF" export --format=pprof -o lines.data parts.data
  same "a file for pprof ($flags)" "$(LC_ALL=C sort <<<"$whole")" \
    "$(lines lines.data | LC_ALL=C sort)"
  "$MPROF" export --format=callgrind --by=line -o lines.callgrind parts.data
  same "a file for callgrind ($flags)" 'grammar.y 500 13
part.h 2 11
parts.c 12 12
scan.l 700 14' "$(awk '/^c?fl=/ { match($0, /\([0-9]+\)/)
      number = substr($0, RSTART, RLENGTH)
      if ($2 != "") { file[number] = $2; sub(/.*\//, "", file[number]) } }
    /^fl=/ { now = number; first = 1 }
    first && /^[0-9]+ / { if ($2 > 0) print file[now], $1, $2; first = 0 }' \
    lines.callgrind | LC_ALL=C sort)"
  case $flags in
  *split*)
    rm -f ./*.dwo
    same "without the file apart ($flags)" "$without" \
      "$(lines parts.data | LC_ALL=C sort)"
    ;;
  esac
done

finish
