#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# malloc.sh: what it costs to profile a C program: without a profiler, with
# mprof, with heaptrack (recording alone, heaptrack -r).  The three take
# turns, program by program and round after round, in the other order each
# time.
#
# Prints for each program the processor seconds without, of all processes
# together, and the others as multiples of that; then the most kibibytes of
# each, and how large the profile is.  `stress-loop' and its like do nothing but
# allocate, so they have a table of their own.
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
"${CC:-gcc}" -O2 -o stress "$here/malloc/stress.c" -lpthread

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
  for i in 1 2 3 4 5 6 7 8 9 10; do
    cat "$here"/../../reduce/*.[157]
  done >manual.1
fi
cc1plus=$(g++ -print-prog-name=cc1plus)

names='perl python3 cc1plus sqlite3 xz git groff bash jq gawk sort cmake
  stress-mixed stress-loop stress-live stress-threads'

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
  stress-*) command=(./stress "${1#stress-}") ;;
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
  local name=$1 configuration=$2 bytes=0 cpu kilobytes
  shift 2
  rm -f used
  ./measure used bash -c 'configured "$@"' - "$configuration" "$@" \
    >out.$configuration 2>err.$configuration </dev/null || :
  [ ! -e profile.data ] || bytes=$(stat -c %s profile.data)
  read -r cpu _ kilobytes <used
  echo "$name $configuration $cpu 0 $kilobytes $bytes" >>"$results"
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

grep -v '^stress' "$results" | awk -f "$here/table.awk"
grep '^stress' "$results" | awk -f "$here/table.awk"
awk '
  !($1 in known) { known[$1]; names[++count] = $1 }
  $5 > memory[$1, $2] { memory[$1, $2] = $5 }
  $6 > 0 { file[$1] = $6 }
  END {
    printf "%-20s %9s %9s %9s %16s\n", "kibibytes", "plain", "mprof",
      "heaptrack", "bytes of profile"
    for (i = 1; i <= count; i++)
      printf "%-20s %9d %9d %9d %16d\n", names[i], memory[names[i], "plain"],
        memory[names[i], "mprof"], memory[names[i], "heaptrack"],
        file[names[i]]
  }' "$results"
