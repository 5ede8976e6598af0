#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What README.md and mprof-lisp(7) show of the REPL, typed in, each document
# in an ECL of its own: a line that begins with "    > " is a form, with those
# below it until its parentheses close, and what follows is what ECL prints, to
# the letter, unless nothing follows.  When a form is an error, what it prints
# before the restarts counts, and it is the last one, since ECL then throws
# away what was typed before.

set -u
cd "$(dirname "$0")/../.." || exit 1
: "${BUILD:=$PWD/build}" "${ECL:=$BUILD/bin/ecl}"
case $ECL in /*) ;; *) ECL=$PWD/$ECL ;; esac
top=$PWD
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
failed=0

# The examples of a manual page, as README.md has them.
examples() {
  sed -n '/^\.nf$/,/^\.fi$/p' "$1" |
    sed "s/^  /    /; s/\\\\-/-/g; s/\\\\(aq/'/g; s/\\\\e/\\\\/g"
}

# without FILE: its lines, but for empty ones at the beginning and the end
inner() { sed -e '/./,$!d' "$1" 2>/dev/null | sed -e :a -e '/^\n*$/{$d;N;ba' -e '}'; }

# session NAME ATLEAST: what standard input shows, typed in.
session() {
  local name=$1 count compared=0 i
  mkdir "$scratch/$name" && cd "$scratch/$name" || exit 1
  awk '
    function unclosed(s) { return gsub(/\(/, "", s) - gsub(/\)/, "", s) }
    open > 0  { open += unclosed($0); print substr($0, 5) > ("form" n); next }
    /^    > / { n++; open = unclosed($0); print substr($0, 7) > ("form" n)
                within = 1; next }
    /^[^ ]/   { within = 0 }
    within    { print substr($0, 5) > ("wanted" n) }'
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
  sed -i '1,/^Top level/d' got1

  for ((i = 1; i <= count; i++)); do
    [ -n "$(inner "wanted$i")" ] || continue
    compared=$((compared + 1))
    if [ "$(inner "wanted$i")" = "$(inner "got$i")" ]; then
      echo "ok - $name: $(head -n 1 "form$i")"
    else
      echo "not ok - $name: $(head -n 1 "form$i")"
      diff <(inner "wanted$i") <(inner "got$i") | sed 's/^/# /'
      failed=1
    fi
  done
  [ "$compared" -ge "$2" ] || {
    echo "not ok - $name: only $compared forms have been found"
    failed=1
  }
}

session readme 2 <"$top/README.md"
session manual 10 < <(examples "$top/reduce/mprof-lisp.7")
exit $failed
