#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# compare-ecl.sh ONE OTHER FILE...: are the shared objects ONE/FILE and
# OTHER/FILE, or object files, the same in what is loaded and run?  Prints `ok'
# or `not ok' for each file, with its sections; the status is 1 when anything
# differs.
#
# ONE and OTHER come from two builds in the same place.  When a source file in
# Lisp has become longer, the functions after that place have another file
# position, which compiler_cfuns keeps for each; of these words it is only said
# how many differ.  Debugging information is not compared.

set -eu
LC_ALL=C
export LC_ALL
one=$1 other=$2
shift 2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
status=0

# Of the bytes that differ, those that are not file positions: an entry of the
# table has seven words, the last one is the position.
not_positions() {
  start=$(readelf -SW "$1" | sed -n "s/.*\] $2  *[A-Z]* *\([^ ]*\).*/\1/p")
  nm -S --defined-only "$1" | awk '$4 ~ /^compiler_cfuns/ { print $1, $2 }' |
    while read -r address size; do
      echo "$((0x$address - 0x$start)) $((0x$size))"
    done >"$dir/tables"
  cmp -l "$dir/one" "$dir/other" | awk 'NR == FNR { at[NR] = $1; n[NR] = $2
      tables = NR; next }
    { for (i = 1; i <= tables; i++) {
        offset = $1 - 1 - at[i]
        if (offset >= 0 && offset < n[i] && offset % 56 >= 48) next
      }
      print }' "$dir/tables" -
}

sections() {
  readelf -SW "$1" | sed -n 's/.*\] \(\.\(text\|rodata\|data\)[^ ]*\) .*/\1/p'
}

for file; do
  same= differ=
  [ "$(sections "$one/$file")" = "$(sections "$other/$file")" ] ||
    differ=' which sections there are'
  for name in $(sections "$one/$file"); do
    objcopy -O binary -j "$name" "$one/$file" "$dir/one"
    objcopy -O binary -j "$name" "$other/$file" "$dir/other"
    if cmp -s "$dir/one" "$dir/other"; then
      same="$same $name"
    elif [ "$(wc -c <"$dir/one")" = "$(wc -c <"$dir/other")" ] &&
      [ -z "$(not_positions "$one/$file" "$name")" ]; then
      same="$same $name (but for $(cmp -l "$dir/one" "$dir/other" | wc -l)\
 bytes of file positions)"
    else
      differ="$differ $name"
    fi
  done
  if [ -z "$differ" ]; then
    echo "ok - $file:$same"
  else
    echo "not ok - $file:$differ"
    status=1
  fi
done
exit $status
