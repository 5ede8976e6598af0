#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# maxima.sh: what profiling costs in a large program, the computer algebra
# system Maxima: with mprof loaded and not counting (off), and counting (on).
# The two take turns, round after round, in the other order each time.  The
# work is five files of Maxima's own tests and some algebra (maxima.mac), or,
# with SUITE=1, all of its tests.  Start-up and saving the profile are not in
# the times.
#
# maxima.sh --build: only build Maxima.
#
# Maxima is built with Lisp alone, as its INSTALL.lisp describes, in
# BUILD/maxima/source, once for each build of ECL, which takes about five
# minutes.  For another ECL set ECL and BUILD.
#
# Environment: ECL, BUILD, MAXIMA_SOURCE (the folder with the source package;
# make bench-maxima sets these three); ROUNDS (3, of SUITE=1 1), SUITE,
# TEST_FILES (names, instead of the five).
#
# Writes below BUILD/maxima: figures (see maxima.lisp), output.off and
# output.on, and profile.data.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../../runtime-patch/messages.sh
. "$here/../../runtime-patch/messages.sh"
: "${ECL:?run me with: make bench-maxima}" "${BUILD:?}"
: "${MAXIMA_SOURCE:=$BUILD/download/maxima}"
work=$BUILD/maxima
tree=$work/source
maxima=$tree/src/binary-ecl/maxima.fas
log=$work/log
if [ "${SUITE:-}" = 1 ]; then
  rounds=${ROUNDS:-1} title='the whole test suite'
else
  rounds=${ROUNDS:-3} title='files of tests and some algebra'
fi
test_files=${TEST_FILES:-rtest1 rtest11 rtest_equal rtest_rules rtest_sign}

# ---- building ----

unpack() {
  rm -rf "$tree"
  mkdir -p "$tree"
  tar -x -f "$MAXIMA_SOURCE"/maxima_*.orig.tar.gz -C "$tree" \
    --strip-components=1 --exclude='*/interfaces' --exclude='*/doc/*/*/*' \
    --exclude='*.html' --exclude='*/doc/implementation'
}

# Of the names between two @ that configure.lisp leaves, one matters.
configure() {
  (cd "$tree" && "$ECL" --norc --load configure.lisp \
    --eval '(configure :interactive nil)' --eval '(ext:quit 0)' </dev/null &&
    sed -i 's/@LDFLAGS@//' src/autoconf-variables.lisp)
}

compile() {
  (cd "$tree/src" && "$ECL" --norc --load maxima-build.lisp \
    --eval '(maxima-compile)' --eval '(build-maxima-lib)' \
    --eval '(ext:quit 0)' </dev/null && [ -f "$maxima" ])
}

build() {
  [ ! "$maxima" -nt "$(readlink -f "$ECL")" ] || return 0
  mkdir -p "$work"
  : >"$log"
  say "building Maxima in $tree; this takes about five minutes"
  run "$log" 'unpack Maxima' 'see the log' unpack
  run "$log" 'configure Maxima' 'see the end of the log' configure
  run "$log" 'compile Maxima' 'see the end of the log' compile
}

# ---- running ----

commands() {
  printf ':lisp (progn (bench-maxima:begin) "")\n'
  if [ "${SUITE:-}" = 1 ]; then
    printf 'run_testsuite();\n'
  else
    # shellcheck disable=SC2086 # names have no blanks
    printf 'run_testsuite(tests=[%s]);\n' \
      "$(printf ',"%s"' $test_files | cut -c 2-)"
    printf 'batch("%s");\n' "$here/maxima.mac"
  fi
  printf ':lisp (progn (bench-maxima:end) "")\n'
}

# measure off|on: a line of figures.  What a test leaves behind, and what the
# user has set, is of no concern to the next.
measure() {
  local home=$work/home.$1
  rm -rf "$home"
  mkdir -p "$home"
  (cd "$home" && commands |
    env HOME="$home" TMPDIR="$home" MAXIMA_USERDIR="$home" LC_ALL=C \
      MAXIMA_CONFIGURATION="$1" MAXIMA_FIGURES="$work/figures" \
      MAXIMA_PROFILE="$work/profile.data" \
      "$ECL" --norc --load "$maxima" --eval '(require :mprof)' \
      --load "$here/maxima.lisp" --eval '(cl-user::run)' -- \
      >"$work/output.$1" 2>&1) || die "Maxima failed, see $work/output.$1"
}

# results off|on: what Maxima printed, but for times, and for what mprof says
# when the budget is used up.
results() {
  sed -E '/^;;; Loading/d; s/;;; Warning: mprof:.*//;
    /^but some allocations show|^To allow more, call|^$/d;
    /^(real|run) time/d; /^gc count/d; /^consed/d' "$work/output.$1"
}

compare_results() {
  results off >"$work/results.off"
  results on >"$work/results.on"
  grep -h 'No unexpected errors\|tests\? failed out of' "$work/results.off" ||
    die "the tests did not come to their end, see $work/output.off"
  cmp -s "$work/results.off" "$work/results.on" ||
    die "other results while profiling: compare $work/results.off and" \
      "$work/results.on"
}

# ---- reporting ----

report() {
  awk '{ print "seconds", $1, $2 }' "$work/figures" |
    awk -f "$here/table.awk"
  printf '\n%-5s %10s %10s %10s %12s %10s %8s %10s %10s\n' "" processor clock \
    kilobytes allocations contexts saving file kilobytes
  awk '{ printf "%-5s %10.3f %10.3f %10d %12d %10d %8.3f %10d %10d\n", $1, $2,
    $3, $4, $5, $6, $7, $8, $9 }' "$work/figures"
}

build
[ "${1:-}" != --build ] || exit 0
rm -f "$work/figures"
order='off on'
for ((round = 1; round <= rounds; round++)); do
  for configuration in $order; do
    printf '\rMaxima: round %s of %s, %-4s' "$round" "$rounds" \
      "$configuration" >&2
    measure "$configuration"
  done
  order=$(printf '%s\n' $order | tac)
done
printf '\r%40s\r' '' >&2
printf '\nMAXIMA 5.46.0, %s: medians of %s\n\n' "$title" "$rounds"
report
printf '\nSame results, off and on: '
compare_results
