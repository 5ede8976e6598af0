#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# An ECL without patches whose contexts are more than the budget: some are
# retired, also while a thread sleeps, and no figure of their callers changes.

. "$(dirname "$0")/check.bash"

# retired_bytes NAME: as RECONCILIATION has them.
retired_bytes() {
  "$MPROF" report --tables=reconciliation "$1.data" |
    sed -n 's/^ *\([0-9]*\)  of these show as \[retired\].*/\1/p'
}

compile "$STOCK_ECL" retired
profile room --load retired.fas --eval '(all)' --eval '(ext:quit 0)'
same 'with room: the status' 0 "$status"
wanted='CL-USER::F-COLD (SIMPLE-ARRAY T) 25200
CL-USER::F-COLD CONS 25200
CL-USER::F-HOT CONS 50400'
same 'with room' "$wanted" "$(types room.data allocs 'CL-USER::F-(COLD|HOT)')"

for budget in 4000 1500; do
  timeout 100 "$MPROF" run -q --budget=$budget -o retired.data "$STOCK_ECL" \
    --norc --load retired.fas --eval '(all)' --eval '(ext:quit 0)' \
    >out 2>err </dev/null
  same "a budget of $budget: the status" 0 $?
  same "a budget of $budget" "$wanted" \
    "$(types retired.data allocs 'CL-USER::F-(COLD|HOT)')"
  reconciles retired
  same "a budget of $budget: the report says how much" 'RETIRED' \
    "$("$MPROF" report retired.data | grep -x 'RETIRED\|NOT ATTRIBUTED.*')"
  same "a budget of $budget: nameless bytes are said to be these" "$(
    "$MPROF" report retired.data |
      sed -n 's/^ *[0-9]* allocations, \([0-9]*\) bytes show as .*/\1/p')" \
    "$(retired_bytes retired)"
done
same 'with room: nothing is retired' '' "$(retired_bytes room)"
finish
