#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# mprof run --fail-on-leak: how it ends, what it says, and that it counts as the
# table of leaks does.

. "$(dirname "$0")/check.bash"
: "${ECL:=$top/build/bin/ecl}"

compile losing -O0
compile kept -O1
lost='3834 bytes in 26 objects were lost, directly or indirectly, for example by main>lose_list>make'
see='see: mprof report --tables=leaks'

# ends TITLE STATUS LINE ARGUMENT...: its status, and the first line.
ends() {
  local title=$1 wanted="$2 mprof: $3"
  shift 3
  rm -f mprof.data*
  "$MPROF" run "$@" >out 2>err </dev/null
  same "$title" "$wanted" "$? $(head -n 1 err)"
}

ends 'a leak' 4 "$lost; $see mprof.data" --fail-on-leak ./losing
same 'the table has as much' '3834 26' "$("$MPROF" report --tables=leaks |
  awk '$NF == "<TOTAL>" { print $1, $3 }')"
ends 'a limit' 4 "$lost; $see x.data" -q -o x.data --fail-on-leak=3833 ./losing
wrote="wrote 'mprof.data': 136 allocations, 9874 bytes, 4874 of them kept,\
 3834 of these lost (1442 directly, 2392 indirectly); see: mprof report mprof.data"
ends 'as much as the limit' 0 "$wrote" --fail-on-leak=3834 ./losing
ends 'a limit with a unit' 0 "$wrote" --fail-on-leak=3.75KiB ./losing
echo leak:lose_list >suppressions
ends 'a part is suppressed' 4 "1234 bytes in 1 object were lost, directly or indirectly, for example\
 by main>lose; $see --suppressions=suppressions mprof.data" \
  --fail-on-leak --suppressions=suppressions ./losing
echo leak:^main$ >suppressions
ends 'all is suppressed' 0 "$wrote" --fail-on-leak \
  --suppressions=suppressions ./losing
rm -f mprof.data*
"$MPROF" run -q --fail-on-leak ./kept locale >out 2>err
same 'what is reachable is no leak' '0 ' "$? $(cat err)"
ends 'children' 4 "7668 bytes in 52 objects were lost, directly or indirectly, for example by\
 main>lose_list>make; $see mprof.data mprof.data.[0-9]*" \
  --fail-on-leak sh -c './losing; ./losing; :'
${CC:-gcc} -O0 -o alike -x c - <<'END'
#include <stdlib.h>
#include <unistd.h>
static void *volatile last;
static void a(void) { last = malloc(100); }
static void b(void) { last = malloc(100); }
int main(int argc, char **argv)
{
  (void)argv;
  argc > 1 ? a() : b();
  last = NULL;
  /* a copy that never counts, and so never leaves the image */
  return fork() == 0 && alarm(60) == 0 && pause() != 0;
}
END
for order in './alike; ./alike a; :' './alike a; ./alike; :'; do
  ends "equal leaks: $order" 4 "200 bytes in 2 objects were lost, directly or indirectly, for\
 example by main>a; $see mprof.data mprof.data.[0-9]*" \
    --fail-on-leak sh -c "$order"
done
"$MPROF" run -q --fail-on-leak sh -c './losing; exit 3' 2>err
same 'a status of its own' '3 ' "$? $(cat err)"
status=$("$MPROF" run -q --fail-on-leak sh -c './losing; kill -KILL $$' \
  >err 2>&1; echo $?) 2>/dev/null
same 'a signal' 137 "$status"

# ---- suppressions of all leaks ----

# suppress TITLE PROGRAM ARGUMENT...: after them it has none.
suppress() {
  local title=$1
  shift
  "$MPROF" run -q --fail-on-leak "$@" 2>err
  same "$title: leaks" 4 $?
  "$MPROF" export -o all.supp
  "$MPROF" run -q --fail-on-leak --suppressions=all.supp "$@" >out 2>err
  same "$title: has none then" '0 ' "$? $(cat err)"
}

suppress 'a program' ./losing
same 'the lines' "$(cat <<'END'
# 2600 bytes in 25 objects
leak:^make$
# 1234 bytes in 1 object
leak:^lose$
END
)" "$(cat all.supp)"
echo leak:lose_list >suppressions
same 'less those that are suppressed' 1 "$("$MPROF" export \
  --format=suppressions --suppressions=suppressions | grep -c '^leak:')"
strip -o bare losing
suppress 'without symbols' ./bare
"$MPROF" run -q ./losing
"$MPROF" export -o all.supp
same 'what was never freed' 4874 \
  "$(awk '/^# / { n += $2 } END { print n }' all.supp)"
same 'has none then' 0 "$("$MPROF" report --tables=leaks \
  --suppressions=all.supp | awk '$NF == "<TOTAL>" { print $1 }')"

# What it cannot look at.
ends 'Lisp objects' 2 "--fail-on-leak cannot check '$ECL': it has\
 Lisp objects" --fail-on-leak "$ECL" --norc --eval '(ext:quit 0)'
compile reachable_ends -O1
"$MPROF" run -q --fail-on-leak ./reachable_ends filter 2>err
same 'the search fails' "2 mprof: --fail-on-leak cannot check\
 './reachable_ends': what it lost is not known; a line above may say why" \
  "$? $(tail -n 1 err)"
ends 'no program of that name' 2 "no profile was written: no program named\
 'x' allocated anything, or a line above says why" \
  --fail-on-leak --only=x ./losing
compile losing -static
ends 'a statically linked program' 2 "no profile of './losing' was written:\
 it is statically linked, so mprof cannot be preloaded; link it without\
 -static" --fail-on-leak ./losing
ends 'no bytes' 2 "--fail-on-leak takes N bytes, or N with a unit such as KiB\
 or MiB, not '5%'" --fail-on-leak=5% ./losing
ends 'no suppressions' 1 "cannot open 'missing': No such file or directory" \
  --fail-on-leak --suppressions=missing ./losing
ends 'suppressions of nothing' 2 '--suppressions requires --fail-on-leak' \
  --suppressions=none ./losing
ends 'a running process' 2 "--pid cannot be combined with --reachable or\
 --fail-on-leak: earlier allocations are unknown" --fail-on-leak --pid=1
finish
