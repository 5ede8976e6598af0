#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# A start for which there is no memory, at any place.
. "$(dirname "$0")/check.bash"
${CC:-gcc} -O1 -fPIC -shared -o failing.so "$top/tests/lisp/failing-memory.c"
preloaded=$PWD/failing.so run_program failing-memory.lisp
finish
