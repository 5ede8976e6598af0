#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# All C files, for AArch64: they compile without a warning.  Headers of
# libraries are this machine's, which differ in nothing that matters here.

cd "$(dirname "$0")/../.." || exit 1
headers="-isystem $BUILD/ecl/include -idirafter /usr/include \
  -idirafter /usr/include/x86_64-linux-gnu"

# compile FILE: one test.  It stops short of code, but for the asm statements.
compile() {
  local flags=''
  case $1 in monitor/*) flags=-fno-omit-frame-pointer ;; esac
  # shellcheck disable=SC2086
  if eval "aarch64-linux-gnu-gcc $HEADER_FLAGS $headers $flags" \
    '-Werror -O1 -c -o /dev/null "$1"'; then
    echo "ok - $1"
  else
    echo "not ok - $1"
  fi
}
export headers
export -f compile

printf '%s\n' monitor/*/*.c monitor/*/*/*.c reduce/*.c reduce/*/*.c |
  grep -v '\*' | xargs -P "$(nproc)" -I{} bash -c 'compile {}'
