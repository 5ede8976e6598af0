#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What README.md shows of the REPL, typed in: each line that begins with
# "    > " is a form, and what follows is what ECL prints, to the letter, unless
# nothing follows.  When a form is an error, what it prints before the
# restarts counts, and it is the last one, since ECL then throws away what was
# typed before.

set -u
cd "$(dirname "$0")/../.." || exit 1
: "${BUILD:=$PWD/build}" "${ECL:=$BUILD/bin/ecl}"
case $ECL in /*) ;; *) ECL=$PWD/$ECL ;; esac
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT

awk -v to="$scratch" '
  /^    > / { n++; print substr($0, 7) > (to "/form" n); within = 1; next }
  /^[^ ]/   { within = 0 }
  within    { print substr($0, 5) > (to "/wanted" n) }' README.md
cd "$scratch" || exit 1
count=$(find . -name 'form*' | wc -l)

for ((i = 1; i <= count; i++)); do
  cat "form$i"
  echo "(progn (format t \"~&[[$i]]~%\") (values))"
done >typed
timeout 120 "$ECL" --norc <typed >printed 2>&1

# Prompts off, and each form's part to its own file.
awk 'BEGIN { n = 1 }
  { sub(/^(>+ )+/, "") ; sub(/ +$/, "") }
  /^\[\[[0-9]+\]\]$/ { n++; next }
  /^Available restarts:$/ { exit }
  { print > ("got" n) }' printed

# without FILE: its lines, but for empty ones at the beginning and the end
inner() { sed -e '/./,$!d' "$1" 2>/dev/null | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'; }

failed=0
compared=0
for ((i = 1; i <= count; i++)); do
  [ -n "$(inner "wanted$i")" ] || continue
  compared=$((compared + 1))
  if [ "$i" = 1 ]; then sed -i '1,/^Top level/d' got1; fi
  if [ "$(inner "wanted$i")" = "$(inner "got$i")" ]; then
    echo "ok - readme: $(<"form$i")"
  else
    echo "not ok - readme: $(<"form$i")"
    diff <(inner "wanted$i") <(inner "got$i") | sed 's/^/# /'
    failed=1
  fi
done
[ "$compared" -ge 10 ] || {
  echo "not ok - readme: only $compared forms have been found"
  failed=1
}
exit $failed
