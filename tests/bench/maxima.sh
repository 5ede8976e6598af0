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
# maxima.sh --instructions: count instructions instead, with callgrind, once.
# maxima.sh --build: only build Maxima.
#
# Maxima is built with Lisp alone, as its INSTALL.lisp describes, in
# BUILD/maxima/source, once for each build of ECL, which takes about five
# minutes.  For another ECL set ECL and BUILD.
#
# Environment: ECL, BUILD, MAXIMA_SOURCE (the folder with the source package;
# make bench-maxima sets these three); ROUNDS (3, of SUITE=1 1), SUITE,
# TEST_FILES (names, instead of the five), CLOCK (cpu: of the process; real).
#
# Writes below BUILD/maxima: figures (see maxima.lisp), output.off and
# output.on, profile.data, and with --instructions callgrind's files.

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
column=2
[ "${CLOCK:-cpu}" = cpu ] || column=3

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
      BENCH_LIBRARIES="$work" \
      MAXIMA_CONFIGURATION="$1" MAXIMA_FIGURES="$work/figures" \
      MAXIMA_PROFILE="$work/profile.data" ${RUNNER:-} \
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
  awk -v column="$column" '
    function median(of, n,  i, j, t) {
      for (i = 2; i <= n; i++)
        for (j = i; j > 1 && of[j] < of[j - 1]; j--) {
          t = of[j]; of[j] = of[j - 1]; of[j - 1] = t
        }
      return n % 2 ? of[(n + 1) / 2] : (of[n / 2] + of[n / 2 + 1]) / 2
    }
    # The median of a column in all rounds of a configuration.
    function middle(configuration, column,  i, of) {
      for (i = 1; i <= rounds[configuration]; i++)
        of[i] = figure[configuration, i, column]
      return median(of, rounds[configuration])
    }
    function row(what, format, column,  off, on) {
      off = middle("off", column)
      on = middle("on", column)
      printf "%-34s " format " " format " %9.2f\n", what, off, on, on / off
    }
    function only_on(what, format, column) {
      printf "%-34s %12s " format "\n", what, "", middle("on", column)
    }
    { i = ++rounds[$1]; for (c = 2; c <= NF; c++) figure[$1, i, c] = $c }
    END {
      printf "%-34s %12s %12s %9s\n", "", "off", "on", "on/off"
      row("seconds of the processor", "%12.3f", 2)
      row("seconds by the clock", "%12.3f", 3)
      row("kB resident at most", "%12d", 4)
      only_on("the same, with saving", "%12d", 9)
      only_on("allocations", "%12d", 5)
      only_on("contexts", "%12d", 6)
      only_on("seconds to save the profile", "%12.3f", 7)
      only_on("bytes of the file", "%12d", 8)
      for (i = 1; i <= rounds["on"]; i++)
        of[i] = figure["on", i, column] / figure["off", i, column]
      n = rounds["on"]
      m = median(of, n)
      printf "\non against off, %s: %.3f (%.3f-%.3f), median and range of " \
        "%d\n", column == 2 ? "processor" : "clock", m, of[1], of[n], n
    }' "$work/figures"
}

# counted off|on: measure with callgrind.
counted() {
  GC_MARKERS=1 RUNNER="valgrind --tool=callgrind --main-stacksize=100000000
    --callgrind-out-file=$work/callgrind.$1" measure "$1"
}

# instructions: of one run in each configuration, and the functions to which
# those go that mprof adds.
instructions() {
  local configuration first second
  command -v valgrind >/dev/null ||
    die 'valgrind is missing; run: apt-get install valgrind'
  rm -f "$work"/callgrind.*
  counted off &
  first=$!
  counted on &
  second=$!
  wait "$first" && wait "$second" || exit 1
  for configuration in off on; do
    # shellcheck disable=SC2046
    awk -f "$here/functions.awk" $(grep -l '^desc: Trigger: Client Request:' \
      "$work/callgrind.$configuration".*) >"$work/functions.$configuration"
  done
  awk -F '\t' '
    FILENAME ~ /figures$/ {
      if (split($0, field, " ") > 4) allocations = field[5]
      next
    }
    FILENAME ~ /off$/ { off += $3; more[$2] -= $3; next }
    { on += $3; more[$2] += $3 }
    END {
      printf "instructions off %d, on %d, on/off %.3f, for each of %d " \
        "allocations %.1f more:\n\n", off, on, on / off, allocations,
        (on - off) / allocations
      for (name in more)
        printf("%10.1f  %s\n", more[name] / allocations, name) | \
          "sort -k 1,1nr | head -n 20"
    }' "$work"/{figures,functions.off,functions.on}
}

build
[ "${1:-}" != --build ] || exit 0
"${CC:-gcc}" -O2 -fPIC -shared -o "$work/region.so" "$here/region.c"
rm -f "$work/figures"
if [ "${1:-}" = --instructions ]; then
  printf '\nMAXIMA 5.46.0, %s: ' "$title"
  instructions
  exit
fi
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
