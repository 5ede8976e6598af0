# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Sourced by the tests of images: programs that keep a log of what they
# allocate in a file that is mapped, and are killed.

. "$(dirname "${BASH_SOURCE[0]}")/../cli/check.bash"
: "${CC:=gcc}"
programs=$top/tests/recover/programs
kills=${KILLS:-6}
ulimit -S -c 0

wait_for() { # COMMAND...
  for ((i = 0; i < 6000; i++)); do
    "$@" && return
    sleep 0.01
  done
}

# moment MOST: wait for a random time, of so many milliseconds at most.
moment() {
  sleep "$(awk -v r="$SRANDOM" -v most="$1" \
    'BEGIN { printf "%.4f", r / 4294967296 * most / 1000 }')"
}

# sums FILE FUNCTION VALUE...: for each worker its number, and what was
# allocated below FUNCTION of each value.
sums() {
  local file=$1 function=$2 value
  shift 2
  for value; do
    "$MPROF" export --format=folded --frames=threads --value="$value" "$file"
    echo "end"
  done | awk -v function_name="$function" '
    BEGIN { column = 0 }
    $0 == "end" { column++; next }
    match($0, /^\[thread worker-[0-9]+\];/) && index($0, ";" function_name) {
      number = substr($0, 16, RLENGTH - 17)
      sum[number, column] += $NF
      if (number > last) last = number
    }
    END {
      for (i = 0; i <= last; i++) {
        printf "%d", i
        for (j = 0; j < column; j++) printf " %d", sum[i, j]
        print ""
      }
    }'
}

# logs FILE: for each worker its number and the numbers in its log.
logs() {
  od -An -v -w64 -t u8 "$1" | awk '{ print NR - 1, $0 }'
}

# as_good IMAGE: every command reads it as it reads the profile that is made of
# it, also in a folder.
as_good() {
  local command
  mkdir -p folder && cp "$1" folder
  "$MPROF" merge -o made.data "$1" 2>err
  for command in report 'report --verbose' 'export --format=folded --frames=types,threads' \
    'export --format=csv --tables=contexts' 'export --format=json' advise; do
    # shellcheck disable=SC2086
    run $command made.data
    cp out expected
    for file in "$1" folder; do
      # shellcheck disable=SC2086
      run $command "$file"
      [ "$status" = 0 ] && cmp expected out
      result $? "$command of $file"
    done
  done
}
