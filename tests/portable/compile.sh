#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# All C files compile without a warning by Clang, and by GCC for AArch64; and
# those of the command that reads profiles with musl, another C library.  The
# headers of other libraries are this machine's.

cd "$(dirname "$0")/../.." || exit 1
export headers="-isystem $BUILD/ecl/include -idirafter /usr/include \
  -idirafter /usr/include/x86_64-linux-gnu"

# compile NAME COMPILER FILE: one test, for AArch64 also of asm statements.
compile() {
  local flags=-fsyntax-only
  [[ $1:$3 != AArch64:monitor/* ]] ||
    flags='-O1 -fno-omit-frame-pointer -c -o /dev/null'
  # shellcheck disable=SC2086
  if eval "$2 $HEADER_FLAGS $headers $flags -Werror $3"; then
    echo "ok - $1: $3"
  else
    echo "not ok - $1: $3"
  fi
}
export -f compile

# files COMPILER NAME: each of them on standard input.
files() { xargs -P "$(nproc)" -I{} bash -c "compile '$2' '$1' {}"; }

for compiler in 'clang Clang' 'aarch64-linux-gnu-gcc AArch64'; do
  # shellcheck disable=SC2086
  ls monitor/*/*.c monitor/*/*/*.c reduce/*.c reduce/*/*.c | files $compiler
done
# The reader has the monitor's image, which another library may not.
{
  ls reduce/*.c reduce/*/*.c | grep -v ^reduce/serve/
  ls monitor/image/*.c monitor/tables/{intern_table,record_index}.c
} | files musl-gcc musl
