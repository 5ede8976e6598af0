#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# run.sh [RULE...]: for each rule of advice, programs that have the fault, the
# same ones mended, and programs that look alike: see advice.lisp.

set -u
cd "$(dirname "$0")/../.." || exit 1
: "${BUILD:=$PWD/build}" "${ECL:=$BUILD/bin/ecl}" "${MPROF:=$BUILD/bin/mprof}"
work=$BUILD/advice
mkdir -p "$work"

rules=("$@")
if [ $# = 0 ]; then
  mapfile -t rules < <("$MPROF" help advise |
    sed -n '/^Rules/,$s/^  \([a-z-]*\) (.*/\1/p')
fi
status=0
for rule in "${rules[@]}"; do
  if [ ! -e "tests/advice/programs/$rule.lisp" ]; then
    echo "not ok - $rule has programs"
    status=1
    continue
  fi
  ADVICE_RULE=$rule ADVICE_WORK=$work timeout 300 "$ECL" --norc \
    --eval '(require :mprof)' --eval '(require :cmp)' \
    --load tests/advice/advice.lisp --eval '(advice-tests::main)' \
    </dev/null 2>&1 | sed -E '/^;;; Loading/d; /^((not )?ok - |#)/!s/^/# /'
  [ "${PIPESTATUS[0]}" = 0 ] || status=1
done
exit $status
