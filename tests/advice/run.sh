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

# lisp RULE FORM: evaluate FORM, of advice.lisp, where nothing is optimized.
lisp() {
  ADVICE_RULE=$1 ADVICE_WORK=$work timeout 300 "$ECL" --norc \
    --eval '(require :mprof)' --eval '(require :cmp)' \
    --eval '(setf c::*cc-optimize* "-O0")' \
    --load tests/advice/advice.lisp --eval "$2" </dev/null 2>&1
}

run_rule() {
  {
    lisp "$1" '(advice-tests::main)' |
      sed -E '/^;;; Loading/d; /^((not )?ok - |#)/!s/^/# /'
    [ "${PIPESTATUS[0]}" = 0 ]
  } >"$work/$1.out" || echo "not ok - $1 runs" >>"$work/$1.out"
}
export -f lisp run_rule
rm -f "$work"/*.fas
lisp '' '(advice-tests::compiled "tests/advice/alike.lisp")' >"$work/alike.log"

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
