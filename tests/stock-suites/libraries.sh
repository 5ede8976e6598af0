#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The tests of libraries, on the distribution's ECL: under `mprof run' each
# ends as it does without.  LIBRARIES are names of ../libraries/libraries.txt.

. "$(dirname "$0")/../stock/check.bash"
: "${LIBRARIES:=cl-ppcre named-readtables parse-number}"
shared=$BUILD/stock-suites
export LIBRARY_SOURCES=$shared/root/usr/share/common-lisp/source/
export LIBRARY_MODE=off XDG_CACHE_HOME=$work/cache

# run_library NAME KIND COMMAND...: leaves NAME-KIND.results.
run_library() {
  export LIBRARY_OUT=$work/$1-$2
  shift 2
  timeout 800 "$@" --norc --load "$top/tests/libraries/harness.lisp" \
    </dev/null >"$LIBRARY_OUT.log" 2>&1
}

for name in $LIBRARIES; do
  # shellcheck disable=SC2034 # chains are not compared here
  read -r _ system runner argument chains packages < <(grep "^$name " \
    "$top/tests/libraries/libraries.txt")
  export LIBRARY_SYSTEM=$system LIBRARY_RUNNER=$runner
  export LIBRARY_ARGUMENT=$argument
  # shellcheck disable=SC2086 # names have no blanks
  sh "$top/tests/libraries/fetch.sh" "$shared" $packages || exit
  run_library "$name" plain "$STOCK_ECL"
  same "$name: the tests end" 0 $?
  run_library "$name" mprof "$MPROF" run -q -o "$work/$name.data" "$STOCK_ECL"
  same "$name: the tests end under mprof run" 0 $?
  same "$name: each test ends as it did" "$(cat "$name-plain.results")" \
    "$(cat "$name-mprof.results")"
  echo "# $name: $(grep -c . "$name-plain.results") results"
  MPROF=$MPROF "$top/tests/check-profile.sh" "$name" "$work/$name.data" ||
    failures=1
done
finish
