#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# image.sh: what it costs to count in a file, on the disk that
# BUILD is on and in memory.  Environment: ROUNDS (15).

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
memory=$(mktemp -d /dev/shm/mprof-bench.XXXXXX)
trap 'rm -rf "$memory"' EXIT
mkdir -p "$BUILD/bench"
for folder in "$BUILD/bench" "$memory"; do
  echo "$folder:"
  "$ECL" --norc --load "$here/image.lisp" \
    --eval "(bench \"$folder/image.data\" ${ROUNDS:-15})" \
    --eval '(ext:quit 0)' </dev/null 2>/dev/null | sed -n "s/.*\(conses\|chains\)/\1/p"
done
