#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What the objects of the monitors, of C programs and of Lisp, say of their order.
# The folders, and the files in a folder: none uses a function or variable of one
# that uses it, directly or by way of others.  And what changes is in one struct for
# each module, and in no other variable.

. "$(dirname "$0")/check.bash"

built=${MPROF%/bin/mprof} # both monitors, unlike what a sanitizer's build has

# symbols OBJECTS COMMAND...: the lines of COMMAND for each object of the monitor
# that is there, behind the name of its file
symbols() {
  (cd "$top" && find monitor -name '*.c') |
    while read -r source; do
      object=$built/$1/${source%.c}.o
      [ ! -e "$object" ] || "${@:2}" "$object" | sed "s,^,${source%.c} ,"
    done
}

# uses OBJECTS: a line "ONE OTHER" for each file and each other one that it uses
uses() {
  symbols "$1" nm | awk '$2 == "U" || $2 == "w" { used[$1, $3] = 1; next }
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

# no_circles OBJECTS FOLDER...: of all folders, and of the files in each of these
no_circles() {
  uses "$1" | sort -u >files
  folders >used
  tsort used >order 2>loops
  same "no circle of folders in $1" '' "$(cat loops)"
  for folder in "${@:2}"; do
    awk -v folder="monitor/$folder/" '
      index($1, folder) == 1 && index($2, folder) == 1' files >inside
    tsort inside 2>loops >/dev/null
    same "no circle of files in $folder" '' "$(cat loops)"
  done
}

no_circles obj lisp/live lisp/names lisp/session lisp/snapshot lisp/threads
no_circles obj/malloc c code
same 'c/session is the outermost' monitor/c/session "$(head -n 1 order)"
same 'interpose.c uses objects.c' \
  'monitor/c/interpose/interpose monitor/c/interpose/objects' \
  "$(grep -x '.*/interpose monitor/c/interpose/objects' files)"

# variables: a line "FILE NAME" for each one that can be written to.  `behind' and
# `known' are those of macros: the function that an interposed one stands before.
variables() {
  for objects in obj obj/malloc; do symbols $objects objdump -t; done |
    awk '/ \.t?(data|bss)(\.[^ ]*)?\t/ && !/ \.data\.rel\.ro/ &&
      $NF !~ /^(\.|__)/ {
      sub(/\.[0-9]+$/, "", $NF)
      sub(/.*\./, "", $NF)
      print $1, $NF
    }' | grep -v ' behind$\|interpose_cxx known$' | sort -u
}

variables >there
same variables 'monitor/c/count/monitor monitor
monitor/c/count/monitor this_thread
monitor/c/count/stripes sharing
monitor/c/count/stripes stripes
monitor/c/environment settings
monitor/c/image/process_image process_image
monitor/c/interpose/real_allocator real
monitor/c/session/session session
monitor/code/code_objects code_objects
monitor/code/frame_rule frame_rules
monitor/code/frame_rule stopped
monitor/image/image image
monitor/lisp/balance/collector_balance libgc
monitor/lisp/live/live_table live
monitor/lisp/names/code_functions functions
monitor/lisp/names/kept_objects kept
monitor/lisp/names/lisp_functions known
monitor/lisp/session/monitor message
monitor/lisp/threads/threads monitor
monitor/lisp/walk/call_site call_sites_shared' "$(cat there)"
finish
