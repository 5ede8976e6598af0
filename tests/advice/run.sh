#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# run.sh [RULE...]: for some rules of advice, programs that have the fault, the
# same ones mended, and programs that look alike: see advice.lisp.  As many
# rules at once as there are processors.

set -u
cd "$(dirname "$0")/../.." || exit 1
: "${BUILD:=$PWD/build}" "${ECL:=$BUILD/bin/ecl}"
work=$BUILD/advice
mkdir -p "$work"
export ECL work

run_rule() {
  {
    ADVICE_RULE=$1 ADVICE_WORK=$work timeout 300 "$ECL" --norc \
      --eval '(require :mprof)' --eval '(require :cmp)' \
      --load tests/advice/advice.lisp --eval '(advice-tests::main)' \
      </dev/null 2>&1 | sed -E '/^;;; Loading/d; /^((not )?ok - |#)/!s/^/# /'
    [ "${PIPESTATUS[0]}" = 0 ]
  } >"$work/$1.out" || echo "not ok - $1 runs" >>"$work/$1.out"
}
export -f run_rule

rules=("$@")
if [ $# = 0 ]; then
  rules=(tests/advice/programs/*.lisp)
  rules=("${rules[@]##*/}")
  rules=("${rules[@]%.lisp}")
fi
printf '%s\n' "${rules[@]}" |
  xargs -n 1 -P "$(nproc)" bash -c 'run_rule "$1"' run_rule
status=0
for rule in "${rules[@]}"; do
  cat "$work/$rule.out"
  ! grep -q '^not ok' "$work/$rule.out" || status=1
done
exit $status
