#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# run-tests.sh KIND...: run the test suites of each kind (headers, c, lisp,
# cli, malloc, recover, sanitized, programs, soak, exact, embedding, unwind,
# random, serve, advice, growth, html, deb, emacs, formats,
# fuzz, patch, libraries, everyday), or a single one (malloc/ends), count every single test, and
# end with the line `N passed, N failed'.  The exit status is 0 only when
# nothing failed.
#
# A suite is a program that prints a line `ok ...' or `not ok ...' for each
# test, as TAP does.  Its exit status counts too: a suite that fails without
# saying which test, that announces more tests than it ran, or that runs no
# test at all, is one failure more.  `ok ... # SKIP' is neither, nor is
# `not ok ... # SKIP', as cmocka says it.
#
# As many suites run side by side as there are processors, or JOBS; each prints
# its line when it ends.
#
# The makefile says through the environment what to test; see its test_env.

set -u
cd "$(dirname "$0")/.." || exit 1

logs=$BUILD/logs
limit=${TEST_TIMEOUT:-900}
jobs=${JOBS:-$(nproc)}
started=0
mkdir -p "$logs" && sums=$(mktemp) || exit 1
trap 'rm -f "$sums"' EXIT
set -m # or suites would begin with Ctrl-C ignored

# count PATTERN FILE: how many lines match.
count() { grep -cE "$1" "$2" || :; }

# left_out NAME: whether the machine, as the file LEFT_OUT says, cannot run it.
left_out() { [ -n "${LEFT_OUT:-}" ] && grep -qxF "$1" "$LEFT_OUT"; }

# skip_tests NAME LOG: nor some tests of the suite; true if any of them failed.
skip_tests() {
  [ -n "${LEFT_OUT:-}" ] && awk -F '\t' -v suite="$1" '
    NR == FNR { if ($1 == suite) patterns[$2]; next }
    /^not ok/ {
      for (p in patterns) if ($0 ~ p) { $0 = $0 " # SKIP"; any = 1; break }
    }
    { print } END { exit !any }' "$LEFT_OUT" "$2" >"$2.new" &&
    mv "$2.new" "$2"
}

# suite NAME COMMAND...: start one suite, as soon as there is room for it.
suite() {
  if left_out "$1"; then
    printf '%-32s left out\n' "$1"
    return
  fi
  while [ "$(jobs -pr | wc -l)" -ge "$jobs" ]; do
    wait -n
  done
  run_suite "$@" &
  started=$((started + 1))
}

# run_suite NAME COMMAND...: run one suite, add up what it prints, and leave a
# line `PASSED FAILED' in $sums.  The seconds are those that processors worked
# for it.
run_suite() {
  local TIMEFORMAT='%U %S'
  local name=$1 log status used ok skipped not_ok planned wrong=''
  shift
  log=$logs/${name//\//-}.log
  used=$({ time timeout -k 10 "$limit" "$@" >"$log" 2>&1 </dev/null; } 2>&1)
  status=$?
  ! skip_tests "$name" "$log" || status=0
  skipped=$(count '^(not )?ok\b.*# *[Ss][Kk][Ii][Pp]' "$log")
  not_ok=$(count '^not ok\b' "$log")
  not_ok=$((not_ok - $(count '^not ok\b.*# *[Ss][Kk][Ii][Pp]' "$log")))
  ok=$(($(count '^(not )?ok\b' "$log") - skipped - not_ok))
  planned=$(awk '/^1\.\.[0-9]+/ { sub(/^1\.\./, ""); n += $1 }
                 END { print n + 0 }' "$log")

  if [ "$status" = 124 ] || [ "$status" = 137 ]; then
    wrong="no end after $limit seconds"
  elif [ "$status" != 0 ] && [ "$not_ok" = 0 ]; then
    wrong="exit status $status"
  elif [ "$planned" -gt $((ok + skipped + not_ok)) ]; then
    wrong="only $((ok + skipped + not_ok)) of $planned tests ran"
  elif [ $((ok + not_ok)) = 0 ]; then
    wrong='no test ran'
  fi
  [ -z "$wrong" ] || not_ok=$((not_ok + 1))

  exec 8>>"$sums"
  flock 8
  echo "$ok $not_ok" >&8
  printf '%-32s %5d passed, %d failed, %.1f s' \
    "$name" "$ok" "$not_ok" "$(awk '{ print $1 + $2 }' <<<"$used")"
  [ "$skipped" = 0 ] || printf ', %d skipped' "$skipped"
  printf '%s\n' "${wrong:+ ($wrong)}"
  if [ "${V:-}" = 1 ]; then
    cat "$log"
  elif [ "$not_ok" != 0 ]; then
    # What failed and what was said about it; the end, if it said nothing.
    grep -E -B 3 -A 20 '^not ok\b' "$log" | head -n 60 | sed 's/^/    /'
    [ -z "$wrong" ] || tail -n 12 "$log" | sed 's/^/    /'
    printf '    the whole output: %s\n' "$log"
  fi
}

# scripts FOLDER: every script there is one suite; a piece that others source
# must not end in .sh.
scripts() {
  local script
  for script in tests/"$1"/*.sh; do
    [ ! -e "$script" ] || suite "$1/$(basename "$script" .sh)" "$script"
  done
}

# A header must need nothing but itself.
compile_headers() {
  local header
  for header in $HEADERS; do
    # shellcheck disable=SC2086,SC2294
    if printf '#include "%s"\n' "$PWD/$header" |
      eval "$CC $HEADER_FLAGS -Werror -fsyntax-only -x c -"; then
      echo "ok - $header compiles alone"
    else
      echo "not ok - $header compiles alone"
    fi
  done
}

# Inherited by the shell that `run_suite' starts for it.
export -f compile_headers

for kind; do
  case $kind in
  headers)
    [ -z "$HEADERS" ] || suite headers bash -c compile_headers
    ;;
  c)
    for program in $TESTS; do
      CMOCKA_MESSAGE_OUTPUT=TAP suite "c/$(basename "$program")" "$program"
    done
    ;;
  lisp)
    for script in tests/lisp/*.sh; do
      # What README.md shows is what 21.2.1 does.
      case $script:${RELEASE:-21.2.1} in
      *:21.2.1) ;;
      */readme*) continue ;;
      esac
      suite "lisp/$(basename "$script" .sh)" "$script"
    done
    ;;
  cli | malloc | sanitized | programs | soak | exact | embedding | unwind | \
    random | growth | html | deb | emacs | formats | fuzz | \
    serve | recover | advice | everyday)
    scripts "$kind"
    ;;
  patch)
    suite patch/off runtime-patch/check-ecl.sh off
    suite patch/on runtime-patch/check-ecl.sh on
    ;;
  libraries)
    # Some take long to compile, once; LIBRARIES chooses.
    limit=${TEST_TIMEOUT:-3600}
    for name in ${LIBRARIES:-$(tests/libraries/run.sh --names)}; do
      suite "libraries/$name" tests/libraries/run.sh "$name"
    done
    ;;
  c/*)
    CMOCKA_MESSAGE_OUTPUT=TAP suite "$kind" "$BUILD/tests/${kind#c/}"
    ;;
  */*)
    suite "$kind" "tests/$kind.sh"
    ;;
  *)
    echo "run-tests.sh: no such kind of test: $kind" >&2
    exit 2
    ;;
  esac
done

wait
# A suite without a line was killed.
read -r passed failed < <(awk -v started="$started" '
  { p += $1; f += $2 } END { print p + 0, f + started - NR }' "$sums")
# Nothing at all is no success.
[ $((passed + failed)) -gt 0 ] || failed=1
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
