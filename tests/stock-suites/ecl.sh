#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# ECL's own tests, on the distribution's ECL: under `mprof run' each ends as it
# does without; those of threads that go by the clock are left out.  The
# programs that they start are profiled, too.

. "$(dirname "$0")/../stock/check.bash"
source=$BUILD/ecl-work/source/src/tests

# run_tests NAME COMMAND...: in an empty folder, as ECL's own `make check' does.
run_tests() {
  local log=$work/$1.log
  shift
  rm -rf "$work/temporary"
  mkdir -p "$work/temporary" "$work/cache"
  (cd "$work/temporary" &&
    XDG_CACHE_HOME=$work/cache TEST_IMAGE=$STOCK_ECL timeout 800 "$@" --norc \
      --eval '(ext:install-bytecodes-compiler)' \
      --eval '(ignore-errors (ext:install-c-compiler))' \
      --load "$source/doit.lsp" --eval '(in-package cl-test)' \
      --eval "(2am-ecl:run 'make-check)" --eval '(ext:quit 0 nil)') \
    </dev/null >"$log" 2>&1
}

# Threads are given some hundredths of a second to come to a certain point, and
# do not always on a machine with much to do.
timed='^(SEM-|MBOX-|MP[.](MBOX|BARRIER)[.]|MUTEX-)'

# results NAME: which tests ran, and which failed.
results() {
  {
    grep -o 'Running test [^ ]*' "$work/$1.log" | sed 's/^Running test //'
    sed -n '/^Failure details:/,$s/^ \([^ ]*\):$/\1 failed/p' "$work/$1.log"
  } | grep -Ev "$timed" | LC_ALL=C sort
}

run_tests plain "$STOCK_ECL"
same 'the tests end' 0 $?
run_tests mprof "$MPROF" run -q -o "$work/ecl.data" "$STOCK_ECL"
same 'the tests end under mprof run' 0 $?
plain=$(results plain)
same 'each test ends as it did' "$plain" "$(results mprof)"
sed -n 's/^Did/# Did/p' "$work/plain.log" "$work/mprof.log"
echo "$plain" | sed -n 's/.* failed$/# &/p'
MPROF=$MPROF "$top/tests/check-profile.sh" "ECL's tests" "$work/ecl.data" ||
  failures=1
finish
