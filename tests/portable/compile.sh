#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# C files compile without a warning by Clang and for AArch64, those of the
# monitor there by GCC; and those of the command that reads profiles with musl,
# another C library.  The headers of other libraries are this machine's.

cd "$(dirname "$0")/../.." || exit 1
headers="-isystem $BUILD/ecl/include -idirafter /usr/include \
  -idirafter /usr/include/x86_64-linux-gnu"
for_arm='--target=aarch64-linux-gnu -isystem /usr/aarch64-linux-gnu/include'

# compile NAME 'COMPILER FLAG...' FILE...: one test for each.  Clang takes as
# long to start as for two files: it has all of them at once.
compile() {
  local files=${*:3}
  [[ $2 != clang* ]] || files=${files// / -Xclang }
  if eval "${2%% *} $HEADER_FLAGS $headers ${2#* } -Werror $files"; then
    printf "ok - $1: %s\n" "${@:3}"
  else
    echo "not ok - $1"
  fi
}

monitor=(monitor/*/*.c monitor/*/*/*.c)
reduce=(reduce/*.c reduce/*/*.c)
compile Clang 'clang -fsyntax-only' "${monitor[@]}" reduce/leak_search/*.c &
# What GCC says of a character that is never negative there.
compile 'Clang for AArch64' "clang $for_arm -fsyntax-only -Wtype-limits" \
  "${reduce[@]}" &
# Code is only made of what may have asm statements.
# shellcheck disable=SC2046
compile AArch64 'aarch64-linux-gnu-gcc -fsyntax-only' \
  $(grep -LE 'arch_|ARCH_|asm|OWN\(' "${monitor[@]}") reduce/leak_search/*.c &
grep -lE 'arch_|ARCH_|asm|OWN\(' "${monitor[@]}" | while read -r file; do
  compile AArch64 \
    'aarch64-linux-gnu-gcc -O1 -g0 -fno-omit-frame-pointer -c -o /dev/null' "$file"
done
# The reader has the monitor's image, which another library may not.
# shellcheck disable=SC2046
compile musl 'musl-gcc -fsyntax-only' $(printf '%s\n' "${reduce[@]}" |
  grep -v ^reduce/serve/) monitor/image/*.c \
  monitor/tables/{intern_table,record_index}.c
wait
