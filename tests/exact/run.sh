#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# run.sh [PROGRAM...]: run each program, or those that EXACT_PROGRAMS names, or
# all of programs/, in every variant that its first line names, by words and by
# whole walks, and compare the chains of both.  Where that line begins with
# `words', there are no whole walks.  With SHORT=1 it is one variant, by words.
# EXACT_FLAGS are more flags for the code, EXACT_WORK is a folder for its files.

set -u
cd "$(dirname "$0")/../.." || exit 1
: "${BUILD:=$PWD/build}" "${ECL:=$BUILD/bin/ecl}" "${EXACT_FLAGS:=}"
ecl_include=$(dirname "$ECL")/../ecl/include
work=${EXACT_WORK:-$BUILD/exact}
failed=0
mkdir -p "$work"

# The harness runs compiled, so that it is the same in both variants.
harness=$work/harness.fas
"$ECL" --norc --eval "(require :mprof)" --eval '(require :cmp)' \
  --eval '(setf c::*cc-optimize* "-O0")' --eval \
  "(compile-file \"tests/exact/harness.lisp\" :output-file \"$harness\")" \
  --eval '(ext:quit 0)' >"$work/harness.log" 2>&1 </dev/null
if [ ! -e "$harness" ]; then
  cat "$work/harness.log"
  echo "not ok - the harness compiles"
  exit 1
fi

# compile_library SOURCE NAME: C or C++ functions, as the shared object NAME.
# No frame pointers; what the makefile says in CFLAGS is not for it.
compile_library() {
  local compiler=${CC:-gcc}
  case $1 in *.cc) compiler=${CXX:-g++} ;; esac
  # shellcheck disable=SC2086
  $compiler -O3 -g -fomit-frame-pointer -fPIC -shared $EXACT_FLAGS \
    -isystem "$ecl_include" -o "$2" "$1" >"$2.log" 2>&1 && return
  echo "not ok - $1: its functions compile"
  sed 's/^/# /' "$2.log"
  return 1
}

# run PROGRAM VARIANT WALK: prints the checks, leaves the dump.
run() {
  local name=$(basename "$1" .lisp) status
  local dump=$work/$name-$2-$3
  rm -f "$dump"
  EXACT_VARIANT=$2 EXACT_WALK=$3 EXACT_DUMP=$dump EXACT_FAS=$work/$name-$2.fas \
    EXACT_LIBRARY=$work/$name.so "$ECL" --norc \
    --eval "(load \"$harness\")" --eval "(exact::run \"$1\")" \
    </dev/null 2>&1 | sed -E '/^;;; Loading/d; /^((not )?ok - |#)/!s/^/# /; s/^((not )?ok - )/\1'"$3"': /'
  status=${PIPESTATUS[0]}
  # 0: its debugger has read the end of the input.
  case $status in
  3) status=0 ;;
  1) ;;
  *) echo "not ok - $name, $2, $3: status $status" && status=2 ;;
  esac
  return "$status"
}

# compare PROGRAM VARIANT: both ways of counting; status 1 when a check
# failed.
compare() {
  local name=$(basename "$1" .lisp) failed=0 difference
  # Its name has the variant in it: both variants run side by side.
  rm -f "$work/$name-$2.fas"
  run "$1" "$2" words || failed=1
  [ "${SHORT:-}" != 1 ] && ! grep -q '^;;;; words' "$1" || return $failed
  run "$1" "$2" full || failed=1
  if difference=$(diff "$work/$name-$2-words" "$work/$name-$2-full" 2>&1)
  then
    echo "ok - $name, $2: whole walks find the same chains"
  else
    echo "not ok - $name, $2: whole walks find the same chains"
    printf '%s\n' "$difference" | head -n 20 | sed 's/^/# /'
    failed=1
  fi
  return $failed
}

# One program on each processor; what they print comes together, in order.
export -f run compare
export ECL EXACT_FLAGS work harness
if [ $# = 0 ]; then
  # shellcheck disable=SC2046,SC2086 # names have no blanks
  set -- $(cd tests/exact/programs &&
    printf 'tests/exact/programs/%s\n' ${EXACT_PROGRAMS:-*.lisp})
fi
rm -f "$work"/*.out
for file; do
  name=$(basename "$file" .lisp)
  if [ ! -e "$file" ]; then
    echo "not ok - there is a program $name" >"$work/$name.out"
    failed=1
    continue
  fi
  for source in "${file%.lisp}".c "${file%.lisp}".cc; do
    [ -e "$source" ] || continue
    if [[ $source == *.cc ]] && ! command -v "${CXX:-g++}" >/dev/null; then
      echo "ok - $name # SKIP there is no C++ compiler" >"$work/$name.out"
      continue 2
    fi
    if ! compile_library "$source" "$work/$name.so" >"$work/$name.out"; then
      failed=1
      continue 2
    fi
  done
  for variant in $(sed -n '1s/.*variants: //p' "$file"); do
    echo "$file" "$variant" "$work/$name-$variant.out"
    [ "${SHORT:-}" != 1 ] || break
  done
done >"$work/programs"
xargs -L 1 -P "$(nproc)" bash -c 'compare "$0" "$1" >"$2" 2>&1' \
  <"$work/programs" || failed=1
cat "$work"/*.out
exit $failed
