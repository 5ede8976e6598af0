#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Functions that the compiler inlined: at each place those that addr2line of
# binutils names, with their lines; and bytes where they belong.

. "$(dirname "$0")/check.bash"

# places FILE: those of the profile, by address.  Without what is local to a
# file of C++, for which addr2line has not the linker's name, or a wrong one.
places() {
  rows "$1" place | cut -d' ' -f 2- |
    sed 's/ _ZL[0-9]*\([a-z]*\)v:/ \1:/g; s/operator() \[[^ ]*\]/operator()/
      / either:/d' | LC_ALL=C sort
}

# That of binutils loses inlined functions of Clang's code.
addr2line=addr2line
case $CC in *clang*) addr2line=$(command -v llvm-addr2line || echo addr2line) ;; esac

# oracle PROGRAM: for the places on standard input what addr2line says.
oracle() {
  local address functions
  while read -r address _; do
    functions=$($addr2line -f -i -e "$1" "$address" |
      sed 's/ (discriminator.*//; s/.*:\([0-9?]*\)$/\1/' | paste -sd' \n' |
      awk '{ sub(/^_ZL[0-9]*/, "", $1) && sub(/v$/, "", $1)
        printf " %s:%d", $1, $2 }')
    echo "$address$functions"
  done
}

# chains FILE: from main on, with allocated bytes.
chains() {
  "$MPROF" export --format=folded --value=bytes --system=show "$1" 2>&1 |
    sed -n '/main/s/^.*main\([; ]\)/main\1/p' | LC_ALL=C sort
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

inlined_chains='main;apart;take 10
main;apart;take_twice;take 41
main;either 14
main;take 1
main;take_often 1200
main;take_often;take_twice;take 4002'

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
    "$MPROF" run -q -o $program.data ./$program
    same "$program $flags: exit status" 0 $?
    places $program.data >got
    same "$program $flags: functions and lines" \
      "$(oracle $program <got)" "$(cat got)"
    chains=${program}_chains
    same "$program $flags: chains" "${!chains}" "$(chains $program.data)"
  done
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
