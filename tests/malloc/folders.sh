#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# The folders of the monitors, of C programs and of Lisp, and the files in a
# folder: none uses a function or variable of one that uses it, directly or by
# way of others.

. "$(dirname "$0")/check.bash"

# symbols OBJECTS: a line "FILE [ADDRESS] TYPE NAME" for each symbol of a file of
# the monitor whose objects are there
symbols() {
  (cd "$top" && find monitor -name '*.c') |
    while read -r source; do
      object=$BUILD/$1/${source%.c}.o
      [ ! -e "$object" ] || nm "$object" | sed "s,^,${source%.c} ,"
    done
}

# uses OBJECTS: a line "ONE OTHER" for each file and each other one that it uses
uses() {
  symbols "$1" | awk '$2 == "U" || $2 == "w" { used[$1, $3] = 1; next }
    $3 ~ /^[TDBRVWC]$/ { file[$4] = $1 }
    END {
      for (pair in used) {
        split(pair, part, SUBSEP)
        other = file[part[2]]
        if (other != "" && other != part[1]) print part[1], other
      }
    }'
}

# folders: the same for the folders that they are in
folders() {
  sed 's,/[^/ ]* , ,; s,/[^/]*$,,' files | awk '$1 != $2' | sort -u
}

# inside FOLDER: the lines of the files in it
inside() {
  awk -v folder="$1" '
    index($1, folder "/") == 1 && index($2, folder "/") == 1' files
}

uses obj | sort -u >files
folders >used
tsort used >order 2>loops
same 'no circle of folders in the monitor of Lisp' '' "$(cat loops)"
for folder in live names session snapshot threads; do
  inside "monitor/lisp/$folder" >used
  tsort used >order 2>loops
  same "no circle of files in lisp/$folder" '' "$(cat loops)"
done

uses obj/malloc | sort -u >files
folders >used
tsort used >order 2>loops
same 'no circle of folders' '' "$(cat loops)"
same 'c/session is the outermost' monitor/c/session "$(head -n 1 order)"
same 'c/count uses image/' 'monitor/c/count monitor/image' \
  "$(grep -x 'monitor/c/count monitor/image' used)"
for folder in monitor/c monitor/code; do
  inside "$folder" >used
  tsort used >order 2>loops
  same "no circle of files in $folder" '' "$(cat loops)"
done
same 'interpose.c uses objects.c' \
  'monitor/c/interpose/interpose monitor/c/interpose/objects' \
  "$(grep -x '.*/interpose monitor/c/interpose/objects' files)"
finish
