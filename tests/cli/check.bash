# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Sourced by the tests of the command: runs $MPROF in a scratch folder and
# compares exit status, output and errors.  A test prints a line for each
# check, and the script ends with `finish'.

set -u
cd "$(dirname "${BASH_SOURCE[0]}")/../.." || exit 1
top=$PWD
golden=$top/tests/golden
case $MPROF in /*) ;; *) MPROF=$top/$MPROF ;; esac
: "${BUILD:=$top/build}"
case $BUILD in /*) ;; *) BUILD=$top/$BUILD ;; esac
: "${ECL:=$BUILD/bin/ecl}"
case $ECL in /*) ;; *) ECL=$top/$ECL ;; esac
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1
failures=0

# result STATUS NAME: one check, good when STATUS is zero.
result() {
  if [ "$1" = 0 ]; then
    echo "ok - $2"
  else
    echo "not ok - $2"
    failures=$((failures + 1))
    [ ! -s err ] || sed 's/^/# stderr: /' err
    return 1
  fi
}

# run ARGUMENT...: run mprof; leaves status, out, err.
run() {
  "$MPROF" "$@" >out 2>err
  status=$?
}

# expect NAME STATUS ERROR ARGUMENT...: mprof ends with STATUS and says
# exactly ERROR as the first line of stderr (nothing at all when empty); on
# failure nothing is on stdout, and one line on stderr (two for usage).
expect() {
  local name=$1 wanted=$2 message=$3 lines
  shift 3
  run "$@"
  case $wanted in 0) lines=0 ;; 1) lines=1 ;; *) lines=2 ;; esac
  [ "$status" = "$wanted" ] && [ "$(head -n 1 err)" = "$message" ] &&
    [ "$(wc -l <err)" = "$lines" ] && { [ "$wanted" = 0 ] || [ ! -s out ]; }
  result $? "$name"
}

# same NAME WANTED GOT: the two texts are equal.
same() {
  [ "$2" = "$3" ]
  result $? "$1" || diff <(echo "$2") <(echo "$3") | sed 's/^/# /'
}

# says NAME TEXT: the last output holds TEXT.
says() {
  grep -qF -e "$2" out
  result $? "$1"
}

# says_not NAME TEXT: it does not.
says_not() {
  ! grep -qF -e "$2" out
  result $? "$1"
}

# tells: for each line `ARGUMENTS|TEXT' of standard input mprof ends well with
# these, says nothing on stderr, and its output holds TEXT; or does not, where
# that begins with a `!'.  Without arguments it is the last output.
tells() {
  local words text arguments=''
  while IFS='|' read -r words text; do
    if [ -n "$words" ]; then
      arguments=$words
      eval "expect \"\$arguments\" 0 '' $arguments"
    fi
    case $text in
    '!'*) says_not "$arguments: no ${text#!}" "${text#!}" ;;
    *) says "$arguments: $text" "$text" ;;
    esac
  done
}

finish() {
  [ "$failures" = 0 ]
  exit
}
