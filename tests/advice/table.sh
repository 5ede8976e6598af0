#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# The advice on each row of rows.txt, in one profile: which rule holds, what it
# says that is saved, and how many objects it counts.
. "$(dirname "$0")/../cli/check.bash"
rows=$top/tests/advice/rows.txt

# Each row gets a function of its own: APP::F of the third is APP::F3.
{
  echo 'profile rows lisp'
  awk 'BEGIN { row = 1 }
    !/^(#|$)/ {
      ends = / => /
      sub(/ => .*/, "")
      gsub(/APP::F/, "&" row)
      print
      row += ends
    }' "$rows"
} >rows
"$BUILD/tests/write_profile" rows rows rows.data
run export --format=csv --tables=advice rows.data
result "$status" 'there is advice'

# ROW RULE[@LINE] [<=]SAVED OBJECTS CALLED CALLER
sed -nE 's/^"([^"]*)","APP::F([0-9]+)","([a-z]*)",([0-9]+),[0-9]+,[0-9]+,'\
'[0-9]*,([0-9]+),"?([^",]*)"?,"?([^",]*)"?,"[^"]*",([0-9]*),.*/'\
'\2 \1@\8 \3\4 \5 \6 \7/p' out |
  sed 's/@ / /; s/ check/ <=/; s/ certain/ /; s/ *$//' >found
[ "$(wc -l <found)" = $(($(wc -l <out) - 1)) ]
result $? 'all of it is of a row'

awk '
  NR == FNR {
    row = $1
    sub(/^[0-9]+ /, "")
    if (row in found) found[row] = found[row] ", " $0
    else found[row] = $0
    next
  }
  / => / {
    split($0, parts, " => ")
    is = ++count in found ? found[count] : "none"
    good = index(is " ", parts[2] " ") == 1
    print (good ? "ok" : "not ok") " - " $0
    if (!good) { print "# is: " is; failed = 1 }
  }
  END { exit failed || count == 0 }' found "$rows" || failures=1

# SAVED FUNCTION RULE
tail -n +2 out | sed -E 's/^"([^"]*)","([^"]*)","[a-z]*",([0-9]+).*/\3 \2 \1/' >order
LC_ALL=C sort -s -k1,1nr -k2,2 -k3,3 order | cmp -s - order
result $? 'what saves most comes first, then by name'

run advise --verbose rows.data
says 'sizes and calls' \
  '9 objects, 808 bytes, of 8 sizes from 40 to 152 bytes, in 7 calls'

# Pieces about one definition are together, and ten definitions are shown.
{
  echo 'profile groups lisp'
  echo 'cons 60: APP::F;ERROR;%cl_grab_rest_args'
  echo 'cons 50: (LAMBDA :IN APP::G);ERROR;%cl_grab_rest_args'
  echo '20 320 type=DOUBLE-FLOAT: (FLET H :IN (LAMBDA :IN APP::G));%ecl_times'
  echo 'cons 1: (LAMBDA :IN APP::G);EVAL'
  for i in {1..11}; do
    echo "cons 40: APP::K$i;ERROR;%cl_grab_rest_args"
  done
} >groups
"$BUILD/tests/write_profile" groups groups groups.data
tells <<'END'
advise groups.data|1. saves up to 1136 bytes, 12 %: APP::G signals conditions, and more
|   320 of these bytes: generic-float, check; source file
|   and 1 smaller, together 16 bytes.
|2. saves up to 960 bytes, 10 %: APP::F signals conditions
|and 3 smaller, together 1920 bytes; --verbose shows them.
advise --verbose groups.data|13. saves up to 640 bytes, 7 %: APP::K9 signals conditions
END
run report --tables=advice --no-legend groups.data
same 'a report has three lines' 3 "$(grep -c '^  saves up to ' out)"

# Rules of the manual.
"$MPROF" help advise | sed -n '/^Rules/,$s/^  \([a-z-]*\) (.*/\1/p' | sort >rules
awk -F ' => ' '/ => / { sub(/[ @].*/, "", $2); print $2 }' "$rows" | sort -u |
  comm -13 - rules >missing
[ ! -s missing ]
result $? 'each rule has a row' || sed 's/^/# /' missing

finish
