#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# C++: all forms of new and delete, exceptions through frames that free.  What
# the C++ library allocates for itself when a program begins is known from a
# case that does nothing, and lives to the end.

. "$(dirname "$0")/check.bash"

cases='
all_new     8 255      8 255  8 255   0
all_delete  12 1200    0 0    12 1200 1
exceptions  241 13207  1 7    12 660  20
new_handler 5 174      4 38   4 169   1
nothrow     1 136      0 0    1 136   1
containers  8 609      0 0    2 384   1
'
# The library itself asks malloc for multiples of the alignment; where it is a
# part of the program, that is what is counted.
static_cases=$(sed 's/^all_new .*/all_new 8 335 8 335 8 335 0/
  s/^all_delete .*/all_delete 12 1368 0 0 12 1368 1/' <<<"$cases")

check() { same "$1" "${*:2}" "$(beyond nothing.data cxx.data)"; }

for flags in '-O0' '-O2 -fomit-frame-pointer' '-O2 -static-libstdc++' \
  '-O2 -static-libstdc++ -static-libgcc'; do
  # shellcheck disable=SC2086
  compile cxx -std=c++17 $flags
  succeeds cxx nothing
  case $flags in *static*) cases=$static_cases ;; esac
  mv cxx.data nothing.data
  each_case "$flags" cxx check
done

# Tables have short names, apart from each other; exports have all of them.
compile cxx -O0 -std=c++17
succeeds cxx long_names
same 'paths of C++' \
  '55 case_long_names() > app::operator<<(app::bag&, std::string const&)
77 case_long_names() > app::keep<...>(std::string const&)' \
  "$("$MPROF" report --tables=leaks --no-legend cxx.data |
    awk '/case_.* >/ { bytes = $1; sub(/.* case_/, "case_"); print bytes, $0 }' |
    sort)"
same 'a table of functions' 1 "$("$MPROF" report --verbose --tables=direct --no-legend \
  cxx.data | grep -c ' app::keep<\.\.\.>(std::string const&)$')"
same 'the call graph' 1 "$("$MPROF" report --verbose --tables=graph --no-legend \
  cxx.data | grep -cE '^\[.* app::keep<\.\.\.>\(std::string const&\) \[')"
same 'a comparison' 1 "$("$MPROF" diff --verbose --tables=functions --width=0 \
  cxx.data cxx.data |
  grep -c ' app::keep<\.\.\.>(std::string const&)$')"
same 'an export' 1 "$("$MPROF" export --format=folded cxx.data |
  grep -cF 'keep<std::__cxx11::basic_string<char, std::char_traits<char>,')"
# What the library allocates is its caller's, unless asked for.
succeeds cxx runtime
same 'callers of the library' \
  'case_runtime() 8
case_runtime();app::fill(std::vector<int, std::allocator<int> >&) 100
case_runtime();app::made<double>(unsigned long) 80
case_runtime();case_runtime()::{lambda()#1}::operator()() const 33' \
  "$("$MPROF" export --format=folded --show-from=case_runtime --focus=case_runtime \
    cxx.data)"
"$MPROF" export --format=folded --system=show cxx.data >all
same 'the library itself' 213 "$(awk -F';' \
  '$NF ~ /^(std|__gnu_cxx)::/ { sub(/.* /, "", $NF); n += $NF }
   END { print n }' all)"
same 'the same bytes' "$(awk '{ n += $NF } END { print n }' all)" \
  "$("$MPROF" export --format=folded cxx.data |
    awk '{ n += $NF } END { print n }')"
# The C++ library's other operators call those that a program replaces.
${CXX:-g++} -O0 -std=c++17 -o own -x c++ - <<'END'
#include <cstdlib>
#include <new>
static int live;
void *operator new(size_t n) { live++; return (char *)malloc(n + 16) + 16; }
void operator delete(void *p) noexcept { live--; free((char *)p - 16); }
int main() { delete new int, delete[] new int[9];
  delete new (std::nothrow) int; return live; }
END
same 'operators of its own' '0 main 92' "$("$MPROF" run -q -o own.data ./own
  echo $?) $("$MPROF" export --format=folded own.data | grep main)"

finish
