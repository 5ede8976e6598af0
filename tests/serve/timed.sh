#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# mprof run --timeline --serve: what is served of a program that runs has its
# times.
. "$(dirname "$0")/../cli/check.bash"

printf '#include <stdlib.h>\n#include <unistd.h>\nint main(void) {
  for (int i = 0; i < 100; i++) if (!malloc(24)) return 1;
  return pause(); }\n' >timed.c
${CC:-gcc} -O0 -fno-builtin -o timed timed.c
"$MPROF" run -q --timeline=10ms --serve=0 -o timed.data ./timed 2>err &
runner=$!

# allocs FILE: those that have a time.
allocs() {
  "$MPROF" export --format=folded --value=allocs --to=1h "$1" 2>/dev/null |
    awk '{ n += $NF } END { print n + 0 }'
}
until [ "$(python3 - "$(sed -n 's/.*serving at //p' err)profile" 2>/dev/null <<'END'
import sys, urllib.request
with urllib.request.urlopen(sys.argv[1]) as answer:
    open('now.data', 'wb').write(answer.read())
END
  allocs now.data)" = 100 ]; do :; done
result 0 'what is served has times'
kill $runner
wait $runner
[ "$(allocs timed.data)" = 100 ]
result $? 'as its file has'
finish
