#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# An ECL without patches whose contexts are more than the budget: all types are
# what they are with room for all.

. "$(dirname "$0")/check.bash"

# over NAME: the bytes over the budget, as RECONCILIATION has them.
over() {
  "$MPROF" report --tables=reconciliation "$1.data" |
    sed -n 's/^ *\([0-9]*\)  bytes over the context budget.*/\1/p'
}

# all_types NAME: allocations and bytes of each of Lisp.
all_types() {
  for value in allocs bytes; do
    "$MPROF" export --format=folded --frames=types --value=$value "$1.data" |
      awk -F';' -v value=$value '
        { n = $NF; sub(/.* /, "", n); sub(/ [0-9]*$/, "", $NF); sum[$NF] += n }
        END { for (type in sum) print value, type, sum[type] }'
  done | grep -v ' malloc ' | LC_ALL=C sort
}

compile "$STOCK_ECL" budget
profile room --load budget.fas --eval '(all)' --eval '(ext:quit 0)'
same 'with room: the status' 0 "$status"
same 'with room: functions and types' 'CL-USER::F-COLD (SIMPLE-ARRAY T) 25200
CL-USER::F-COLD CONS 25200
CL-USER::F-HOT CONS 50400' "$(types room.data allocs 'CL-USER::F-(COLD|HOT)')"

# Most of the contexts are those of the start.
for budget in 40000 1500; do
  timeout 100 "$MPROF" run -q --budget=$budget -o budget.data "$STOCK_ECL" \
    --norc --load budget.fas --eval '(all)' --eval '(ext:quit 0)' \
    >out 2>err </dev/null
  same "a budget of $budget: the status" 0 $?
  same "a budget of $budget: types" "$(all_types room)" "$(all_types budget)"
  reconciles budget
  same "a budget of $budget: the report says how much" "$(over budget)" "$(
    "$MPROF" report budget.data |
      sed -n 's/^OVER THE BUDGET: [0-9]* allocations, \([0-9]*\) bytes .*/\1/p')"
  same "a budget of $budget: that is something" 1 $(($(over budget) > 0))
done
same 'with room: nothing is over the budget' '' "$(over room)"
finish
