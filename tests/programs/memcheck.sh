#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Programs that others wrote: what they print and how they end is the same
# under the monitor as without; and what valgrind counted in them is what is in
# the profile: allocations, frees, bytes, what is kept at the end (memcheck) and
# what there was at the peak (dhat).
#
# Programs allocate for each variable of their environment and its value, so
# that is the same for both: valgrind and mprof run set variables, and the names
# of what is preloaded are made as long as valgrind's.  Addresses are not random, since some sort by them.
#
# Not compared, since valgrind itself makes them allocate something else:
#   dot      GLib does without its slices under valgrind
#   nm, php  they load libraries at run time, for which the C library has a
#            table of 8 bytes for each that is there, and others are there
#   cc1      it has a table for each 4 GB of addresses that it uses
# gzip allocates nothing, and dpkg leaves its work to other programs.

. "$(dirname "$0")/../malloc/check.bash"

common=(PATH=/usr/bin:/bin HOME="$work" PWD="$work" LC_ALL=C.UTF-8
  PERL_HASH_SEED=0 PYTHONHASHSEED=0 MPROF_OUT="$work/x.data"
  MPROF_REACHABLE=0000000000)

# padded LENGTH: the path of a library that is loaded anyway; with that of the
# monitor, and what is between, it is so long.
padded() {
  local folder=/lib/$(uname -m)-linux-gnu file=libc.so.6 path slashes
  path=$(realpath "$MPROF_LIB/libmprof-malloc.so")
  printf -v slashes '%*s' $(($1 - ${#path} - 1 - ${#folder} - ${#file})) ''
  echo "$folder${slashes// /\/}$file"
}

# in_valgrind TOOL OPTION... -- PROGRAM...
in_valgrind() {
  local tool=$1 options=()
  shift
  while [ "$1" != -- ]; do options+=("$1") && shift; done
  shift
  setarch -R env -i "${common[@]}" MPROF_ROOT_PID=+000000000 valgrind "--tool=$tool" \
    "${options[@]}" --log-file="$work/$tool.log" "$@"
}

# monitored TOOL PROGRAM...: with an environment as long as TOOL's.
monitored() {
  local preloaded
  preloaded=$(env -i PATH=/usr/bin:/bin valgrind "--tool=$1" \
    --log-file=/dev/null env | sed -n 's/^LD_PRELOAD=//p')
  shift
  rm -f "$work"/x.data*
  setarch -R env -i "${common[@]}" LD_LIBRARY_PATH=/usr/lib/debug \
    GLIBCPP_FORCE_NEW=1 GLIBCXX_FORCE_NEW=1 \
    LD_PRELOAD="$(padded ${#preloaded})" "$MPROF" run -q --reachable \
    -o "$work/x.data" "$@"
}

# The last report in the log: that of the process that began.
totals() {
  sed 's/,//g' "$work/memcheck.log" | awk '
    /in use at exit: / { bytes = $6; blocks = $9 }
    /total heap usage: / { print $5, $9, $5 - $7 == blocks ? blocks : "?",
      bytes }' | tail -n 1
}

# Bytes and objects that are lost directly and indirectly, of valgrind and of
# the profile.  Not so of three: what only memory from mmap leads to is not lost
# to valgrind (python3).  And valgrind lets memory rest that was freed: else an
# address from before may lead to what is there now (as), or what is there now
# may hold one in a part that was never written to (library).
losses() {
  sed 's/,//g' "$work/memcheck.log" | awk '
    /LEAK SUMMARY/ { split("", bytes); split("", blocks) }
    /(definitely|indirectly) lost: / {
      bytes[$2] = $4; blocks[$2] = $7 }
    END { print bytes["definitely"] + 0, blocks["definitely"] + 0,
      bytes["indirectly"] + 0, blocks["indirectly"] + 0 }'
}

own_losses() {
  "$MPROF" report --tables=direct x.data | awk '$1 == "Lost:" {
    print $2, $5, $8, $11 }'
}

most() {
  sed 's/,//g' "$work/dhat.log" | awk '
    /At t-gmax: / { print $7, $4 }' | tail -n 1
}

# The same of the profile: an object without a byte is one of 1 byte to dhat.
peak() {
  { rows x.data all && rows x.data size; } | awk '
    $1 == "all" { objects = $7; bytes = $8 }
    $1 == "size" && $2 == 0 { bytes += $7 }
    END { print objects, bytes }'
}

# program NAME THREADS PROGRAM...: THREADS that it starts; for each the C
# library has a table of all libraries with thread-local variables, 16 bytes for
# each, and the monitor is one.
program() {
  local name=$1 threads=$2 wanted
  shift 2
  env -i "${common[@]}" "$@" >plain.out 2>plain.err </dev/null
  wanted=$?
  monitored memcheck "$@" >mine.out 2>mine.err </dev/null
  status=$?
  cmp -s plain.out mine.out && cmp -s plain.err mine.err &&
    [ $wanted = $status ]
  result $? "$name: the same output, errors and exit status"
  in_valgrind memcheck --undef-value-errors=no --leak-check=full --run-libc-freeres=no \
    --run-cxx-freeres=no -- "$@" >valgrind.out 2>valgrind.err </dev/null
  same "$name: allocations, bytes, kept, bytes: as memcheck has it" \
    "$(totals | awk -v more=$((16 * threads)) \
      '{ print $1, $2 + more, $3, $4 + more }')" \
    "$(rows x.data all | cut -d' ' -f 3-6)"
  case $name in python3 | as | *library) ;; *)
    same "$name: what is lost: as memcheck has it" "$(losses)" \
      "$(own_losses)" ;;
  esac
  same "$name: all walks are complete" 'comment cut_allocations 0' \
    "$(rows x.data comment | grep cut_)"
  [ "$threads" = 0 ] || return 0
  monitored dhat "$@" >mine.out 2>mine.err </dev/null
  in_valgrind dhat --dhat-out-file=/dev/null -- "$@" >valgrind.out \
    2>valgrind.err </dev/null
  same "$name: objects and bytes at the peak: as dhat has it" \
    "$(most)" "$(peak)"
}

