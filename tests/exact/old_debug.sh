#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Lines of source by the debug information of compilers before GCC 11.

cd "$(dirname "$0")/../.." || exit 1
for version in 2 4; do
  EXACT_WORK=$BUILD/exact-dwarf-$version EXACT_PROGRAMS=lines.lisp SHORT=1 \
    EXACT_FLAGS=-gdwarf-$version tests/exact/run.sh || failed=1
done
exit "${failed:-0}"
