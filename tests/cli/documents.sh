#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The documents themselves: manual pages are laid out without a warning and
# name pages that exist, README.md is short, and its links and those of the
# maps lead somewhere.
. "$(dirname "$0")/check.bash"

for page in "$top"/reduce/*.[157] "$BUILD"/man/*.[157]; do
  name=$(basename "$page")
  if command -v groff >/dev/null; then
    groff -man -ww -Tutf8 "$page" 2>&1 >/dev/null | tee warnings
    [ ! -s warnings ]
    result $? "$name: no warnings"
  else
    echo "ok - $name: no warnings # SKIP there is no groff"
  fi
  for other in $(sed 's/\\-/-/g' "$page" |
    sed -n 's/^\.BR \(mprof[a-z-]*\) (\([157]\)).*/\1.\2/p' | sort -u); do
    [ -e "$top/reduce/$other" ] && [ "$other" != "$name" ]
    result $? "$name: there is $other"
  done
done

run help advise
[ "$(sed -n 's/^\.BR \([a-z\-]*\) " (.*/\1/p' "$BUILD/man/mprof-advice.7" |
  tr -d '\\')" = "$(sed -n '/^Rules/,$s/^  \([a-z-]*\) (.*/\1/p' out)" ]
result $? 'mprof-advice(7), as it is installed, lists the rules'

# What README.md says man shows is there, with the tables' columns.
shown=$(sed -n 's/^| `man -l build\/\(.*\)\.\.\.` |.*/\1/p' "$top/README.md")
for page in "$top"/reduce/*.[157]; do
  [ -s "$BUILD/$shown$(basename "$page")" ]
  result $? "README.md: man -l shows $(basename "$page")"
done
! grep -q '^\.\\" \(COLUMNS\|RULES\)' "$BUILD/$shown"* &&
  grep -q 'self+desc' "$BUILD/${shown}mprof-report.1"
result $? 'README.md: man -l shows the columns of the tables'

# Files that comments name are there: in their own folder, or below the part.
cd "$top" || exit 1
grep -noE '(^|[^$A-Za-z/.])(monitor|reduce|lisp|tests|runtime-patch)/[A-Za-z0-9_/.-]+\.(c|h|js|lisp|sh|mjs|txt|awk|json)\b' \
  -r monitor reduce lisp tests runtime-patch/*.sh GNUmakefile README.md \
  --include=*.[ch] --include=*.lisp --include=*.js --include=*.sh --include=*.md \
  --include=*.mk --include=*.bash --include=*.mjs --include=GNUmakefile |
  sort -u -t: -k3 | while IFS=: read -r file line name; do
  name=${name#[!a-z]}
  [ -e "$name" ] || [ -e "monitor/$name" ] || [ -e "${file%/*}/$name" ] ||
    echo "$file:$line names $name"
done >"$scratch/named"
cd "$scratch" || exit 1
[ ! -s named ]
result $? 'files that comments name are there' || sed 's/^/# /' named

[ "$(wc -l <"$top/README.md")" -le 200 ]
result $? 'README.md has at most 200 lines'
for document in README.md {monitor,reduce,runtime-patch,tests}/README.md; do
  folder=$top/$(dirname "$document")
  for link in $(grep -o '](\([^)]*\))' "$top/$document" |
    sed 's/^](//; s/)$//' | grep -v '^https:'); do
    [ -e "$folder/$link" ]
    result $? "$document: there is $link"
  done
  # a folder, or a pattern for several, at the beginning of a row
  for row in $(sed -n 's/^| `\([^` ]*\/\)`.*/\1/p' "$top/$document"); do
    [ -d "$folder/$row" ] || [ -d "$top/$row" ]
    result $? "$document: there is $row"
  done
done

# The maps leave out no folder.
for folder in "$top"/{tests,reduce,monitor,monitor/lisp,monitor/c}/*/; do
  folder=${folder#"$top"/}
  map=${folder%%/*}
  grep -qE "^\| \`${folder#*/}[\`a-z]" "$top/$map/README.md"
  result $? "$map/README.md has ${folder#*/}"
done

for target in $(cat "$top"/{.,tests,runtime-patch}/README.md "$top"/reduce/*.[157] |
  tr -d '\\' | grep -oE '(`|make )(bench|check|setup)-[a-z0-9.-]+' |
  sed -E 's/^(`|make )//; s/\.$//; /\./d' | sort -u); do
  grep -q "^$target:" "$top/tests/tests.mk" "$top/GNUmakefile"
  result $? "there is make $target"
done

# one_way PART FOLDERS OTHERS: each folder of a map includes headers of those
# above it, and of others.
one_way() {
  local above=" $2 " wrong='' folder used
  for folder in $(sed -n 's/^| `\([a-z_/]*\)\/` |.*/\1/p' "$top/$1/README.md"); do
    above="$above$folder "
    for used in $(sed -n 's/^#include "\(.*\)\/[^/]*"/\1/p' \
      "$top/$1/$folder"/*.[ch] 2>/dev/null | sort -u); do
      case $above in *" $used "*) continue ;; esac
      case $folder:$3 in
        images:*" $used "* | leak_search:*" $used "*) ;;
        *) wrong="$wrong $folder->$used" ;;
      esac
    done
  done
  [ "$above" != " $2 " ] && [ -z "$wrong" ]
  result $? "includes go one way between the folders of $1/$wrong"
}

# Two folders of the reducer read the memory of the monitor; what depends on
# the processor includes nothing.
one_way reduce 'arch' ' c/count c/ecl c/interpose image tree code '
one_way monitor 'common' ''
! grep -q '^#include "' "$top"/monitor/*.h
result $? 'the headers at the top of monitor/ include no others'

finish