cat >records.py <<'E'
import json, re
d = [{"k%d" % i: [i, str(i) * 3, {"x": i / 3}]} for i in range(3000)]
s = json.dumps(d)
print(len(s), len(json.loads(s)), len(re.findall(r"\d+", s)))
try:
    bytearray(1 << 62)
except MemoryError:
    print("too much")
E
cat >table.sql <<'E'
create table t(a integer primary key, b text, c real);
with recursive n(i) as (select 1 union all select i + 1 from n where i < 9000)
  insert into t select i, 'row ' || i || hex(i * i), i / 7.0 from n;
create index ib on t(b);
select count(*), sum(length(b)) from t where b like '%7%';
select b, c from t order by c desc, b limit 3;
E
cat >pipes.bash <<'E'
f() { local x=$(($1 * 2)); echo "$x"; }
for i in 1 2 3; do echo "$i" | sed s/1/2/ | sort; done
for i in {1..50}; do f "$i"; done | tail -n 1
E
cat >map.cc <<'E'
#include <iostream>
#include <map>
int main()
{
  std::map<int, int> m;
  for (int i = 0; i < 10; i++) m[i] = i * i;
  std::cout << m.size() << '\n';
}
E
git init -q repository >/dev/null 2>&1
(cd repository && for i in 1 2 3 4 5 6 7 8 9; do
  seq "$i"00 >"file$i" && git add . && git -c user.name=n -c user.email=e \
    commit -qm "number $i"
done) >/dev/null 2>&1
seq 100000 >numbers
tr ' ' '\n' <"$top/README.md" >words
sort words >sorted
sed 's/a/b/; 50,60d; 70a new' words >changed
tar -cf files.tar -C repository .
cat >sum.c <<'E'
int sum(const int *n, int count)
{
  int all = 0;
  for (int i = 0; i < count; i++) all += n[i];
  return all;
}
E
$CC -g -O2 -c sum.c
$CC -g -O2 -S sum.c
cat >count.sh <<'E'
i=0
while [ $i -lt 500 ]; do x="$x $i"; i=$((i + 1)); done
for y in $x; do z="${y#1}${z%?}"; done
echo "$z"
E
cat >pi.bc <<'E'
scale = 200
4 * a(1)
define f(n) { if (n < 2) return (n); return (f(n - 1) + f(n - 2)); }
f(12)
E
cat >rules <<'E'
names := $(foreach n,1 2 3 4 5 6 7 8 9,$(addprefix file$n.,a b c d))
all: $(names); @echo $(words $^) $(sort $(patsubst %.a,%,$(filter %.a,$^)))
$(names): ; $(info $(subst file,made ,$@))
E

