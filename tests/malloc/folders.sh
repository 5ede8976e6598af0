#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The folders of the monitor in a C program: none uses a function or variable of
# one that uses it, directly or by way of others.

. "$(dirname "$0")/check.bash"

# uses: a line "FOLDER OTHER" for each folder and each other one that it uses
uses() {
  (cd "$top" && find monitor -name '*.c') | sort |
    while read -r source; do
      object=$BUILD/obj/malloc/${source%.c}.o
      [ ! -e "$object" ] || nm "$object" | sed "s,^,${source%/*} ,"
    done |
    awk '$2 == "U" || $2 == "w" { used[$1, $3] = 1; next }
      $3 ~ /^[TDBRVWC]$/ { folder[$4] = $1 }
      END {
        for (pair in used) {
          split(pair, part, SUBSEP)
          other = folder[part[2]]
          if (other != "" && other != part[1]) print part[1], other
        }
      }' | sort -u
}

uses >used
tsort used >order 2>loops
same 'no circle of folders' '' "$(cat loops)"
same 'c/session is the outermost' monitor/c/session "$(head -n 1 order)"
same 'c/count uses image/' 'monitor/c/count monitor/image' \
  "$(grep -x 'monitor/c/count monitor/image' used)"
finish
