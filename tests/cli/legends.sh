#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# Legends: every word of every table's heading is explained below the table,
# and every term of a legend is one of the manual page, which is made of what
# `mprof help tables' prints.
. "$(dirname "$0")/check.bash"

man=$BUILD/man/mprof-report.1

# Splits a report of one table: `heading WORD' for each word above the rule,
# `term TERM' for each line of the legend.
split='
  /^-+$/ && !body { body = 1; next }
  !body && titled && NF { for (i = 1; i <= NF; i++) print "heading " $i }
  /^[A-Z][A-Z ]*$/ { titled = 1 }
  !NF { legend = 0 }
  body && /^  [^ ]/ && substr($0, 16, 1) != " " && substr($0, 15, 1) == " " {
    if ($1 == "%") legend = 1
    term = substr($0, 3, 12)
    sub(/ *$/, "", term)
    if (legend) print "term " term
  }'

run help report
tables=$(sed -n '/^Tables/,$s/^  \([a-z-]*\)  .*/\1/p' out |
  grep -vxE 'reconciliation|advice')
[ "$(wc -w <<<"$tables")" = 13 ]
result $? 'thirteen tables have columns'

# What the manual page calls columns, in bold, without troff's escapes.
sed -n '/^\.SH TABLES/,/^\.SS RECONCILIATION/s/^\.B //p' "$man" | tr -d '\\' >terms
! grep 'COLUMNS' "$man"
result $? 'manual page: all columns are there'
run help tables
for table in $tables diff; do
  grep -qx "Tables* \(of mprof \)*$table:" out
  result $? "help tables: $table"
done

for profile in phases:lisp two-cycles:lisp unknown-calls:lisp live:lisp \
  held:lisp widgets-c:c lines:c regions:c; do
  for table in $tables; do
    case $table:$profile in
    leaks:*:lisp | phases:*:c) continue ;;
    held:held:*) ;;
    held:*) continue ;;
    *:regions:c) ;;
    regions:* | peak:* | temporary:*) continue ;;
    esac
    run report -verbose --tables="$table" "$golden/${profile%:*}.data"
    awk "$split" out >parts
    sed -n 's/^term //p' parts | tee legend |
      sed 's/+\([a-z]\)/ +\1/g' | tr ' /' '\n\n' | sort -u >known
    sed -n 's/^heading //p' parts | tr / '\n' | sort -u >words
    [ -s words ] && missing=$(comm -23 words known) && [ -z "$missing" ]
    result $? "$table of ${profile%:*}: explained are all of \
$(wc -l <words) words${missing:+, but not $missing}"
    sed "s/^/$table: /" legend >>all-terms
  done
done

sort -u all-terms >unique
while IFS= read -r line; do
  case ${line#*: } in
  'compile time' | 'load time' | evaluation | 'run time')
    continue ;; # under Phases
  esac
  grep -qxF -e "${line#*: }" terms
  result $? "manual page: $line"
done <unique
[ "$(wc -l <unique)" -gt 50 ]
result $? 'there were terms to compare'

finish
