#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# lisp.sh: random Lisp programs, and programs that live long, among threads,
# forks and code that comes and goes, for SECONDS_OF_SOAK (180).

set -u
cd "$(dirname "$0")/../.." || exit 1
: "${BUILD:=$PWD/build}" "${ECL:=$BUILD/bin/ecl}"
work=$BUILD/soak
mkdir -p "$work"
cat >"$work/module.lisp" <<'EOF'
(in-package #:soak)
(defun from-module (n) (loop repeat n collect (make-string n)))
EOF

forms=()
for file in random/{oracle,generator,statements,programs,library,measure} \
  random/{checks,run} soak/{soak,long-life}; do
  fas=$work/$(basename "$file").fas
  forms+=(--eval "(load (compile-file \"tests/$file.lisp\"
                                     :output-file \"$fas\"))")
done
if ! "$ECL" --norc --eval '(require :mprof)' \
  "${forms[@]}" --eval \
  "(compile-file \"$work/module.lisp\" :output-file \"$work/module.fas\")" \
  --eval '(ext:quit 0)' >"$work/build.log" 2>&1 </dev/null ||
  [ ! -e "$work/module.fas" ]; then
  cat "$work/build.log"
  echo "not ok - the programs compile"
  exit 1
fi

loads=()
for name in oracle generator statements programs library measure checks run \
  soak long-life; do
  loads+=(--eval "(load \"$work/$name.fas\" :verbose nil)")
done
SOAK_MODULE=$work/module.fas \
  timeout $((${SECONDS_OF_SOAK:-180} + 240)) "$ECL" --norc \
  --eval '(require :mprof)' --eval '(require :cmp)' "${loads[@]}" \
  --eval "(soak::main ${SECONDS_OF_SOAK:-180})" </dev/null 2>&1 |
  sed -E '/^;;; Loading/d; /^((not )?ok - |#)/!s/^/# /'
exit "${PIPESTATUS[0]}"
