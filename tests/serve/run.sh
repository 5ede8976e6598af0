#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# run.sh: see run.py.

set -u
cd "$(dirname "$0")" || exit 1
: "${BUILD:=$PWD/../../build}" "${MPROF:=$BUILD/bin/mprof}"
mkdir -p "$BUILD/serve"
"${CC:-gcc}" -g -O1 -o "$BUILD/serve/worker" worker.c || exit 1
exec python3 run.py "$MPROF" "$BUILD/serve/worker"
