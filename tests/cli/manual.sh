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
for option in $(sed -n '/^\.TP/{n;/^\.B/p}' man |
  sed 's/\\f[A-Z]//g; s/\\-/-/g; s/[="\]/ /g' | tr ' ,' '\n\n' |
  grep -xE -e '--?[a-z-]+' | sort -u); do
  { for command in $commands; do run help "$command"; cat out; done
    echo '  --version'; } |
    grep -qE -e "^  $option\\b"
  result $? "help has $option"
done

# What an option takes, by the program itself, stands in what a page says of it:
# up to the next option.
section() { # OPTION FILE...
  cat "${@:2}" | tr -d '\\' | awk -v start="$1=" '
    index($0, ".BI " start) == 1 { on = 1; print; next }
    /^[.]S[HS]/ || (last == ".TP" && /^[.]B[IR]? --/) { on = 0 }
    on { print }
    { last = $0 }'
}
lists=0
for command in $commands; do
  if [ "$command" = run ]; then page=run; else page=report; fi
  run help "$command"
  cp out options
  for option in $(sed -n 's/^  \(--[a-z-]*\)=.*/\1/p' options); do
    run "$command" "$option=nonsense"
    words=$(sed -n "s/^mprof: $option takes \(.*\), not 'nonsense'.*/\1/p" err |
      sed -n 's/, / /g; s/ or / /; s/ and / /; s/KEY$//; /^[a-z:-]*\( [a-z:-]*\)*$/p' |
      grep -vw 'a\|the\|number\|name') || continue
    lists=$((lists + 1))
    section "$option" "$pages"/mprof{,-$page}.1 >found
    for word in $words; do
      grep -qw -e "$word" found
      result $? "manual page of $command: $option takes $word"
    done
  done
done
[ "$lists" -gt 20 ]
result $? 'options take words'

# The files that the examples name.
cp "$golden/widgets.data" mprof.data
cp "$golden/mixture.data" run.data
cp "$golden/phases.data" server.data
cp "$golden/mixture.data" old.data
cp "$golden/widgets-c.data" before.data
cp "$golden/widgets-c.data" after.data
cp "$golden/live.data" first.data
cp "$golden/live.data" second.data
"${CC:-gcc}" -o widgets "$top/tests/demo/producer-consumer.c"
sed -n '/^\.SH EXAMPLES/,/^\.SH "SEE/s/^mprof /"$MPROF" /p' man |
  sed "s/\\\\-/-/g; s/\\\\(aq/'/g" >examples
[ "$(wc -l <examples)" = 11 ]
result $? 'the manual pages have examples'
while read -r example; do
  eval "$example" >out 2>err
  result $? "example: ${example#* }"
done <examples

finish