for name in streams library; do
  compile $name -O1 2>/dev/null
  program "the C library: $name" 0 "./$name" all
done
program perl 0 perl "$top/tests/programs/words.pl" 20000
program python3 0 /usr/bin/python3 -I records.py
program sqlite3 0 sqlite3 :memory: '.read table.sql'
program git 0 git -C repository --no-pager log --stat --format=%s
program bash 0 /usr/bin/bash pipes.bash
program gawk 0 gawk 'BEGIN { for (i = 0; i < 20000; i++) a[i % 100] = a[i % 100] "x" i
  print asorti(a) }'
program jq 0 jq -n '[range(1000) | {a: ., b: "x\(.)"}] | map(select(.a % 3 == 0)) | length'
program groff 0 /usr/bin/troff -Tascii -man "$top/reduce/mprof-report.1"
program cmake 0 cmake --help-command-list
program make 0 /usr/bin/make -rf rules
program xz 0 xz -9 -c numbers
program 'xz -T2' 1 xz -T2 -c numbers
program bzip2 0 bzip2 -9c numbers
program zstd 3 zstd -q -T1 -c numbers
program sort 0 sort --parallel=1 -rn numbers
program join 0 join sorted sorted
program tsort 0 tsort sorted
program ptx 0 ptx words
program date 0 date -u -d '2020-02-29 12:00 +1 year'
program ls 0 ls -laR --color=always repository
program find 0 find repository -name '*e*' -size -9 -newer map.cc
program tar 0 tar -tvf files.tar
program grep 0 grep -En '([a-z]+)[^a-z]+\1' words
program 'grep -F' 0 grep -cFf sorted words
program sed 0 sed -e 's/\([a-z]*\)\([A-Z]\)/\2\1/g' -e '$!N;P;D' words
program mawk 0 mawk '{ n[$1]++ } END { for (w in n) s += n[w]; print s }' words
program diff 0 diff -u words changed
program dash 0 dash count.sh
program bc 0 bc -lq pi.bc
program file 0 file sum.o words files.tar
program iconv 0 iconv -f UTF-8 -t UTF-16 words
program as 0 as sum.s -o as.o
program ld 0 ld -r sum.o as.o -o both.o
program objdump 0 objdump -dlrS sum.o
program objcopy 0 objcopy --strip-debug sum.o stripped.o
program readelf 0 readelf -aW sum.o
program 'c++filt' 0 c++filt _ZN3one3twoIiSt6vectorIdSaIdEEEEvT_T0_

# Of the compiler only what it writes is compared.
plain=$(g++ -O2 -c map.cc -o map.o && sha256sum <map.o)
rm -f x.data* map.o
mine=$(env MPROF_OUT="$work/x.data" LD_PRELOAD="$monitor" g++ -O2 -c map.cc \
  -o map.o && sha256sum <map.o)
same 'g++ and its programs: the same object file' "$plain" "$mine"
same 'g++ and its programs: three profiles' 3 \
  "$(find . -name 'x.data*' | wc -l)"
finish
