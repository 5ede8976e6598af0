#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# malloc.sh: what it costs to profile a C program: without a profiler, with
# mprof, with heaptrack (recording alone, heaptrack -r).  The three take
# turns, program by program and round after round, in the other order each
# time.
#
# Prints for each program the processor seconds without, of all processes
# together, and the others as multiples of that.  `loop' does nothing but
# allocate, so it has a table of its own.
#
# Environment: BUILD, MPROF_LIB (make bench-malloc sets them); ROUNDS (5),
# PROGRAMS (names; all).

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
: "${BUILD:?run me with: make bench-malloc}" "${MPROF_LIB:=$BUILD/lib}"
rounds=${ROUNDS:-5}
work=$BUILD/bench/malloc
monitor=$MPROF_LIB/libmprof-malloc.so
results=$work/results.tsv
mkdir -p "$work"
cd "$work"
: >"$results"
"${CC:-gcc}" -D_GNU_SOURCE -O2 -o measure "$here/measure.c"
echo '#include <stdlib.h>
void *volatile made;
int main(void) { for (int i = 0; i < 5000000; i++) free(made = malloc(48)); }' \
  >loop.c
"${CC:-gcc}" -O2 -o loop loop.c

# ---- programs and what they work on ----

cat >records.py <<'E'
import json, re
d = [{"k%d" % i: [i, str(i) * 3, {"x": i / 3}]} for i in range(60000)]
s = json.dumps(d)
print(len(s), len(json.loads(s)), len(re.findall(r"\d+", s)))
print(sum(len(x) for x in sorted(str(i) * 150 for i in range(100000))))
E
cat >table.sql <<'E'
create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 150000)
  insert into t select i, 'row ' || i || hex(i * i), i / 7.0 from n;
create index ib on t(b);
select count(*), sum(length(b)) from t where b like '%7%';
select b, c from t order by c desc, b limit 3;
select count(distinct substr(b, 1, 6)) from t;
E
cat >pipes.bash <<'E'
f() { local x=$(($1 * 2)); echo "$x"; }
for i in {1..20000}; do a[i]=$i; s=$s$i; [ ${#s} -lt 100 ] || s=; done
for i in {1..200}; do f "$i"; done | tail -n 1
for i in {1..40}; do echo "$i" | sed s/1/2/; done | wc -l
E
cat >map.cc <<'E'
#include <iostream>
#include <map>
#include <regex>
#include <string>
int main()
{
  std::map<std::string, int> m;
  for (int i = 0; i < 10; i++) m[std::to_string(i)] = i;
  std::cout << m.size() << std::regex_match("aab", std::regex("a+b")) << '\n';
}
E
[ -e numbers ] || seq 2000000 >numbers
[ -e map.ii ] || g++ -O2 -E map.cc -o map.ii
if [ ! -e manual.1 ]; then
  for _ in {1..10}; do
    cat "$here"/../../reduce/*.[157]
  done >manual.1
fi
cc1plus=$(g++ -print-prog-name=cc1plus)

names='perl python3 cc1plus sqlite3 xz git groff bash jq gawk sort cmake loop'

# choose NAME: the program and its arguments become $command.
choose() {
  case $1 in
  perl) command=(perl "$here/../programs/words.pl" 150000) ;;
  python3) command=(/usr/bin/python3 -I records.py) ;;
  cc1plus) command=("$cc1plus" -quiet -O1 map.ii -o map.s) ;;
  sqlite3) command=(sqlite3 :memory: '.read table.sql') ;;
  xz) command=(xz -1 -T2 -c numbers) ;;
  git) command=(git -C "$here/../.." --no-pager log --stat -60) ;;
  groff) command=(troff -Tascii -man manual.1) ;;
  bash) command=(bash pipes.bash) ;;
  jq) command=(jq -n '[range(100000) | {a: ., b: "x\(.)"}]
    | map(select(.a % 3 == 0)) | length') ;;
  gawk) command=(gawk 'BEGIN { for (i = 0; i < 900000; i++)
    a[i % 1000] = a[i % 1000] "x" i % 7; print asorti(a) }') ;;
  sort) command=(sort -rn numbers) ;;
  cmake) command=(cmake --help-full) ;;
  loop) command=(./loop) ;;
  *) echo "malloc.sh: no program $1" >&2 && exit 2 ;;
  esac
}

# ---- runs ----

# configured CONFIGURATION PROGRAM...
configured() {
  local configuration=$1
  shift
  rm -f profile.data* heaptrack.*
  case $configuration in
  plain) "$@" ;;
  mprof) env MPROF_OUT="$work/profile.data" LD_PRELOAD="$monitor" "$@" ;;
  heaptrack) heaptrack -r -o "$work/heaptrack" "$@" ;;
  esac
}
export -f configured
export work monitor

run() {
  local name=$1 configuration=$2
  shift 2
  rm -f used
  ./measure used bash -c 'configured "$@"' - "$configuration" "$@" \
    >out.$configuration 2>err.$configuration </dev/null || :
  read -r cpu _ <used
  echo "$name $configuration $cpu 0" >>"$results"
}

order='plain mprof heaptrack'
for ((round = 1; round <= rounds; round++)); do
  for name in ${PROGRAMS:-$names}; do
    choose "$name"
    for configuration in $order; do
      run "$name" "$configuration" "${command[@]}"
    done
  done
  order=$(echo "$order" | tr ' ' '\n' | tac | tr '\n' ' ')
done

# ---- report ----

grep -v '^loop' "$results" | awk -f "$here/table.awk"
grep '^loop' "$results" | awk -f "$here/table.awk"
