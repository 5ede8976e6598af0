#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What profiling costs: the same programs in an unpatched ECL, in the patched
# one without a monitor, with the monitor loaded and stopped, and while
# profiling.  The four take turns, program by program, so that a machine that
# becomes slower or faster does so for all; each figure is the median over the
# rounds of the ratio within one round.
#
# Environment: ECL, ECL_REFERENCE (set by make bench), BUILD, ROUNDS (default
# 7).

set -eu
here=$(cd "$(dirname "$0")" && pwd)
: "${ECL:?run me with: make bench}" "${ECL_REFERENCE:?run me with: make bench}"
rounds=${ROUNDS:-7}
work=$BUILD/bench
rm -rf "$work"
mkdir -p "$work"

compile() { # ECL OUTPUT
  "$1" --norc --eval "(handler-case
    (if (compile-file \"$here/programs.lisp\" :output-file \"$2\")
        (ext:quit 0) (ext:quit 1))
    (error (e) (format *error-output* \"~&~A~%\" e) (ext:quit 1)))" \
    >"$work/compile.log" 2>&1 || {
    echo "bench: cannot compile programs.lisp, see $work/compile.log" >&2
    exit 1
  }
}

# Each form is read when those before it have been evaluated: packages.
run() { # LABEL ECL FASL [FORM...]
  label=$1 ecl=$2 fasl=$3
  shift 3
  arguments=
  for form; do
    arguments="$arguments --eval $form"
  done
  # shellcheck disable=SC2086 # the forms have no blanks
  "$ecl" --norc --load "$fasl" $arguments \
    --eval "(mprof-bench::run \"$label\" :$program)" --eval "(ext:quit 0)" \
    2>>"$work/errors" </dev/null | grep "^$label " >>"$work/times.$round" || {
    echo "bench: the programs failed in '$label', see $work/errors" >&2
    exit 1
  }
}

compile "$ECL_REFERENCE" "$work/reference.fas"
compile "$ECL" "$work/patched.fas"
programs=$("$ECL" --norc --load "$work/patched.fas" \
  --eval "(mprof-bench::print-names)" --eval "(ext:quit 0)" </dev/null |
  sed -n 's/^program //p')
round=1
while [ "$round" -le "$rounds" ]; do
  printf 'bench: round %s of %s\n' "$round" "$rounds" >&2
  for program in $programs; do
    run reference "$ECL_REFERENCE" "$work/reference.fas"
    run no-monitor "$ECL" "$work/patched.fas"
    run stopped "$ECL" "$work/patched.fas" \
      "(require':mprof)" "(mprof:start)" "(mprof:stop)"
    run profiling "$ECL" "$work/patched.fas" "(require':mprof)" \
      "(mprof:start)"
  done
  round=$((round + 1))
done

cat "$work"/times.* >"$work/times"
awk '
  function sort(a, n,  i, j, t) {
    for (i = 2; i <= n; i++)
      for (j = i; j > 1 && a[j] < a[j - 1]; j--) {
        t = a[j]; a[j] = a[j - 1]; a[j - 1] = t
      }
  }
  function ratio(name, label,  i, n, a) {
    n = 0
    for (i = 1; i <= count["reference", name]; i++)
      a[++n] = time[label, name, i] / time["reference", name, i]
    sort(a, n)
    lo = a[1]; hi = a[n]
    return n % 2 ? a[(n + 1) / 2] : (a[n / 2] + a[n / 2 + 1]) / 2
  }
  function median_time(label, name,  i, n, a) {
    n = count[label, name]
    for (i = 1; i <= n; i++) a[i] = time[label, name, i]
    sort(a, n)
    return a[int((n + 1) / 2)]
  }
  {
    i = ++count[$1, $2]
    time[$1, $2, i] = $4
    allocations[$2] = $3
    if (!($2 in seen)) { seen[$2] = 1; order[++names] = $2 }
  }
  END {
    split("no-monitor stopped profiling", labels, " ")
    printf "%-30s %9s  %-20s %-20s %-20s\n", "program", "M/s",
      "no monitor", "monitor stopped", "profiling"
    for (k = 1; k <= names; k++) {
      name = order[k]
      printf "%-30s %9.1f ", name,
        allocations[name] / median_time("reference", name) / 1e6
      for (l = 1; l <= 3; l++) {
        m = ratio(name, labels[l])
        printf " %5.3f (%.2f-%.2f)   ", m, lo, hi
        if (l == 3) on[name] = m
      }
      printf "\n"
    }
    printf "\nbelow 10,000 frames against none, profiling: %.3f\n",
      median_time("profiling", "cons-loop-below-10000-frames") / \
      median_time("profiling", "cons-loop")
  }' "$work/times"
echo
echo "M/s: million allocations a second in the unpatched ECL.  Then the time"
echo "as a multiple of that ECL's: median (range) over $rounds rounds."

if command -v valgrind >/dev/null 2>&1; then
  # Instructions do not depend on what else the machine does.
  instructions() { # N ECL FASL [FORM...]
    n=$1 ecl=$2 fasl=$3
    shift 3
    arguments=
    for form; do
      arguments="$arguments --eval $form"
    done
    # shellcheck disable=SC2086
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$ecl" --norc \
      --load "$fasl" $arguments --eval "(mprof-bench::cons-loop $n)" \
      --eval "(ext:quit 0)" 2>&1 </dev/null | sed -n 's/.*Collected : //p'
  }
  per_cons() { # ECL FASL [FORM...]
    few=$(instructions 100000 "$@")
    many=$(instructions 1100000 "$@")
    echo "$few $many" | awk '{ printf "%.1f", ($2 - $1) / 1e6 }'
  }
  echo
  echo "Instructions for each cons in the loop, collector included:"
  printf '  unpatched %s' "$(per_cons "$ECL_REFERENCE" "$work/reference.fas")"
  printf ', no monitor %s' "$(per_cons "$ECL" "$work/patched.fas")"
  printf ', monitor stopped %s' "$(per_cons "$ECL" "$work/patched.fas" \
    "(require':mprof)" "(mprof:start)" "(mprof:stop)")"
  printf ', profiling %s\n' "$(per_cons "$ECL" "$work/patched.fas" \
    "(require':mprof)" "(mprof:start)")"
fi
