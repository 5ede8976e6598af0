#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Named regions: figures by label, and the comments, which have how often a
# region was entered and what of it lived at its last end.

. "$(dirname "$0")/check.bash"

compile regions -O1 -L"$MPROF_LIB" -Wl,-rpath,"$MPROF_LIB" -lmprof-malloc

# held: COUNT HELD PATH of the regions.
held() {
  rows regions.data comment | sed -n 's/^comment region //p' |
    awk '{ count = $1; held = $5; $1 = $2 = $3 = $4 = $5 = ""
      sub(/^ */, ""); print count, held, $0 }'
}

profile regions nested
same 'nested: by region' "region - 1 7 1 7
region load 2 200 1 100
region load;parse 4 60 1 10
region parse 1 1 1 1" "$(rows regions.data region | cut -d' ' -f 1-6)"
same 'nested: entered, held' "2 120 load
2 20 load;parse
1 1 parse" "$(held)"

profile regions odd
deep=x
for ((i = 1; i < 64; i++)); do deep+=';x'; done
same 'odd names, too many ends, too deep' "region - 2 17 2 17
region a\\;b\\\\c 1 2 1 2
region a\\;b\\\\c; 1 4 1 4
region $deep 1 8 1 8" \
  "$(rows regions.data region | sed /deep/d | cut -d' ' -f 1-6 | LC_ALL=C sort)"
same 'a path beyond its room: each once' '41 1 8' \
  "$(held | grep deep | cut -d' ' -f 1,2 | sort | uniq -c | xargs)"

profile regions many
expect 'more regions than there is room for: nothing is lost' regions.data \
  5000 15000 0 0
same 'more regions than there is room for: those that are told apart' 4095 \
  "$(rows regions.data region | grep -c '^region r')"

profile regions restart
same 'restart: an open region goes on' "region after 1 40 1 40
region before 1 20 1 20" \
  "$(rows regions.data region | grep -v ' - ' | cut -d' ' -f 1-6)"
same 'restart: entered since, held' $'0 20 before\n1 40 after' "$(held)"
[ "$(rows regions.data comment | awk '/before$/ { print $4 }')" -le "$(<out)" ]
result $? 'restart: time since'

profile regions labels
"$MPROF" export --format=folded --value=allocs --label=user=17 regions.data |
  awk '{ n += $NF } END { print n }' >got
same 'a label, wherever it stands' 2 "$(cat got)"
bytes() {
  "$MPROF" export --format=folded --value=bytes "$@" regions.data 2>&1 |
    awk '{ n += $NF } END { print n }'
}
same 'its bytes' 60 "$(bytes --label=user=17)"
same 'a value is a regular expression for all of it' '60 30' \
  "$(bytes --label='user=[0-9]*') $(bytes --label='request=/log.*')"
same 'and not for a part' 'mprof: nothing matches --label=user=1' \
  "$("$MPROF" report --label=user=1 regions.data 2>&1 | cut -c1-37)"
same 'together with a region' 20 "$(bytes --label=user=17 --region=load)"
same 'too many values: the rest is [other]' 15000 "$(bytes --label='number=.*')"

# by KEY OPTION...: bytes by label, but for what a program allocates that does
# nothing.
by() {
  "$MPROF" export --format=folded "--by=label:$@" regions.data 2>&1
}
same 'by label, the innermost' 'user=17 60' "$(by user | grep -v 'no user')"
same 'and what has another or none' "[no user] $(($(bytes) - 60))" \
  "$(by user | grep 'no user')"
same 'of a selection' '[no user] 10 user=17 20' \
  "$(by user --label=request=/login | sort | paste -sd' ')"
same 'by a label of many values' "3069 15000" \
  "$(by number | awk '/^number/ { rows++; n += $NF } END { print rows, n }')"
same 'by a label that nothing has' \
  'mprof: --by=label:usr: nothing has the label usr' "$(by usr)"

profile regions long_labels
# Keys of 180 to 197 characters; what is longer is cut, and is no label then.
same 'long keys of labels that are [other]' "$(
  for length in {180..197}; do echo "$length 2"; done
  echo '198 14')" "$(rows regions.data region |
  sed -n 's/^region \(k*\)[^ ]* \([0-9]*\) .*/\1 \2/p' |
  awk '/^k/ { print length($1), $2 }' | sort -n)"
finish
