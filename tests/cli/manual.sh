#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The manual pages and help name the same options, and the examples of the
# pages run as they stand.
. "$(dirname "$0")/check.bash"

# The options of mprof run have a page of their own.
pages=$top/reduce
cat "$pages"/mprof{,-report,-run}.1 >man
run help
commands=$(sed -n '/^Commands:/,/^$/s/^  \([a-z]*\)  .*/\1/p' out |
  grep -vx help)
for command in $commands; do
  run help "$command"
  says "help on $command" "usage: mprof $command "
  grep -qF ".B mprof $command" "$pages/mprof.1"
  result $? "manual page has mprof $command"
  if [ "$command" = run ]; then page=run; else page=report; fi
  for option in $(sed -n 's/^  \(--*[a-z-]*\).*/\1/p' out); do
    cat "$pages"/mprof{,-$page}.1 | grep -qF -e "${option//-/\\-}"
    result $? "manual page of $command has $option"
  done
done
for option in $(sed -n 's/^\.BI* "*\(\\-[^ "=]*\).*/\1/p' man |
  sed 's/\\//g' | sort -u); do
  { for command in $commands; do run help "$command"; cat out; done
    echo '  --version'; } |
    grep -qE -e "^  $option\\b"
  result $? "help has $option"
done

# The files that the examples name.
cp "$golden/widgets.data" mprof.data
cp "$golden/mixture.data" run.data
cp "$golden/mixture.data" old.data
cp "$golden/widgets-c.data" before.data
cp "$golden/widgets-c.data" after.data
cp "$golden/live.data" first.data
cp "$golden/live.data" second.data
"${CC:-gcc}" -o widgets "$top/tests/demo/producer-consumer.c"
sed -n '/^\.SH EXAMPLES/,/^\.SH "SEE/s/^mprof /"$MPROF" /p' man |
  sed "s/\\\\-/-/g; s/\\\\(aq/'/g" >examples
[ "$(wc -l <examples)" = 28 ]
result $? 'the manual pages have examples'
while read -r example; do
  eval "$example" >out 2>err
  result $? "example: ${example#* }"
done <examples

finish
