# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Sourced by the tests of C programs: compiles programs, runs them with the
# monitor preloaded, and compares what the profile says with what is known.
# Prints `ok - ...' or `not ok - ...' for each comparison; the script ends with
# `finish'.

set -u
tests=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
top=$(cd "$tests/../.." && pwd)
: "${BUILD:=$top/build}"
: "${MPROF:=$BUILD/bin/mprof}" "${MPROF_LIB:=$BUILD/lib}" "${CC:=gcc}"
monitor=$MPROF_LIB/libmprof-malloc.so
suite=$(basename "$0" .sh)
work=$BUILD/malloc/$suite
linked="-Wl,--whole-archive $MPROF_LIB/libmprof_malloc.a \
  -Wl,--no-whole-archive -ldl" # flags that make the monitor a part of a program
failures=0
rm -rf "$work" "$work".rows.data*
mkdir -p "$work" || exit 1
cd "$work" || exit 1
ulimit -S -c 0
unset LD_PRELOAD MPROF_OUT MPROF_COUNT MPROF_SIGNAL MPROF_BUDGET \
  MPROF_TEMPORARY MPROF_UNFOLDED MPROF_ROOT_PID MPROF_ONLY MPROF_CHILDREN \
  MPROF_REACHABLE MPROF_WATCHED MPROF_BY

# result STATUS TITLE: one test, good when STATUS is 0.
result() {
  if [ "$1" = 0 ]; then
    echo "ok - $2"
  else
    echo "not ok - $2"
    failures=$((failures + 1))
  fi
}

finish() {
  [ "$failures" = 0 ]
  exit
}

# compile NAME [FLAG...]: programs/NAME.c or .cc becomes $work/NAME.  The
# compiler may not leave out allocations whose result it does not need.
compile() {
  local name=$1 source compiler=$CC
  shift
  source=$(echo "$tests/programs/$name".c*)
  case $source in *.cc) compiler=${CXX:-g++} ;; esac
  $compiler -D_GNU_SOURCE -g -fno-builtin -w -I"$top/monitor" -I"$top/reduce" \
    -o "$work/$name" "$source" "$@" -lpthread ||
    result 1 "$name compiles with $*"
}

# profile NAME [ARGUMENT...]: run ./NAME under the monitor, or by mprof run with
# the option $by_run; leaves $status, the profile NAME.data, and what it printed
# in out and err.
profile() {
  local how=(env MPROF_OUT="$work/$1.data" LD_PRELOAD="$monitor")
  [ -z "${by_run-}" ] || how=("$MPROF" run -q "$by_run" -o "$work/$1.data")
  rm -f "$work/$1".data*
  timeout 100 "${how[@]}" "$work/$1" "${@:2}" >"$work/out" 2>"$work/err" \
    </dev/null
  status=$?
}

# succeeds NAME [ARGUMENT...]: profile; the program, $program, ends well.
succeeds() {
  program=$1
  profile "$@"
  same "$*: exit status" 0 "$status"
}

# run_root NAME [ARGUMENT...]: like `mprof run', which names the process that
# the file is for; the program, $program, ends well.
run_root() {
  program=$1
  rm -f "$1".data*
  # shellcheck disable=SC2016
  timeout 100 env MPROF_OUT="$work/$1.data" sh -c \
    'MPROF_ROOT_PID=$$ LD_PRELOAD=$0 exec "$@"' "$monitor" "$work/$1" \
    "${@:2}" >out 2>err </dev/null
  same "$*: exit status" 0 "$?"
}

# each_case TITLE PROGRAM FUNCTION: for each line of $cases, PROGRAM with the
# first word, which ends well; then FUNCTION with a title and the words left.
each_case() {
  local name wanted
  program=$2
  while read -r name wanted; do
    [ -n "$name" ] || continue
    profile "$2" "$name"
    same "$1: $name: exit status" 0 "$status"
    # shellcheck disable=SC2086
    "$3" "$1: $name" $wanted
  done <<<"$cases"
}

