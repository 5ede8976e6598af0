#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# check-ecl.sh PROFILING: run ECL's own regression tests, from the tree that
# the ECL under test was built in, and print `ok - NAME' or `not ok - NAME'
# for each.  PROFILING is `off' or `on'.  The environment tells where: BUILD,
# ECL for the program, MPROF for the command, and the RELEASE of ECL.
#
# When profiling, the profiler starts before the tests are loaded, so that
# ASDF, the compiler and the tests of both are counted, and stops when the
# last one is done; then the profile is checked.  The programs that tests start
# are not profiled.
#
# Tests that fail in an unpatched ECL of the release too (its release.sh names
# them) are marked as skipped when they fail.  Tests that give a thread some
# hundredths of a second to come to a certain point fail now and then on a
# machine with much to do, in an unpatched ECL too (MP.BARRIER.BLOCKING: 8 of
# 6600 checks); these have a second try, by themselves.  A run that breaks off has no summary: status 1.

set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/messages.sh"

. "$here/${RELEASE:?}/release.sh"
timed='SEM-INTERRUPTED-RESIGNALS
  MBOX-BLOCKS-1-TO-1 MBOX-1-TO-N-NON-BLOCKING MBOX-1-TO-N-BLOCKING
  MP.MBOX.BLOCKS-1-TO-1 MP.MBOX.1-TO-N-NON-BLOCKING MP.MBOX.1-TO-N-BLOCKING
  MP.BARRIER.BLOCKING MP.BARRIER.UNBLOCK-1 MP.BARRIER.UNBLOCK-2
  MP.BARRIER.UNBLOCK-3'

profiling=$1
work=$BUILD/ecl-tests/$profiling
sandbox=$work/temporary
log=$work/log
profile=$work/profile.data
source=$BUILD/ecl-work/source/src/tests

case $profiling in
off) load=nil start=nil stop=nil ;;
on)
  load='(require :mprof)' start='(mprof:start)'
  stop="(progn (mprof:stop) (mprof:save \"$profile\"))"
  ;;
*) die 'usage: check-ecl.sh off|on' ;;
esac

# run_tests TESTS: run a suite, or a list of tests, in an empty folder.  The
# steps are those of ECL's own `make check'.
run_tests() {
  rm -rf "$sandbox"
  mkdir -p "$sandbox"
  cd "$sandbox"
  unset ECLDIR
  TEST_IMAGE=$ECL "$ECL" --norc --eval '(ext:install-bytecodes-compiler)' \
    --eval '(ignore-errors (ext:install-c-compiler))' \
    --eval "$load" --eval "$start" --load "$source/doit.lsp" \
    --eval '(in-package cl-test)' --eval "(2am-ecl:run '$1)" \
    --eval "$stop" --eval '(ext:exit)' </dev/null
}

# failures_in LOG: the tests that failed, one a line.
failures_in() { sed -n '/^Failure details:/,$s/^ \([^ ]*\):$/\1/p' "$1"; }

# is_in NAME LIST: is NAME a word of LIST?
is_in() { printf '%s\n' $2 | grep -qxF -e "$1"; }

passes_again() {
  run_tests "($1)" >"$work/again.log" 2>&1 &&
    grep -q '^Did 1 test ' "$work/again.log" &&
    [ -z "$(failures_in "$work/again.log")" ]
}

rm -rf "$work"
mkdir -p "$work"
(run_tests make-check) >"$log" 2>&1 ||
  die "ECL's tests do not run$(why "$log") (log: $log)"
grep -q '^Did [0-9]* tests' "$log" ||
  die "ECL's tests broke off; see the end of $log"
[ "$profiling" = off ] || mv "$profile" "$profile.kept"

failures=$(failures_in "$log")
grep -o 'Running test [^ ]*' "$log" | grep -v ' suite$' |
while read -r _ _ name; do
  if ! is_in "$name" "$failures"; then
    echo "ok - $name"
  elif is_in "$name" "$known_failures"; then
    echo "ok - $name # SKIP fails in an unpatched ECL too"
  elif is_in "$name" "$timed" && (passes_again "$name"); then
    echo "ok - $name, when tried again"
  else
    echo "not ok - $name"
  fi
done
# What each failure was, for whoever reads the log of this suite.
sed -n '/^Did [0-9]* tests/,$s/^/# /p' "$log"

# What ran is what runs without the profiler, if that was tried before.
same_tests() {
  what=$(grep '^Did [0-9]* tests' "$log")
  if [ "$what" = "$(grep '^Did [0-9]* tests' "$work/../off/log")" ]; then
    echo "ok - $what  As without profiling"
  else
    echo "not ok - the same tests and checks as without profiling: $what"
  fi
}

[ "$profiling" = off ] || {
  [ ! -e "$work/../off/log" ] || same_tests
  mv "$profile.kept" "$profile"
  "$here/../tests/check-profile.sh" "ECL's tests" "$profile"
}
