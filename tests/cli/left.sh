#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# What of a profile is left: the cases of tests/golden/left.txt.
. "$(dirname "$0")/check.bash"
export LC_ALL=C
set -f

# found ARGUMENT...: what export has, as the cases give it.
found() {
  "$MPROF" export --format=folded "$@" 2>err |
    sed -E 's/^(.*) ([0-9]+)$/  \2 \1/' | sort
  "$MPROF" export --format=csv --tables=functions "$@" 2>err | tr -d '\r' |
    awk -F'",' 'NR == 1 { n = split($0, heads, ",")
        while (n > 0 && heads[n] != "calls") n--
        next }
      n > 0 && NF > 1 { split($2, cells, ",")
        calls = cells[n - 1]
        if (calls != "0")
          print "  calls " (calls == "" ? "-" : calls) " " substr($1, 2) }' |
    sort
}

check() {
  [ -n "$case" ] || return
  # shellcheck disable=SC2086
  set -- $case
  found "${@:2}" "$golden/$1.data" >out
  cmp -s out wanted
  result $? "$case" || diff wanted out
}

case=
: >wanted
while IFS= read -r line; do
  case $line in
  '#'* | '') ;;
  '  '*) printf '%s\n' "$line" >>wanted ;;
  *)
    check
    case=$line
    : >wanted
    ;;
  esac
done <"$golden/left.txt"
check
finish
