#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Functions that the compiler inlined, with their lines; and bytes where they
# belong.

. "$(dirname "$0")/check.bash"

# chains FILE [OPTION...]: from main on, with allocated bytes.
chains() {
  "$MPROF" export --format=folded --value=bytes --system=show "${@:2}" "$1" 2>&1 |
    sed -n "s|$tests/programs/||g; s/^.*main\([; ]\)/main\1/p" |
    LC_ALL=C sort
}

# functions FILE: the name, own bytes and those with all below, calls.
functions() {
  "$MPROF" export --format=csv --tables=functions "$1" 2>&1 |
    cut -d, -f 1,2,4,16 | sed 's/"//g'
}

# paths FILE N: those of the leak table with the last N callers.
paths() {
  "$MPROF" report --tables=leaks --no-legend --verbose --width=0 \
    --callers="$2" "$1" 2>&1 |
    sed -n 's/^.* \(\(main\|\.\.\.\) *>.*\)/\1/p' | LC_ALL=C sort
}

# As it stands in the source.
inlined_chains='main inlined.c:57;take inlined.c:17 1
main inlined.c:58;take_often inlined.c:31 1200
main inlined.c:58;take_often inlined.c:33;take_twice inlined.c:23;take inlined.c:17 2000
main inlined.c:58;take_often inlined.c:33;take_twice inlined.c:24;take inlined.c:17 2002
main inlined.c:59;apart inlined.c:50;take inlined.c:17 10
main inlined.c:59;apart inlined.c:51;take_twice inlined.c:23;take inlined.c:17 20
main inlined.c:59;apart inlined.c:51;take_twice inlined.c:24;take inlined.c:17 21
main inlined.c:60;either inlined.c:42 7
main inlined.c:61;either inlined.c:42 7'

allocate='std::vector<int, std::allocator<int> >::reserve(unsigned long)'
allocate+=';std::_Vector_base<int, std::allocator<int> >::_M_allocate'
allocate+='(unsigned long);std::allocator_traits<std::allocator<int> >::'
allocate+='allocate(std::allocator<int>&, unsigned long);'
allocate+='std::__new_allocator<int>::allocate(unsigned long, void const*)'
basket='shop::open();shop::Basket<double>::Basket(int);'
basket+='shop::Basket<double>::fill(int)'
templates_chains="main;either() 14
main;numbers();$allocate 44
main;shop::open();operator() [templates.cc:39];shop::take<short>(int) 100
main;$basket;shop::take<char>(int) 25
main;$basket;shop::take<double>(int) 200
main;${basket//double/int};shop::take<char>(int) 25
main;${basket//double/int};shop::take<int>(int) 100"

for flags in '-O2' '-O1 -fno-omit-frame-pointer' '-O3 -gdwarf-4'; do
  for program in inlined templates; do
    # shellcheck disable=SC2086
    compile $program $flags -no-pie
    succeeds $program
  done
  same "inlined $flags: chains, by line" "$inlined_chains" \
    "$(chains inlined.data --by=line)"
  same "templates $flags: chains" "$templates_chains" \
    "$(chains templates.data)"
done
same 'own bytes, bytes with all below, calls' \
  'function,self_bytes,inclusive_bytes,calls
main,0,5268,14
take_often,1200,5202,8
take,4054,4054,8
take_twice,0,4043,6
apart,0,51,3
either,14,14,2' "$(functions inlined.data)"

# What was inlined into the last callers does not count as one of them.
leaks="shop::open();operator() [templates.cc:39];shop::take<short>(int)
$basket;shop::take<char>(int)
$basket;shop::take<double>(int)
${basket//double/int};shop::take<char>(int)
${basket//double/int};shop::take<int>(int)"
leaks=${leaks//;/ > }
same 'leaks, by one caller' "... > either()
$(sed 's/^/... > /' <<<"$leaks")
main > either()" "$(paths templates.data 1)"
same 'leaks, by two' "main > either()
$(sed 's/^/main > /' <<<"$leaks")" "$(paths templates.data 2)"
finish
