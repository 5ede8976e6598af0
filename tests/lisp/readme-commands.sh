#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The commands of README.md for mprof, ECL and the compiler, in a folder where
# there is what they ask for.  What one prints is compared, to the letter,
# unless it is of the demo, whose figures are those of the machine's licence
# texts.

set -u
cd "$(dirname "$0")/../.." || exit 1
: "${BUILD:=$PWD/build}" "${ECL:=$BUILD/bin/ecl}" "${MPROF:=$BUILD/bin/mprof}"
top=$PWD
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failed=0

mkdir -p build/bin build/demo my
ln -s "$(realpath "$MPROF")" build/bin/mprof
ln -s "$(realpath "$ECL")" build/bin/ecl
ln -s "$top/tests" tests
for profile in build/demo/licences before after; do
  cp "$top/tests/golden/packages.data" "$profile.data"
done
echo '(defsystem "my-app" :components ((:file "my-app")))' >my/my-app.asd
echo '(defpackage :my-app (:export :main)) (in-package :my-app)
  (defun main () (make-list 1000))' >my/my-app.lisp

# command1 and told1, and so on; a command goes on behind a backslash
awk '
  { within = /^    /; line = substr($0, 5) }
  within && /^    \$ /  { typing = line ~ /^\$ (gcc|build)/; n += typing
                          told = 0; line = substr(line, 3) }
  !within               { typing = told = 0 }
  typing                { print line > ("command" n); told = 1
                          typing = line ~ /\\$/; next }
  told                  { print line > ("told" n) }' "$top/README.md"

for ((i = 1; ; i++)); do
  [ -e "command$i" ] || break
  name=$(head -n 1 "command$i")
  bash "command$i" >printed 2>&1
  status=$?
  if [ -e "told$i" ] && ! grep -q build/demo "command$i"; then
    diff "told$i" printed >difference || status=1
    cp difference printed
  fi
  if [ "$status" = 0 ]; then
    echo "ok - README.md: $name"
  else
    echo "not ok - README.md: $name"
    sed 's/^/# /' printed
    failed=1
  fi
done
[ "$i" -gt 7 ] || {
  echo "not ok - README.md: only $((i - 1)) commands have been found"
  failed=1
}
exit $failed