# rows FILE WORD: the figures of it, see figures.c, which reads no images.
rows() {
  local file=$1 magic=
  read -r -N 8 magic 2>/dev/null <"$1"
  if [ "$magic" = mprofmap ]; then
    file=$BUILD/malloc/$suite.rows.data
    rm -f "$file" # an earlier one
    "$MPROF" merge -o "$file" "$1" 2>"$file.err" || cat "$file.err"
  fi
  "$BUILD/tests/figures" "$file" "$2"
}

# same TITLE EXPECTED GOT
same() {
  if [ "$2" = "$3" ]; then
    result 0 "$1"
  else
    result 1 "$1"
    diff <(echo "$2") <(echo "$3") | sed 's/^/# /'
    [ ! -s err ] || sed 's/^/# stderr: /' err | head -5
  fi
}

# beyond NOTHING FILE: its totals, less those of a program that does nothing;
# without any allocation there is no file.
beyond() {
  { if [ -e "$1" ]; then rows "$1" all; else echo all - 0 0 0 0 0 0 0; fi
    rows "$2" all; } 2>&1 | cut -d' ' -f 3- | awk '
    NR == 1 { for (i = 1; i <= NF; i++) before[i] = $i }
    NR == 2 { for (i = 1; i <= NF; i++)
                printf "%s%d", (i > 1 ? " " : ""), $i - before[i] }'
}

# expect TITLE FILE ALLOCS BYTES [KEPT BYTES [PEAK BYTES [TEMPORARY]]]: its
# totals, as far as they are given.
expect() {
  local title=$1 file=$2 got
  shift 2
  got=$(rows "$file" all 2>&1 | cut -d' ' -f 3-$(($# + 2)))
  same "$title" "$*" "$got"
}

# totals FILE: allocations and bytes, and what is kept of them.
totals() { rows "$1" all | cut -d' ' -f 3-6; }

# sizes FILE SIZE...: of objects of each of these sizes
# SIZE:ALLOCS:BYTES:KEPT:BYTES, one behind the other.
sizes() { rows_of_sizes "$1" size 6 "${@:2}"; }

# rows_of_sizes FILE WORD LAST SIZE...: the same of rows of WORD, of which it
# has the words until LAST.
rows_of_sizes() {
  rows "$1" "$2" | awk -v sizes=" ${*:4} " -v last="$3" '
    index(sizes, " " $2 " ") {
      line = $2
      for (i = 3; i <= last; i++) line = line ":" $i
      all = all (all == "" ? "" : " ") line
    }
    END { print all }'
}

# check_sizes TITLE FIGURES...: that figures are those, as sizes has them, of
# the profile of $program.
check_sizes() {
  local figures=("${@:2}")
  same "$1" "${*:2}" "$(sizes "$program.data" "${figures[@]%%:*}")"
}

# files TITLE LINE...: a line for each profile of $program, as `totals' has it:
# the first one that of the file asked for, the others in order.
files() {
  local file got=''
  for file in "$program".data "$program".data.*; do
    [ ! -e "$file" ] ||
      ! rows "$file" comment | grep -q "^comment program .*/$program\$" ||
      got+="$(totals "$file")"$'\n'
  done
  same "$1" "$(printf '%s\n' "${@:2}")" \
    "$(head -n 1 <<<"$got"; tail -n +2 <<<"$got" | sed '/^$/d' | sort -n)"
}

# lost FILE SIZE...: what was lost of each of these sizes, as objects,
# SIZE:KEPT:DIRECTLY:INDIRECTLY, one behind the other.
lost() { [ ! -e "$1" ] || rows_of_sizes "$1" lost 5 "${@:2}"; }

# check_lost TITLE FIGURES...: that this is so in the profile of $program.
check_lost() {
  local figures=("${@:2}")
  same "$1" "${*:2}" "$(lost "$program.data" "${figures[@]%%:*}")"
}
