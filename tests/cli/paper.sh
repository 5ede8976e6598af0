#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The paper's producer and consumer, 10,000 widgets of 204 bytes of which the
# 5,019 red ones are never freed: each figure that its text names for a table
# stands there, in the row that it names.  Where the paper has 99 % for all of
# something, which was the most that two characters could hold, it is "**".
. "$(dirname "$0")/check.bash"

w=$golden/widgets-c.data

# row TABLE NAME TEXT: TEXT is a row of TABLE, blanks squeezed.
row() {
  run report --tables="$1" -verbose --no-legend "$w"
  tr -s ' ' <out | grep -qxF -e "$3"
  result $? "$1: $2"
}

# "There is only one such path, and it tells us immediately what objects are
# not freed."
row leaks 'one path, all that was kept' \
  '1023876 ** 5019 1023876 50 0 0 main>make_red_widget>make_widget'
run report --tables=leaks -verbose --no-legend "$w"
[ "$(grep -c '>make_' out)" = 1 ]
result $? 'leaks: and no other'

# "10,000 widgets were allocated by the program, but only 4,981 of these were
# eventually freed, resulting in 1,023,876 bytes of memory lost."
row bins 'allocs, bytes, frees, kept and types of the size' \
  ' 204 10000 ** 2040000 ** 4981 1023876 ** struct widget'
row bins 'which is all' ' all 10000 ** 2040000 ** 4981 1023876 ** <TOTAL>'

# "Only one function, make_widget, allocates memory ... 99% of the memory ...
# for medium-sized objects ... 99% of the unfreed memory was of medium-sized
# objects allocated by make_widget."
row direct 'all by make_widget, all of it medium, and so is what is kept' \
  ' ** 2040000 10000 ** 1023876 ** ** 10000 make_widget'
row direct 'the totals' ' ** 2040000 10000 ** 1023876 ** ** 10000 <TOTAL>'
run report --tables=direct -verbose --no-legend "$w"
[ "$(grep -c make_ out)" = 1 ]
result $? 'direct: no other function'
grep -q '^ \*\*  2040000   10000     \*\*        1023876     \*\*  ' out
result $? 'direct: medium is the second of four columns'

# "In the first entry main is the entry function; there are no ancestors and
# two descendents."
row graph 'main is the first entry, and allocates nothing itself' \
  '[0] ** 0 -- -- -- -- 0 1 2040000 ** main [0]'
row graph 'main calls make_red_widget' \
  ' 1023876 50 ** 50 1023876 ** 5019 /5019 1023876 50 make_red_widget [2]'
row graph 'and make_blue_widget' \
  ' 1016124 49 ** 49 0 4981 /4981 1016124 49 make_blue_widget [3]'
[ "$(sed -n '/^---/,/^---/p' out | sed '1d;/^-/d' | head -n 1 |
  cut -c1-3)" = '[0]' ]
result $? 'graph: and nobody calls main'

# "In the entry for make_widget (index 1) the ancestor make_red_widget can be
# seen to have requested 1,023,876 bytes, 99% of which was of medium-sized
# objects.  Calls from make_red_widget accounted for 50% of the total memory
# allocated by make_widget and its descendents.  Other fields show how many
# calls the ancestor made to the entry function and ... in total."
row graph 'make_widget has index 1' \
  '[1] ** 2040000 ** ** -- -- -- -- 1023876 ** 10000 2040000 ** make_widget [1]'
sed -n '/^---/,$p' out | awk '/^-+$/ { entry++ } entry == 2' >entry
[ "$(tr -s ' ' <entry | sed -n '2,5p')" = \
' 2040000 ** ** ** 1023876 ** 10000 2040000 ** all
 1016124 49 ** 49 0 4981 /4981 1016124 49 make_blue_widget [3]
 1023876 50 ** 50 1023876 ** 5019 /5019 1023876 50 make_red_widget [2]
[1] ** 2040000 ** ** -- -- -- -- 1023876 ** 10000 2040000 ** make_widget [1]' ]
result $? 'graph: its callers with what each asked for, and their sum on top'

finish
