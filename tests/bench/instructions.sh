#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# instructions.sh [PROGRAM...]: count the instructions of all programs, or of
# those named, with callgrind: they do not depend on what else the machine
# does, so they show a difference of a thousandth.  One process for each
# configuration runs all programs, each twice at a small size; only the second
# time counts, so that neither start-up nor what is done once is in it.  The
# collector marks with one thread: several wait for each other in a loop, as
# it happens.  Programs with threads of their own are left out for the same
# reason.
#
# Environment: CONFIGURATIONS, an even number of them (see run.sh).
#
# Writes BUILD/bench/instructions.tsv and functions.tsv, which has what each
# function took itself in the first configuration and in the last, with the
# number of allocations (0 where nobody counts); and callgrind's own files
# under BUILD/bench/callgrind/CONFIGURATION/, one a program.

set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$BUILD/bench
ppcre=/usr/share/common-lisp/source/cl-ppcre
divisor=64
read -ra configurations <<<"${CONFIGURATIONS:?}"
# shellcheck source=ecl.sh
. "$here/ecl.sh"
command -v valgrind >/dev/null ||
  die 'valgrind is missing; run: apt-get install valgrind'

# count CONFIGURATION PROGRAM...: lines of instructions.tsv.
count() {
  local configuration=$1 folder=$work/callgrind/$1 file names groups
  shift
  mkdir -p "$folder"
  names=$(printf '\\"%s\\"' "$@" | sed 's/\\//g')
  groups=$(for name; do grep "^$name " "$work/all-programs"; done |
    cut -d ' ' -f 2 | sort -u)
  # shellcheck disable=SC2086
  GC_MARKERS=1 RUNNER="valgrind --tool=callgrind
    --main-stacksize=1000000000 --callgrind-out-file=$folder/out" \
    run_ecl "$configuration" $groups \
    "(bench:measure-instructions :$configuration $divisor '($names))" \
    >"$folder/log" 2>&1 ||
    die "callgrind failed in configuration $configuration, see $folder/log"
  # callgrind's last file is about the end of the process.
  grep -l '^desc: Trigger: Client Request:' "$folder"/out.* |
    xargs awk -f "$here/functions.awk" >"$folder/functions"
  awk -F '\t' -v c="$configuration" '{ sum[$1] += $3 }
    END { for (program in sum)
            printf "%s\t%s\t%d\n", program, c, sum[program] }' \
    "$folder/functions" | sort
}

rm -rf "$work/callgrind"
mkdir -p "$work/callgrind"
list_programs >"$work/all-programs"
programs=$(if [ $# = 0 ]; then
  sed 's/ .*//' "$work/all-programs"
else
  printf '%s\n' "$@"
fi | grep -v '^threads-' || :)
[ -n "$programs" ] || die 'no program to count the instructions of'
echo 'bench: counting instructions' >&2
printf 'program\tconfiguration\tinstructions\n' >"$work/instructions.tsv"
# Two at a time: they do not disturb each other.
# shellcheck disable=SC2086
for ((i = 0; i < ${#configurations[@]}; i += 2)); do
  count "${configurations[i]}" $programs >"$work/callgrind/first" &
  first=$!
  count "${configurations[i + 1]}" $programs >"$work/callgrind/second" ||
    exit 1
  wait "$first" || exit 1
  cat "$work/callgrind/first" "$work/callgrind/second" \
    >>"$work/instructions.tsv"
done

# program, allocations, configuration, function, instructions
for configuration in "${configurations[0]}" "${configurations[-1]}"; do
  awk -F '\t' -v c="$configuration" '
    NR == FNR { if ($1 == "allocations") allocations[$2] = $3; next }
    { print $1 "\t" allocations[$1] "\t" c "\t" $2 "\t" $3 }' \
    "$work/callgrind/${configurations[-1]}/log" \
    "$work/callgrind/$configuration/functions"
done | cat <(printf 'program\tallocations\tconfiguration\tfunction\t%s\n' \
  instructions) - >"$work/functions.tsv"
