#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# What changes in the monitors, of C programs and of Lisp, is in one struct for
# each module, and in no other variable.  `behind' and `known' are those of
# macros: the function that an interposed one stands before.

. "$(dirname "$0")/check.bash"

built=${MPROF%/bin/mprof} # both monitors, unlike what a sanitizer's build has

# variables: a line "FILE NAME" for each variable that can be written to, of
# the file or of a function in it
variables() {
  (cd "$top" && find monitor -name '*.c') |
    while read -r source; do
      for object in "$built/obj/${source%.c}.o" \
        "$built/obj/malloc/${source%.c}.o"; do
        [ ! -e "$object" ] || objdump -t "$object" | awk -v file="${source%.c}" '
          / \.t?(data|bss)(\.[^ ]*)?\t/ && !/ \.data\.rel\.ro/ &&
            $NF !~ /^(\.|__)/ {
            sub(/\.[0-9]+$/, "", $NF)
            sub(/.*\./, "", $NF)
            print file, $NF
          }'
      done
    done | grep -v ' behind$\|interpose_cxx known$' | sort -u
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
monitor/code/code_objects code_notes
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
