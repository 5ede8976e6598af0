#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Whole reports of profiles made by hand, compared byte for byte with
# golden/NAME.txt, and the profiles themselves with golden/NAME.data.  With
# MPROF_UPDATE_GOLDEN=1 the files are written instead; look at the difference
# then.
#
# Figures have other tests: graph.sh works out those of all call graphs again,
# left.sh has chains and calls by hand, and ../formats reads what is exported.
. "$(dirname "$0")/check.bash"
update=${MPROF_UPDATE_GOLDEN:-}

# same NAME FILE: the FILE made here is the one in golden/.
same() {
  [ -z "$update" ] || cp "$2" "$golden/$2"
  cmp -s "$2" "$golden/$2"
  result $? "$1" || diff "$golden/$2" "$2" | sed 's/^/# /' | head -n 20
}

while read -r _ name _; do
  "$BUILD/tests/write_profile" "$golden/profiles.txt" "$name" "$name.data"
  same "profile $name" "$name.data"
done < <(grep '^profile ' "$golden/profiles.txt")
cp "$golden/regions.data" . # of a real program

# NAME PROFILE COMMAND OPTION...
while read -r name data arguments; do
  # shellcheck disable=SC2086
  "$MPROF" $arguments "$data.data" >"$name.txt" 2>err
  [ $? = 0 ] && [ ! -s err ] && same "$name" "$name.txt"
  result $? "$name: nothing is said"
done <<'END'
widgets widgets report
widgets-c widgets-c report -verbose --no-legend
self-recursion self-recursion report -verbose --no-legend --tables=direct,graph
two-cycles two-cycles report --no-legend --tables=graph
mixture mixture report --no-legend --min-percent=12 --tables=direct,types,graph,bins,reconciliation
mixture-pairs mixture report --no-legend --tables=type-functions --sort=allocs --min-percent=40
mixture-folded mixture export --format=folded --frames=types
mixture-lisp mixture export --format=lisp
mixture-contexts mixture export --format=lisp --tables=contexts --hide=PARSE
phases phases report --no-legend --tables=phases,threads
phases-folded phases export --format=folded --frames=phases,threads --value=allocs
unknown-calls-sorted unknown-calls report -verbose --no-legend --tables=direct --sort=calls
unknown-calls-csv unknown-calls export --format=csv
unknown-calls-csv-arcs unknown-calls export --format=csv --tables=arcs
unknown-calls-csv-contexts unknown-calls export --format=csv --tables=contexts
packages packages report --by=package --no-legend --tables=direct,graph
lines lines report --by=line --no-legend --tables=leaks,direct,graph
long long report --tables=direct,graph --no-legend --width=99
live live report -verbose --no-legend --tables=direct,types,graph,bins
regions regions report -verbose --no-legend --tables=regions,peak,temporary,bins
live-diff live diff -verbose --no-legend live-before.data
held held report -verbose --no-legend --tables=held
held-direct held report --no-legend --tables=direct,types
nameless nameless report --tables=reconciliation
nameless-runtime nameless report --tables=reconciliation --system=show --hide=^F$
sizes sizes report --tables=bins --no-legend
END
finish
