#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# check-profile.sh LABEL FILE: check what holds for every profile, whatever
# was counted, and print `ok - LABEL: ...' or `not ok - ...' for each:
#
#  - it can be read, which includes that its samples add up to the plain
#    counters of allocations and bytes;
#  - no allocation is without a chain, and no chain was cut short;
#  - a residual against the collector is 0 or explained;
#  - less than 0.1 % of the bytes are charged to something without a name.
#
# The reconciliation follows, as comments.  MPROF is the command.

set -u
label=$1 file=$2
failed=0

# check WHAT COMMAND...: one test, which passes when COMMAND does.
check() {
  what=$1
  shift
  if "$@"; then
    echo "ok - $label: $what"
  else
    echo "not ok - $label: $what"
    failed=1
  fi
}

text=$("$MPROF" report --tables=reconciliation "$file" 2>&1)
status=$?

# row TEXT: the figure of the row that says TEXT.
row() { printf '%s\n' "$text" | sed -n "s/^ *\(-*[0-9]*\)  $1.*/\1/p"; }
says() { printf '%s\n' "$text" | grep -q "$1"; }

attributed() { ! says '^OVER THE BUDGET'; }
reaches_beginning() { [ "$(row 'allocations whose chains lack')" = 0 ]; }
explained() {
  [ "$(row 'residual: ')" = 0 ] ||
    { says '^The residual consists of:' && ! says 'not known'; }
}
named() {
  printf '%s\n' "$text" | awk '
    / bytes allocated by unnamed code, charged to no function: / {
      found = 1
      sub(/.*: /, "")
      good = $1 < 0.1
    }
    END { exit !(found && good) }'
}

check 'the samples add up to the counters' [ "$status" = 0 ]
if [ "$status" = 0 ]; then
  check 'every allocation has a chain' attributed
  check 'every chain reaches the beginning of the stack' reaches_beginning
  check 'the collector counted the same, or it is known why not' explained
  check 'less than 0.1 % of the bytes are without a name' named
fi
printf '%s\n' "$text" | sed 's/^/# /'
exit "$failed"
