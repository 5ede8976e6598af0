#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Random programs, whose profiles must equal what each says of itself.
# COUNT of them from SEED on are for the interpreter, and a fifteenth of that
# has compiled functions; with ECL 24.5.10 a tenth, and there are no others
# (see generator.lisp).  KIND=bytecode or KIND=compiled runs COUNT of that kind
# only; COLLECT=1 has them call the collector; FUNCTIONS and FUEL make them
# smaller.  As many processes as there are processors share the work.

set -u
cd "$(dirname "$0")/../.." || exit 1
: "${BUILD:=$PWD/build}" "${ECL:=$BUILD/bin/ecl}"
: "${SEED:=1}" "${COUNT:=100}" "${KIND:=}"
work=$BUILD/random
mkdir -p "$work"

files=(oracle generator statements programs library measure checks run)
# The generator need not be fast.  What it generates is compiled as usual.
forms=(--eval '(require :cmp)' --eval '(setf c::*cc-optimize* "-O0")')
for file in "${files[@]}"; do
  forms+=(--eval "(load (compile-file \"tests/random/$file.lisp\"
                                     :output-file \"$work/$file.fas\"))")
done
if ! "$ECL" --norc --eval '(require :mprof)' "${forms[@]}" \
  --eval '(ext:quit 0)' >"$work/build.log" 2>&1 </dev/null ||
  [ ! -e "$work/run.fas" ]; then
  cat "$work/build.log"
  echo "not ok - the generator compiles"
  exit 1
fi

# check KIND SEED COUNT NUMBER: one process; its output goes to a file.
check() {
  local loads=() file
  for file in "${files[@]}"; do
    loads+=(--eval "(load \"$work/$file.fas\" :verbose nil)")
  done
  KIND=$1 SEED=$2 COUNT=$3 "$ECL" --norc --eval '(require :mprof)' \
    --eval '(require :cmp)' "${loads[@]}" \
    --eval '(random-tests::main)' >"$work/$1-$4.log" 2>&1 </dev/null
}

jobs=$(getconf _NPROCESSORS_ONLN)
pids=()
rm -f "$work"/bytecode-*.log "$work"/compiled-*.log

# share KIND COUNT: COUNT programs from SEED on, in as many processes as jobs.
share() {
  local each=$((($2 + jobs - 1) / jobs)) first=0 number=1
  while [ $first -lt "$2" ]; do
    check "$1" $((SEED + first)) \
      $(($2 - first < each ? $2 - first : each)) $number &
    pids+=($!)
    first=$((first + each)) number=$((number + 1))
  done
}

case $KIND${RELEASE:-21.2.1} in
21.2.1)
  share bytecode "$COUNT"
  share compiled $(((COUNT + 14) / 15))
  ;;
24.5.10) share compiled $(((COUNT + 9) / 10)) ;;
bytecode* | compiled*) share "$KIND" "$COUNT" ;;
*)
  echo "KIND is bytecode or compiled, not $KIND" >&2
  exit 2
  ;;
esac

failed=0
for pid in "${pids[@]}"; do
  wait "$pid" || failed=1
done
echo "# seeds $SEED to $((SEED + COUNT - 1))"
for log in "$work"/bytecode-*.log "$work"/compiled-*.log; do
  [ ! -e "$log" ] || sed -E '/^;;; Loading/d; /^((not )?ok - |#)/!s/^/# /' \
    "$log"
done
exit $failed
