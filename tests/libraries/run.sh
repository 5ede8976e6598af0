#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# run.sh --names: print the names of all libraries of libraries.txt.
# run.sh NAME...: for each library that is named, run its tests without the
# profiler, with it and, where that can be compared, with whole walks.  Each
# result has to be the same as without, the profile sound (see
# tests/check-profile.sh), and the chains of both ways of walking equal.
#
# Libraries are downloaded once and compiled once for each build of ECL.

set -u
cd "$(dirname "$0")/../.." || exit 1
: "${BUILD:=$PWD/build}" "${ECL:=$BUILD/bin/ecl}" "${MPROF:=$BUILD/bin/mprof}"
export MPROF
work=$BUILD/libraries
list=tests/libraries/libraries.txt
limit=${LIBRARY_TIMEOUT:-1200} # seconds for one run of one library
failed=0

# ECL has tables with addresses as keys, and what they allocate depends on the
# addresses: these are to be the same each time, where that is allowed.
same_addresses='setarch -R'
$same_addresses true 2>/dev/null || same_addresses=

rows() { grep -v '^ *#' "$list" | grep .; }

if [ "$*" = --names ]; then
  rows | sed 's/ .*//'
  exit
fi
mkdir -p "$work"

export LIBRARY_SOURCES=$work/root/usr/share/common-lisp/source/
export XDG_CACHE_HOME=$work/cache
if [ ! "$XDG_CACHE_HOME/stamp" -nt "$(readlink -f "$ECL")" ]; then
  rm -rf "$XDG_CACHE_HOME"
  mkdir -p "$XDG_CACHE_HOME"
  : >"$XDG_CACHE_HOME/stamp"
fi

not_ok() {
  echo "not ok - $1"
  failed=1
}

# run_mode NAME MODE: leaves NAME-MODE.results, .data and .log.
run_mode() {
  export LIBRARY_MODE=$2 LIBRARY_OUT=$work/$1-$2
  rm -f "$LIBRARY_OUT".*
  timeout -k 10 "$limit" $same_addresses "$ECL" --norc \
    --load tests/libraries/harness.lisp </dev/null >"$LIBRARY_OUT.log" 2>&1
  local status=$?
  if [ "$status" != 0 ] || [ ! -s "$LIBRARY_OUT.results" ]; then
    not_ok "$1: the tests run with profiling $2 (status $status)"
    tail -n 5 "$LIBRARY_OUT.log" | sed 's/^/# /'
    return 1
  fi
}

# same_results NAME: a line for each result of the run without the profiler.
same_results() {
  diff --new-line-format='not ok - '"$1"': %l%c'"'\\012'" \
    --old-line-format='not ok - '"$1"': without profiling %l%c'"'\\012'" \
    --unchanged-line-format='ok - '"$1"': %l%c'"'\\012'" \
    "$work/$1-off.results" "$work/$1-on.results"
}

# chains NAME MODE: all chains with their bytes and allocations.
chains() {
  local value
  for value in bytes allocs; do
    "$MPROF" export --format=folded --frames=types --system=show --value=$value \
      "$work/$1-$2.data" || return 1
  done
}

same_chains() {
  local difference
  run_mode "$1" full-walk || return
  if difference=$(diff <(chains "$1" on) <(chains "$1" full-walk)); then
    echo "ok - $1: whole walks find the same chains"
  else
    not_ok "$1: whole walks find the same chains"
    printf '%s\n' "$difference" | head -n 10 | cut -c 1-300 | sed 's/^/# /'
  fi
}

# library NAME SYSTEM RUNNER ARGUMENT CHAINS PACKAGE...: a row of the list.
library() {
  local name=$1 chains=$5
  export LIBRARY_SYSTEM=$2 LIBRARY_RUNNER=$3 LIBRARY_ARGUMENT=$4
  shift 5
  tests/libraries/fetch.sh "$work" "$@" || {
    not_ok "$name is there"
    return
  }
  run_mode "$name" off && run_mode "$name" on || return
  same_results "$name" || failed=1
  tests/check-profile.sh "$name" "$work/$name-on.data" || failed=1
  [ "$chains" = unchecked ] || same_chains "$name"
}

for name; do
  row=$(rows | grep "^$name ") || {
    not_ok "$name: there is no such library in $list"
    continue
  }
  # shellcheck disable=SC2086
  library $row
done
exit $failed
