#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# server.sh: see server.py.

set -u
cd "$(dirname "$0")" || exit 1
: "${BUILD:=$PWD/../../build}"
: "${ECL:=$BUILD/bin/ecl}" "${MPROF:=$BUILD/bin/mprof}"
work=$BUILD/serve
mkdir -p "$work"
# Compiled, so that it allocates what it says and nothing else.
"$ECL" --norc --eval '(require :mprof)' --eval \
  "(compile-file \"server.lisp\" :output-file \"$work/server.fas\")" \
  --eval '(ext:quit 0)' >"$work/server.log" 2>&1 </dev/null
if [ ! -e "$work/server.fas" ]; then
  cat "$work/server.log"
  echo 'not ok - the program compiles'
  exit 1
fi
exec python3 server.py "$ECL" "$MPROF" "$work/server.fas"
