#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# instructions.sh: count the instructions of the programs that BUILD/bench/
# programs names, with callgrind: they do not depend on what else the machine
# does, so they show a difference of a thousandth.  One process for each
# configuration runs all programs, each twice at a small size; only the second
# time counts, so that neither start-up nor what is done once is in it.  The
# collector marks with one thread: several wait for each other in a loop, as
# it happens.  Programs with threads of their own are left out for the same
# reason.
#
# Environment: CONFIGURATIONS (see run.sh).
#
# Writes BUILD/bench/instructions, lines for table.awk, and callgrind's own files
# under BUILD/bench/callgrind/CONFIGURATION/, one a program; callgrind_annotate
# says of each where the instructions go.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$BUILD/bench
ppcre=/usr/share/common-lisp/source/cl-ppcre
divisor=64
# shellcheck source=ecl.sh
. "$here/ecl.sh"
command -v valgrind >/dev/null ||
  die 'valgrind is missing; run: apt-get install valgrind'

# count CONFIGURATION: a line for each program.
count() {
  local folder=$work/callgrind/$1
  mkdir -p "$folder"
  # shellcheck disable=SC2046
  GC_MARKERS=1 RUNNER="valgrind --tool=callgrind
    --main-stacksize=1000000000 --callgrind-out-file=$folder/out" \
    run_ecl "$1" $(cut -d ' ' -f 2 "$work/counted" | sort -u) \
    "(bench:measure-instructions :$1 $divisor
      '($(sed 's/\(.*\) .*/"\1"/' "$work/counted")))" \
    >"$folder/log" 2>&1 ||
    die "callgrind failed in configuration $1, see $folder/log"
  # callgrind's last file is about the end of the process.
  awk -v configuration="$1" '
    $1 == "allocations" { allocations[$2] = $3 }
    /^desc: Trigger: Client Request:/ { program = $NF }
    /^totals:/ && program {
      print program, configuration, $2, allocations[program]
      program = ""
    }' "$folder/log" "$folder"/out.*
}

rm -rf "$work/callgrind"
grep -v '^threads-' "$work/programs" >"$work/counted" ||
  die 'no program to count the instructions of'
echo 'bench: counting instructions' >&2
for configuration in ${CONFIGURATIONS:?}; do
  count "$configuration"
done >"$work/instructions"
